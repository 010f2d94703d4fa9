import { expect, test } from 'vitest';
import { visitSignedIn, withBrowser } from './browser.ts';
import { call, publish, startRun, untilEnded } from './pawl.ts';

withBrowser();

const place = (id: string) => `/projects/default/runs/${id}`;

test('a waiting run says for what; it can be cancelled and replayed', async () => {
  await publish('waits', {
    name: 'Waits',
    steps: [
      { id: 'pause', type: 'wait', for: '1h', name: 'Long pause' },
      { id: 'after', type: 'set', value: 1 },
    ],
  });
  const id = await startRun('waits');
  await visitSignedIn(async ({ page }) => {
    await page.goto(place(id));
    await page.getByText(/^Waiting at Long pause for its time to come/).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel run…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel run' });
    await dialog.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText(/^Cancelled .* by /).waitFor();
    await page.getByRole('button', { name: 'Replay' }).dblclick();
    await page.getByText('replays an earlier run').waitFor();
    expect(page.url()).not.toContain(id);
    expect((await call('GET', '/projects/default/runs?automation=waits')).items).toHaveLength(2);
  });
});

test('numbers keep every digit', async () => {
  await publish('digits', {
    name: 'Digits',
    inputs: { type: 'object', properties: { n: { type: 'number' } } },
    steps: [{ id: 'same', type: 'set', value: { n: '{{ inputs.n }}' } }],
    output: { n: '{{ steps.same.output.n }}' },
  });
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Run Digits' }).click();
    await page.getByLabel('Input', { exact: true }).fill('{"n": 9007199254740993}');
    await page.getByRole('button', { name: 'Run version 1' }).click();
    await page.getByText(/^Succeeded /).waitFor();
    expect(await page.getByRole('region', { name: 'Output of the run' }).textContent()).toContain('9007199254740993');
    await page.getByRole('tab', { name: 'Input' }).click();
    expect(await page.getByRole('region', { name: 'Input of the run' }).textContent()).toContain('9007199254740993');
  });
});

test('a failed run shows the sentence in large, the kind in small, and the step', async () => {
  await publish('fails', {
    name: 'Fails',
    steps: [
      { id: 'enough', type: 'check', name: 'Enough left', condition: '{{ 1 > 2 }}', message: 'Only 1 mug is left.' },
    ],
  });
  const id = await startRun('fails');
  await untilEnded(id);
  await visitSignedIn(async ({ page }) => {
    await page.goto(place(id));
    await page.getByText(/^Failed .* at Enough left\.$/).waitFor();
    expect(await page.getByText('Only 1 mug is left.').count()).toBe(2); // of the run, and of its step
    await page.getByRole('treeitem', { name: /Enough left/, selected: true }).waitFor();
    await page.goto('/projects/default/runs?automation=fails&state=failed');
    await page.getByRole('row', { name: /Only 1 mug is left\./ }).waitFor();
  });
});

test('all steps of the version are shown: those that were not reached, and the case that was not taken', async () => {
  const set = (id: string) => ({ id, type: 'set', value: 1 });
  await publish('whole', {
    name: 'Whole',
    steps: [
      { id: 'way', type: 'branch', cases: [{ when: '{{ true }}', steps: [set('taken')] }], otherwise: [set('left')] },
      {
        id: 'guard',
        type: 'try',
        steps: [{ id: 'odd', type: 'check', condition: '{{ false }}', message: 'Odd.' }],
        catch: [set('mended')],
      },
      { id: 'enough', type: 'check', condition: '{{ false }}', message: 'Not enough.' },
      { id: 'each', type: 'each', name: 'For each', items: [1, 2], as: 'n', steps: [set('one')] },
    ],
  });
  const id = await startRun('whole');
  await untilEnded(id);
  await visitSignedIn(async ({ page }) => {
    await page.goto(place(id));
    await page.getByText(/^Failed .* at enough\.$/).waitFor();
    const rows = await page.getByRole('treeitem').allTextContents();
    expect(rows.map((row) => row.replace(/[\d.]+ m?s/, ''))).toEqual([
      'waySucceeded',
      'Case 1Succeeded',
      'takenSucceeded',
      'OtherwiseSkipped',
      'guardSucceeded',
      'oddFailed',
      'CatchSucceeded',
      'mendedSucceeded',
      'enoughFailed',
      'For eachNot reached',
      'Each itemNot reached',
      'oneNot reached',
    ]);
    await page.getByRole('treeitem', { name: /^one/ }).click();
    await page.getByText('The run ended before it came to this step.').waitFor();
    await page.getByRole('treeitem', { name: /^guard/ }).click();
    expect(await page.getByRole('region', { name: 'Error that the step caught' }).textContent()).toContain('"Odd."');
    await page.getByRole('tab', { name: 'Output' }).click();
    await page.getByText('Nothing', { exact: true }).waitFor();
  });
});

test('a loop over 1,500 items shows in a page that stays small, and can be walked by keyboard', async () => {
  await publish('long', {
    name: 'Long',
    steps: [
      {
        id: 'each',
        type: 'each',
        name: 'For each number',
        items: Array.from({ length: 1500 }, (_, i) => i),
        as: 'n',
        concurrency: 20,
        steps: [{ id: 'one', type: 'set', value: '{{ n }}' }],
      },
    ],
  });
  const id = await startRun('long');
  await untilEnded(id);
  await visitSignedIn(async ({ page }) => {
    await page.goto(place(id));
    await page.getByRole('button', { name: 'Show more steps' }).click();
    await page.getByRole('button', { name: 'Show more steps' }).waitFor({ state: 'detached' });
    const tree = page.getByRole('tree', { name: 'Steps' });
    await tree.focus();
    await page.keyboard.press('End');
    await page.getByRole('treeitem', { name: /^Item 1500 / }).waitFor();
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('treeitem', { name: /^one/, selected: true }).waitFor();
    expect(page.url()).toContain('step=each.1499.one');
  });
});

test('without an event stream the page asks again by itself', async () => {
  await publish('pauses', {
    name: 'Pauses',
    steps: [
      { id: 'pause', type: 'wait', for: '5s' },
      { id: 'after', type: 'set', value: 1 },
    ],
  });
  await visitSignedIn(async ({ page }) => {
    await page.route('**/events', (route) => route.abort());
    await page.goto(place(await startRun('pauses')));
    await page.getByText('No live connection').waitFor();
    await page.getByText(/^Succeeded /).waitFor();
    await page.getByRole('treeitem', { name: /^after/ }).waitFor();
  });
});

test('a step can be shared by its address', async () => {
  await publish('shared', {
    name: 'Shared',
    steps: [
      { id: 'a', type: 'set', value: 1 },
      { id: 'b', type: 'set', value: { x: 2 } },
    ],
  });
  const id = await startRun('shared');
  await untilEnded(id);
  await visitSignedIn(async ({ page }) => {
    await page.goto(`${place(id)}?step=b`);
    await page.getByRole('treeitem', { name: /^b/, selected: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Output of the step' }).textContent()).toContain('"x": 2');
  });
});
