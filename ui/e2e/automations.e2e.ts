import { expect, test } from 'vitest';
import { visitSignedIn, withBrowser } from './browser.ts';
import { call, publish, startRun, untilEnded } from './pawl.ts';

withBrowser();

test('the demo is listed with its live version and how it last went', async () => {
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    const row = page.getByRole('row', { name: /Orders to tickets/ });
    await row.getByText('v1 live').waitFor();
    await row
      .getByText('Never run')
      .or(row.getByText(/Succeeded|Running|Failed/))
      .waitFor();
  });
});

test('Run asks for input, shows what the API says of it, and follows the run live to its end', async () => {
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Run Orders to tickets' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run Orders to tickets' });
    const input = dialog.getByLabel('Input');
    await expect.poll(() => input.inputValue()).toContain('"status": ""');

    await input.fill('{"status": ');
    await dialog.getByRole('button', { name: 'Run version 1' }).click();
    await dialog.getByText('This is no JSON yet').waitFor();

    await input.fill('{"status": 5, "more": 1}');
    await dialog.getByRole('button', { name: 'Run version 1' }).click();
    await dialog.getByText('/status', { exact: true }).waitFor();
    await dialog.getByText('invalid_input').waitFor();

    await input.fill('{"status": "open"}');
    await dialog.getByRole('button', { name: 'Run version 1' }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    await page.getByRole('treeitem', { name: /List orders/ }).waitFor();
    await page.getByText(/^Succeeded .* after /).waitFor();
    expect(await page.getByRole('treeitem', { name: /Create ticket/ }).count()).toBeGreaterThan(0);
  });
});

test('an automation without inputs starts at once, and a double click starts one run', async () => {
  await publish('quick', { name: 'Quick one', steps: [{ id: 'a', type: 'set', value: 1 }] });
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Run Quick one' }).dblclick();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    await page.getByText(/^Succeeded /).waitFor();
    expect((await call('GET', '/projects/default/runs?automation=quick')).items).toHaveLength(1);
  });
});

test('a draft can be tested before it is published', async () => {
  const document = { format: 'pawl-automation@1', name: 'Only a draft', steps: [{ id: 'a', type: 'set', value: 1 }] };
  await call('PUT', '/projects/default/automations/only-draft/draft', document, { 'If-None-Match': '*' });
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    await page
      .getByRole('row', { name: /Only a draft/ })
      .getByText('Not published')
      .waitFor();
    await page.getByRole('button', { name: 'Test the draft of Only a draft' }).click();
    await page.getByText(/^Succeeded /).waitFor();
    await page.getByText('draft', { exact: true }).waitFor();
  });
});

test('the list says how an automation last ran, and that its draft differs from what is live', async () => {
  await publish('listed', { name: 'Listed', steps: [{ id: 'a', type: 'set', value: 1 }] });
  await untilEnded(await startRun('listed'));
  await visitSignedIn(async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/');
    const row = page.getByRole('row', { name: /Listed/ });
    await row.getByText('Succeeded').waitFor();
    await row.getByText('v1 live').waitFor();
    expect(await row.getByText('Draft differs').count()).toBe(0);
    expect(asked.filter((path) => path.endsWith('/runs'))).toEqual([]);
    const document = { format: 'pawl-automation@1', name: 'Listed', steps: [{ id: 'b', type: 'set', value: 1 }] };
    await call('PUT', '/projects/default/automations/listed/draft', document, { 'If-Match': '"1"' });
    await page.reload();
    await row.getByText('Draft differs').waitFor();
    await row.getByRole('link', { name: /Succeeded/ }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
  });
});

test('the arrow keys walk the list, and Enter opens', async () => {
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    const first = page.locator('[data-row-link]').first();
    await first.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await first.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Runs of / }).waitFor();
  });
});
