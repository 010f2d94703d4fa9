import { describe, expect, test } from 'vitest';
import { expectAccessible, visitSignedIn, withBrowser } from './browser.ts';
import { publish, startRun, untilEnded } from './pawl.ts';

withBrowser();

describe('C137: names and errors are text everywhere', () => {
  const texts = [
    '<img src=x onerror=alert(1)>',
    "{{constructor.constructor('alert(1)')()}}",
    '"><script>alert(1)</script>',
    'javascript:alert(1)',
  ];

  test.each(texts.map((text, i) => ({ text, name: `text-${i}` })))('$text', async ({ text, name }) => {
    await publish(name, {
      name: text,
      inputs: { type: 'object', properties: { a: { type: 'string', description: text } }, required: ['a'] },
      steps: [
        { id: 'given', type: 'set', name: text, value: { echo: '{{ inputs.a }}' } },
        { id: 'bad', type: 'check', name: text, condition: '{{ false }}', message: '{{ inputs.a }}' },
      ],
    });
    const id = await startRun(name, { input: { a: text } });
    await untilEnded(id);
    await visitSignedIn(async ({ page }) => {
      await page.goto('/');
      await page.getByRole('link', { name: text, exact: true }).waitFor();
      await page.getByRole('button', { name: `Run ${text}`, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: `Run ${text}`, exact: true });
      await dialog.getByText(text, { exact: true }).waitFor();
      await page.keyboard.press('Escape');

      await page.goto(`/projects/default/runs?automation=${name}`);
      await page.getByText(text, { exact: true }).first().waitFor();
      await page.goto(`/projects/default/runs/${id}?step=given`);
      await page.getByRole('heading', { name: text, exact: true }).waitFor();
      await page.getByRole('treeitem', { name: text }).first().waitFor();
      expect(await page.getByText(text, { exact: true }).count()).toBeGreaterThanOrEqual(4);
      expect(await page.locator('img[src=x], main script').count()).toBe(0);
    });
  });
});

describe.each(['light', 'dark'] as const)('axe finds nothing wrong in the %s scheme', (colorScheme) => {
  test('on the list, its dialog and the menu', async () => {
    await visitSignedIn(
      async ({ page }) => {
        await page.goto('/');
        await page.getByRole('row', { name: /Orders to tickets/ }).waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Run Orders to tickets' }).click();
        await page.getByRole('dialog').getByLabel('Input').fill('{');
        await page.getByRole('button', { name: 'Run version 1' }).click();
        await page.getByText('no JSON yet').waitFor();
        await expectAccessible(page);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Administrator' }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
        await expectAccessible(page);
      },
      { colorScheme, reducedMotion: 'reduce' },
    );
  });

  test('on a run, the runs and the sign-in page', async () => {
    const id = await startRun('orders-to-tickets', { input: { status: 'open' } });
    await untilEnded(id);
    await visitSignedIn(
      async ({ page, context }) => {
        await page.goto(`/projects/default/runs/${id}`);
        await page.getByRole('treeitem', { name: /List orders/ }).click();
        await page.getByRole('region', { name: 'Output of the step' }).waitFor();
        await expectAccessible(page);
        await page.getByRole('tab', { name: /Attempts/ }).click();
        await expectAccessible(page);
        await page.getByRole('tab', { name: 'Request' }).click();
        await page.getByRole('heading', { name: 'Answer' }).waitFor();
        await expectAccessible(page);
        await page.goto('/projects/default/runs');
        await page.getByRole('row').nth(1).waitFor();
        await expectAccessible(page);
        await context.clearCookies();
        await page.goto('/');
        await page.getByLabel('E-mail').waitFor();
        await expectAccessible(page);
      },
      { colorScheme, reducedMotion: 'reduce' },
    );
  });
});
