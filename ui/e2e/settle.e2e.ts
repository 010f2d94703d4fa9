import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { visitSignedIn, withBrowser } from './browser.ts';
import { call, publish, startRun, untilEnded } from './pawl.ts';

withBrowser();

const action = 'developer.ui-desk.v1-0-0.create_ticket';

beforeAll(async () => {
  const plugin = readFileSync(new URL('testdata/desk.genisys-plugin.json', import.meta.url), 'utf8');
  await call('PUT', '/plugins/ui-desk/draft', plugin);
  await call('POST', '/plugins/ui-desk/promote', { to: 'preview' });
  await call('POST', '/plugins/ui-desk/promote', { to: 'production' });
  await call('PUT', '/projects/default/accounts', {
    name: 'desk',
    identity: 'developer.ui-desk.v1-0-0',
    secret: 'key-of-the-tests',
  });
  await call('POST', '/projects/default/grants', { action });
  await publish('tickets', {
    name: 'Tickets',
    inputs: { type: 'object', properties: { title: { type: 'string' } } },
    steps: [
      {
        id: 'ticket',
        type: 'action',
        name: 'Create ticket',
        action,
        account: 'desk',
        input: { title: '{{ inputs.title }}' },
      },
      { id: 'after', type: 'set', value: { got: '{{ steps.ticket.output }}' } },
    ],
  });
});

/** Starts a run whose ticket gets lost, and opens the dialog that settles it. */
async function openLost(page: Page) {
  const id = await startRun('tickets', { input: { title: 'lost' } });
  await page.goto(`/projects/default/runs/${id}`);
  await page.getByText(/^Stopped at Create ticket: nobody knows/).waitFor();
  await page.getByRole('treeitem', { name: /Outcome unknown/, selected: true }).waitFor();
  await page.getByRole('button', { name: 'Settle…' }).click();
  return page.getByRole('dialog', { name: 'Settle Create ticket' });
}

test('an answer is shown with every digit, beside its attempt', async () => {
  const id = await startRun('tickets', { input: { title: 'kept' } });
  await visitSignedIn(async ({ page }) => {
    await page.goto(`/projects/default/runs/${id}?step=ticket`);
    await page.getByText(/^Succeeded /).waitFor();
    const output = page.getByRole('region', { name: 'Output of the step' });
    expect(await output.textContent()).toContain('9007199254740993');
    await page.getByRole('tab', { name: 'Attempts 1' }).click();
    await page.getByText('HTTP 201').waitFor();
  });
});

test('a request is shown as it was sent, without the key', async () => {
  const id = await startRun('tickets', { input: { title: 'kept <b>' } });
  await untilEnded(id);
  await visitSignedIn(async ({ page }) => {
    await page.goto(`/projects/default/runs/${id}?step=ticket`);
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByText('POST', { exact: true }).waitFor();
    await page.getByText('https://desk.pawl-ui.example/tickets').waitFor();
    await page.getByText('Bearer [redacted]').waitFor();
    expect(await page.getByRole('region', { name: 'Body of the request' }).textContent()).toContain('"kept <b>"');
    await page.getByText('HTTP 201').waitFor();
    // C071: the account's key is nowhere.
    expect(await page.content()).not.toContain('key-of-the-tests');
    expect(JSON.stringify(await call('GET', `/projects/default/runs/${id}`))).not.toContain('key-of-the-tests');
  });
});

test('an unknown outcome settled as happened lets the run go on with the output given', async () => {
  await visitSignedIn(async ({ page }) => {
    const dialog = await openLost(page);
    await dialog.getByLabel('It happened').check();
    await dialog.getByLabel('Output').fill('{"status": 201, "body": {"id": 12345678901234567890}}');
    await dialog.getByRole('button', { name: 'Settle' }).click();
    await page.getByText(/^Succeeded /).waitFor();
    await page.getByRole('treeitem', { name: /^after/ }).click();
    const output = page.getByRole('region', { name: 'Output of the step' });
    expect(await output.textContent()).toContain('12345678901234567890');
    await page.getByRole('treeitem', { name: /^Create ticket/ }).click();
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await page.getByText(/^Settled as succeeded by /).waitFor();
  });
});

test('an unknown outcome settled as failed fails the run at its step', async () => {
  await visitSignedIn(async ({ page }) => {
    const dialog = await openLost(page);
    await dialog.getByLabel('It failed').check();
    await dialog.getByRole('button', { name: 'Settle' }).click();
    await page.getByText(/^Failed .* at Create ticket\.$/).waitFor();
  });
});

test('an unknown outcome settled as nothing happened sends the request once more', async () => {
  await visitSignedIn(async ({ page }) => {
    const dialog = await openLost(page);
    await dialog.getByLabel('Nothing happened').check();
    await dialog.getByRole('button', { name: 'Settle' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The desk hangs up on this title each time.
    await page.getByText('2 attempts').waitFor();
    await page.getByText(/^Stopped at Create ticket/).waitFor();
  });
});

test('a withdrawn app: the run says what, who and how to mend it', async () => {
  await call('POST', '/plugins/ui-desk/disable', {});
  const id = await startRun('tickets', { input: { title: 'kept' } });
  await visitSignedIn(async ({ page }) => {
    await page.goto(`/projects/default/runs/${id}`);
    await page.getByText(/^Failed .* at Create ticket\.$/).waitFor();
    await page
      .getByText(/developer\.ui-desk\.v1-0-0/)
      .first()
      .waitFor();
    await page
      .getByText(/^unavailable/)
      .first()
      .waitFor();
  });
});
