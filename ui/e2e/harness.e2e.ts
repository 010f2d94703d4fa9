import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { visit, withBrowser } from './browser.ts';

withBrowser();

/** The harness of genisys-plugin@1, in the document and under the policy that actions/jsbox/harness makes for it. */
const harness = readFileSync(new URL('../../actions/jsbox/harness/harness.js', import.meta.url), 'utf8');
const digest = createHash('sha256').update(harness).digest('base64');
const policy = `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${digest}' blob: 'unsafe-eval'; worker-src blob:`;

/** What a state of the harness protocol may hold. */
interface State {
  state: string;
  request?: { id: number; url: string; method: string };
  output?: unknown;
  logs?: string[];
  message?: string;
  reason?: string;
  line?: number;
  pointer?: string;
}

/** A module with the one tool t. */
const tool = (body: string) => `export default { tools: { async t(input, ctx) {\n${body}\n} } };`;

/** Runs a test on a page that holds the iframe of the harness. */
async function withHarness(use: (page: Page) => Promise<void>): Promise<void> {
  await visit(async ({ page }) => {
    const html = { contentType: 'text/html; charset=utf-8' };
    await page.route('**/harness-frame', (route) =>
      route.fulfill({
        ...html,
        headers: { 'content-security-policy': policy },
        body: `<!doctype html><script>${harness}</script>`,
      }),
    );
    await page.route('**/harness-host', (route) =>
      route.fulfill({ ...html, body: '<!doctype html><iframe sandbox="allow-scripts" src="/harness-frame"></iframe>' }),
    );
    await page.goto('/harness-host');
    await use(page);
  });
}

/** Calls the tool t as a host does, by messages, and answers each request with its address. Gives the last state. */
async function call(page: Page, code: string, input: unknown = {}): Promise<State> {
  return await page.evaluate(
    async ({ code, inputJson }) => {
      const frame = document.querySelector('iframe')?.contentWindow;
      if (!frame) throw new Error('There is no frame.');
      const callId = crypto.randomUUID();
      const ask = (message: object) =>
        new Promise<State>((done) => {
          const hear = ({ source, data }: MessageEvent) => {
            if (source !== frame || data.genisys !== 'state' || data.callId !== callId) return;
            removeEventListener('message', hear);
            done(data);
          };
          addEventListener('message', hear);
          frame.postMessage({ ...message, callId }, '*');
        });
      await ask({ genisys: 'load', code });
      let state = await ask({ genisys: 'start', tool: 't', inputJson, stage: 'test' });
      while (state.state === 'running' || state.state === 'fetch') {
        if (state.request) {
          const { id, url, method } = state.request;
          const response = { id, status: 200, headers: {}, text: `${method} ${url}` };
          state = await ask({ genisys: 'resolve', responseJson: JSON.stringify(response) });
        } else {
          await new Promise((done) => requestAnimationFrame(done));
          state = await ask({ genisys: 'poll' });
        }
      }
      return state;
    },
    { code, inputJson: JSON.stringify(input) },
  );
}

describe('the harness in a sandboxed iframe', () => {
  test('runs a tool and gives its output and its log', async () => {
    await withHarness(async (page) => {
      const state = await call(
        page,
        tool('ctx.log("hi", { a: 1 }); console.warn("w"); return { input, stage: ctx.stage };'),
        { b: [1] },
      );
      expect(state).toMatchObject({
        state: 'done',
        output: { input: { b: [1] }, stage: 'test' },
        logs: ['hi {"a":1}', 'w'],
      });
    });
  });

  test('hands requests to the host, several at once', async () => {
    await withHarness(async (page) => {
      const body =
        'const all = await Promise.all(["a", "b"].map((n) => ctx.fetch(new URL("https://" + n + ".example/")))); return all.map((r) => r.text);';
      const state = await call(page, tool(body));
      expect(state.output).toEqual(['GET https://a.example/', 'GET https://b.example/']);
    });
  });

  test.each([
    {
      name: 'what a tool throws',
      body: 'throw new TypeError("bad");',
      want: { reason: 'threw', line: 2, message: /threw TypeError: bad \(line 2,/ },
    },
    {
      name: 'an output that is no JSON',
      body: 'return { m: new Map() };',
      want: { reason: 'output_invalid', pointer: '/m', message: /a Map/ },
    },
    {
      name: 'too large an output',
      body: 'return "é".repeat(50_000);',
      want: { reason: 'output', message: /more than 100000 bytes/ },
    },
  ])('says $name', async ({ body, want }) => {
    await withHarness(async (page) => {
      const { message, ...rest } = want;
      const state = await call(page, tool(body));
      expect(state).toMatchObject({ state: 'error', ...rest });
      expect(state.message).toMatch(message);
    });
  });

  test.each([
    {
      name: 'a syntax error',
      code: 'export default {',
      want: /^The module threw SyntaxError: .* while it was loaded\.$/,
    },
    { name: 'a missing tool', code: 'export default { tools: {} };', want: /exports no function tools\.t/ },
    { name: 'an import', code: 'import fs from "fs"; export default {};', want: /^The module threw TypeError/ },
  ])('refuses a module with $name', async ({ code, want }) => {
    await withHarness(async (page) => {
      expect((await call(page, code)).message).toMatch(want);
    });
  });

  test('ends a module that never ends, and answers polls meanwhile', async () => {
    await withHarness(async (page) => {
      const state = await call(page, tool('for (;;) {}'));
      expect(state).toMatchObject({ state: 'error', reason: 'time' });
      expect((await call(page, tool('return 1;'))).output).toBe(1);
    });
  });

  test('gives a module no way out', async () => {
    await withHarness(async (page) => {
      const body = `
        const names = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "indexedDB", "caches", "navigator", "location",
          "postMessage", "importScripts", "Worker", "Blob", "self", "performance", "SharedArrayBuffer", "WebAssembly", "BroadcastChannel"];
        return names.filter((name) => name in globalThis);`;
      expect((await call(page, tool(body))).output).toEqual([]);
    });
  });

  test('logs what nobody catches, and goes on', async () => {
    await withHarness(async (page) => {
      const body = `
        setTimeout(() => { throw new Error("in a timer"); }, 1);
        Promise.reject(new Error("alone"));
        await new Promise((done) => setTimeout(done, 50));
        return crypto.randomUUID().length;`;
      const state = await call(page, tool(body));
      expect(state.output).toBe(36);
      expect(state.logs?.sort()).toEqual([
        'A promise that nobody awaits was rejected: it threw Error: alone',
        'Uncaught: it threw Error: in a timer',
      ]);
    });
  });
});
