import { expect, test, vi } from 'vitest';
import { drawToasts, onToastWaiting, type Toast, toast, toastOf, toastsWaiting } from './toast.ts';

test.each([
  ['case', 6000, 'top', 'center'],
  ['user', 6000, 'top', 'center'],
  ['other', 2000, 'bottom', 'left'],
] as const)('a message about a %s stays %i ms at the %s %s', (topic, durationMs, vertical, horizontal) => {
  expect(toastOf('Done', 'success', topic)).toEqual({
    text: 'Done',
    variant: 'success',
    durationMs,
    position: { vertical, horizontal },
  });
});

test('queues toasts in order until the renderer is loaded', () => {
  // Tests of components in the same process may have left some.
  drawToasts({ show: () => {}, end: () => {} })();
  const wake = vi.fn();
  onToastWaiting(wake);
  expect(toastsWaiting()).toBe(false);
  toast.success('one');
  toast.error('two', 'user');
  expect(wake).toHaveBeenCalledTimes(2);
  expect(toastsWaiting()).toBe(true);
  const drawn: Toast[] = [];
  const stop = drawToasts({ show: (each) => void drawn.push(each), end: () => {} });
  toast.warning('three');
  expect(drawn.map((each) => `${each.variant} ${each.text} ${each.durationMs}`)).toEqual([
    'success one 2000',
    'error two 6000',
    'warning three 2000',
  ]);
  stop();
  toast.info('four');
  expect(toastsWaiting()).toBe(true);
});

test('ends a toast with its cause, shown or waiting', () => {
  const ended: string[] = [];
  const stop = drawToasts({ show: () => {}, end: (text) => void ended.push(text) });
  toast.error('Couldn’t save')();
  expect(ended).toEqual(['Couldn’t save']);
  stop();
  toast.error('Couldn’t load')();
  const drawn: Toast[] = [];
  drawToasts({ show: (each) => void drawn.push(each), end: () => {} })();
  expect(drawn.map(({ text }) => text)).not.toContain('Couldn’t load');
});
