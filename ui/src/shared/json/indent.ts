import type { JSONText } from './exact.ts';

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Lays a JSON text out over lines, two spaces a level. Only the space between tokens changes. */
export function indent(text: JSONText): string {
  const out: string[] = [];
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [t] of text.matchAll(token)) {
    if (t === '}' || t === ']') {
      depth--;
      out.push(before === '{' || before === '[' ? t : line() + t);
    } else {
      if (before === '{' || before === '[' || before === ',') out.push(line());
      out.push(t === ':' ? ': ' : t);
      if (t === '{' || t === '[') depth++;
    }
    before = t;
  }
  return out.join('');
}
