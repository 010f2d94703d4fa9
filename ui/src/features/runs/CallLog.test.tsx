import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import type { Attempt, ToolCall, ToolRequest } from '../../shared/api/run.ts';
import { CallLog } from './CallLog.tsx';

const error = { kind: 'network', message: 'example.com is not there.', retryable: true } as ToolRequest['error'];
const fetched: ToolRequest = { method: 'POST', url: 'https://example.com/<b>', status: 201, sent: true, error: null };

function tried(n: number, call: ToolCall | null): Attempt {
  return { n, state: 'answered', started_at: '', finished_at: null, status: null, error: null, request: null, call };
}

/** What is shown of some attempts, as text. */
async function shown(attempts: Attempt[]): Promise<string> {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const place = document.createElement('div');
  const root = createRoot(place);
  await act(() =>
    root.render(
      <MantineProvider env="test">
        <CallLog attempts={attempts} />
      </MantineProvider>,
    ),
  );
  const text = place.textContent ?? '';
  await act(() => root.unmount());
  return text;
}

test.each([
  {
    name: 'lines of the log are kept apart, and are no markup',
    attempts: [tried(1, { logs: ['one', '<b>two</b>'], fetches: [] })],
    want: 'one\n<b>two</b>',
  },
  {
    name: 'a request shows its answer',
    attempts: [tried(1, { logs: [], fetches: [fetched] })],
    want: 'It logged nothing.RequestPOST https://example.com/<b>HTTP 201',
  },
  {
    name: 'a request without an answer says whether it went out',
    attempts: [tried(1, { logs: ['a'], fetches: [{ ...fetched, status: null, error }] })],
    want: 'Sent, and no answer came: example.com is not there.',
  },
  {
    name: 'a request that was stopped says so',
    attempts: [tried(1, { logs: ['a'], fetches: [{ ...fetched, status: null, sent: false, error }] })],
    want: 'Not sent: example.com is not there.',
  },
  {
    name: 'the last try comes first',
    attempts: [tried(1, { logs: ['a'], fetches: [] }), tried(2, { logs: ['b'], fetches: [] })],
    want: 'Attempt 2bAttempt 1a',
  },
])('$name', async ({ attempts, want }) => {
  expect(await shown(attempts)).toContain(want);
});
