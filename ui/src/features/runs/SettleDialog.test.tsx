import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { aRun, aStep } from '../../../test/runs.ts';
import { SettleDialog } from './SettleDialog.tsx';

/** Opens the dialog and gives what it sends. */
async function open() {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const sent: { path: string; body: string }[] = [];
  const onClose = vi.fn();
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push({ path: new URL(request.url).pathname, body: await request.text() });
    return Response.json(aRun('running'));
  });
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  await act(() =>
    root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient()}>
          <SettleDialog project="default" run="r1" step={aStep('each.3.ticket', 'unknown')} onClose={onClose} />
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  const close = () => act(() => root.unmount());
  return { sent, onClose, close };
}

/** The element of a kind that shows a text. */
function find<T extends HTMLElement>(selector: string, text: string): T {
  const found = [...document.querySelectorAll<T>(selector)].find((element) => element.textContent?.includes(text));
  if (!found) throw new Error(`no ${selector} shows ${text}`);
  return found;
}

async function choose(label: string) {
  const { htmlFor } = find<HTMLLabelElement>('label', label);
  await act(() => document.getElementById(htmlFor)?.click());
}

async function submit() {
  await act(() => find<HTMLButtonElement>('button[type=submit]', 'Settle').click());
  await act(() => vi.waitFor(() => undefined));
}

test.each([
  { name: 'it happened', label: 'It happened', body: '{"as":"succeeded","output":{}}' },
  { name: 'it failed', label: 'It failed', body: '{"as":"failed"}' },
  { name: 'nothing happened', label: 'Nothing happened', body: '{"as":"retry"}' },
])('$name is sent for the step', async ({ label, body }) => {
  const { sent, onClose, close } = await open();
  await choose(label);
  await submit();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(sent).toEqual([{ path: '/api/v1/projects/default/runs/r1/steps/each.3.ticket/settle', body }]);
  await close();
});

test('nothing is chosen for a person, and nothing is sent without a choice', async () => {
  const { sent, close } = await open();
  expect(find<HTMLButtonElement>('button[type=submit]', 'Settle').disabled).toBe(true);
  expect(sent).toEqual([]);
  await close();
});
