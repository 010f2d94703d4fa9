import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { email, password, setPassword } from './pawl.ts';

/** The Chromium of the machine: PAWL_CHROMIUM, or the first of its names on PATH. */
function chromiumPath(): string {
  const named = process.env.PAWL_CHROMIUM;
  if (named) return named;
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const places = (process.env.PATH ?? '').split(delimiter).flatMap((dir) => names.map((name) => join(dir, name)));
  const found = places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!found) throw new Error('There is no chromium on PATH. Install it (make setup), or name one with PAWL_CHROMIUM.');
  return found;
}

/** A browser that notes what no page of Pawl may do. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Dialogs of scripts, errors of pages, and what the policy for content refused. */
  complaints: string[];
}

let browser: Browser;

/** Starts and stops the browser around the tests of a file. */
export function withBrowser(): void {
  beforeAll(async () => {
    // Chromium's own sandbox does not work for root.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: chromiumPath(), args });
  });
  afterAll(() => browser?.close());
}

/** Opens a fresh browser window for one test, and checks its complaints at the end. */
export async function visit(
  test: (visitor: Visitor) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({
    baseURL: inject('address'),
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  const complaints: string[] = [];
  await context.exposeFunction('complain', (text: string) => complaints.push(text));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      const report = globalThis as unknown as { complain: (text: string) => void };
      report.complain(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`);
    });
  });
  const page = await context.newPage();
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  try {
    await test({ page, context, complaints });
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Opens a fresh window in which the administrator is signed in. */
export async function visitSignedIn(
  test: (visitor: Visitor) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await setPassword();
  await visit(async (visitor) => {
    await visitor.context.request.post('/api/v1/session', { data: { email, password } });
    await test(visitor);
  }, options);
}

/** Expects that axe finds nothing wrong on the page, once nothing fades in any more. */
export async function expectAccessible(page: Page): Promise<void> {
  const problems = async () => {
    const { violations } = await new AxeBuilder({ page }).analyze();
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`));
  };
  await expect.poll(problems, { timeout: 10_000 }).toEqual([]);
}
