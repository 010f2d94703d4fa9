import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const text = readFileSync('src/shared/theme/tokens.css', 'utf8');

/** The colours of one scheme by their names. */
function colours(scheme: 'light' | 'dark'): Record<string, string> {
  const block = text.split(`[data-mantine-color-scheme="${scheme}"] {`)[1]?.split('}')[0] ?? '';
  return Object.fromEntries([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]));
}

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const states = ['neutral', 'blue', 'amber', 'violet', 'green', 'red', 'slate'];
const grounds = ['ground', 'card', 'hover'];
const texts: [string, string][] = [
  ...['ink', 'ink-quiet', 'accent', ...states].flatMap((ink) => grounds.map((on): [string, string] => [ink, on])),
  ...states.map((state): [string, string] => [state, `${state}-soft`]),
  ...states.map((state): [string, string] => ['ink', `${state}-soft`]),
  ['slate', 'slate-stripe'],
  ['ink', 'accent-soft'],
  ['ink-quiet', 'accent-soft'],
  ['accent', 'accent-soft'],
  ['accent-ink', 'accent-fill'],
  ['accent-ink', 'accent-fill-hover'],
  ['accent-ink', 'danger-fill'],
  ['accent-ink', 'danger-fill-hover'],
];

describe.each(['light', 'dark'] as const)('tokens of the %s scheme', (scheme) => {
  const known = colours(scheme);

  test.each(texts)('%s can be read on %s', (ink, on) => {
    expect(contrast(known[ink] ?? '', known[on] ?? '')).toBeGreaterThanOrEqual(4.5);
  });

  test.each(grounds)('the edge of a control shows on %s', (on) => {
    expect(contrast(known['line-strong'] ?? '', known[on] ?? '')).toBeGreaterThanOrEqual(3);
  });
});
