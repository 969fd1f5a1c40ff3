import { expect, test, vi } from 'vitest';
import { createStepUp } from './stepUp.ts';

test('shares one request among waiting calls', async () => {
  const stepUp = createStepUp();
  const changed = vi.fn();
  stepUp.subscribe(changed);
  const answers = Promise.all([stepUp.prompt(['password']), stepUp.prompt(['code'])]);
  expect(stepUp.current()).toEqual({ methods: ['password'] });
  stepUp.settle(true);
  expect(await answers).toEqual([true, true]);
  expect(stepUp.current()).toBeUndefined();
  expect(changed).toHaveBeenCalledTimes(2);
});

test('starts a new request after a cancelled one', async () => {
  const stepUp = createStepUp();
  stepUp.settle(false);
  const first = stepUp.prompt(['password']);
  stepUp.settle(false);
  expect(await first).toBe(false);
  const second = stepUp.prompt(['code']);
  expect(stepUp.current()).toEqual({ methods: ['code'] });
  stepUp.settle(true);
  expect(await second).toBe(true);
});
