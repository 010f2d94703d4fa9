import { expect, test } from 'vitest';
import { aRun, aStep } from '../../../test/runs.ts';
import { seePage, seeRun, seeSteps } from './view.ts';

const first = seeRun(undefined, aRun('running', { steps: [aStep('a'), aStep('b', 'running')], steps_next: 'more' }));

test('a run object becomes a view with its first steps and the way to further ones', () => {
  expect([...first.steps.keys()]).toEqual(['a', 'b']);
  expect(first.next).toBe('more');
  expect(first.run.state).toBe('running');
});

test('a step that changed takes the place that it had', () => {
  const after = seeSteps(first, [aStep('c'), aStep('a', 'failed')]);
  expect([...after.steps].map(([path, step]) => `${path} ${step.state}`)).toEqual([
    'a failed',
    'b running',
    'c succeeded',
  ]);
  expect(first.steps.get('a')?.state).toBe('succeeded');
});

test('a run object that comes later keeps the steps that it does not carry', () => {
  const after = seeRun(seeSteps(first, [aStep('z')]), aRun('succeeded', { steps: [aStep('b')] }));
  expect([...after.steps.keys()]).toEqual(['a', 'b', 'z']);
  expect(after.next).toBe('more');
});

test('a further page brings its steps and the next cursor', () => {
  const after = seePage(first, aRun('running', { steps: [aStep('c')] }));
  expect([...after.steps.keys()]).toEqual(['a', 'b', 'c']);
  expect(after.next).toBeNull();
});
