import { expect, test, vi } from 'vitest';
import type { JSONText } from '../json/exact.ts';
import { answer, api } from './client.ts';
import { ProblemError } from './problem.ts';

const run = { params: { path: { project: 'default', name: 'a' } } };
const start = '/api/v1/projects/{project}/automations/{name}/runs';

function stub(status: number, type: string, body: string) {
  const fetched = vi.fn(async (request: Request) => {
    sent.push(await request.text());
    return new Response(body, { status, headers: { 'Content-Type': type } });
  });
  const sent: string[] = [];
  vi.stubGlobal('fetch', fetched);
  return sent;
}

test('large numbers keep their digits on the way out and back', async () => {
  const sent = stub(201, 'application/json', '{"id":"r","input":{"n":9007199254740993}}');
  const input = '{"n":12345678901234567890}' as JSONText;
  const got = await answer(api.POST(start, { ...run, body: { input } }));
  expect(sent).toEqual(['{"input":{"n":12345678901234567890}}']);
  expect(got.input).toBe('{"n":9007199254740993}');
});

test.each([
  {
    name: 'a problem',
    type: 'application/problem+json',
    body: '{"kind":"limit","detail":"Full."}',
    want: { kind: 'limit', detail: 'Full.' },
  },
  { name: "a proxy's page", type: 'text/html', body: '<h1>502</h1>', want: { kind: 'network', status: 502 } },
])('a refusal as $name is thrown with its words', async ({ type, body, want }) => {
  stub(502, type, body);
  const error = await answer(api.POST(start, run)).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).problem).toMatchObject(want);
});

test('no answer at all is a problem too', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  await expect(answer(api.POST(start, run))).rejects.toThrow("Pawl doesn't answer");
});
