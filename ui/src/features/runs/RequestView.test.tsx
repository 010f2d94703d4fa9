import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import type { Attempt, SentRequest } from '../../shared/api/run.ts';
import { RequestView } from './RequestView.tsx';

const sent: SentRequest = {
  method: 'POST',
  url: 'https://desk.example.com/tickets',
  headers: { Authorization: 'Bearer [redacted]' },
  body: '{"id":9007199254740993}',
  body_bytes: 23,
};

function tried(n: number, status: number | null, request: SentRequest | null): Attempt {
  return { n, state: 'answered', started_at: '', finished_at: null, status, error: null, request, call: null };
}

/** What is shown of some attempts, as text. */
async function shown(attempts: Attempt[]): Promise<string> {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const place = document.createElement('div');
  const root = createRoot(place);
  await act(() =>
    root.render(
      <MantineProvider env="test">
        <RequestView attempts={attempts} />
      </MantineProvider>,
    ),
  );
  const text = place.textContent ?? '';
  await act(() => root.unmount());
  return text;
}

test.each([
  { name: 'a JSON body keeps its digits', attempts: [tried(1, 201, sent)], want: '"id": 9007199254740993' },
  { name: 'the key is redacted', attempts: [tried(1, 201, sent)], want: 'AuthorizationBearer [redacted]' },
  {
    name: 'of a large body the beginning shows',
    attempts: [tried(1, 201, { ...sent, body: '{"id":1,"no…', body_bytes: 5000 })],
    want: '{"id":1,"no…The beginning of 5,000 bytes',
  },
  {
    name: 'a form is text',
    attempts: [tried(1, 201, { ...sent, body: 'a=1&b=%3Cb%3E', body_bytes: 13 })],
    want: 'a=1&b=%3Cb%3E13 bytes',
  },
  {
    name: 'no body',
    attempts: [tried(1, 200, { method: 'GET', url: 'https://desk.example.com/', headers: {}, body_bytes: 0 })],
    want: 'No body',
  },
  {
    name: 'every attempt has its answer',
    attempts: [tried(1, 503, sent), tried(2, 201, sent)],
    want: 'AnswersAttempt 1AnsweredHTTP 503Attempt 2AnsweredHTTP 201',
  },
  { name: 'nothing was built', attempts: [tried(1, null, null)], want: '' },
])('$name', async ({ attempts, want }) => {
  expect(await shown(attempts)).toContain(want);
});
