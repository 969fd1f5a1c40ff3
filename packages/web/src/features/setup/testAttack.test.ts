import { setupApi } from '@parapet/contract/setup.ts';
import { expect, test } from 'vitest';
import { newTestDevice, secondsText, testAttackLines } from './testAttack.ts';

test('a test device has a name of its own, which the call accepts', () => {
  const names = new Set(Array.from({ length: 50 }, newTestDevice));
  expect(names.size).toBe(50);
  for (const device of names) expect(setupApi.attack.params!.safeParse({ client: 1, device }).success).toBe(true);
});

test('the events are lines of a bulk request that name the device', () => {
  const [action, event, end] = testAttackLines('setup-test-abcd', new Date(0)).split('\n');
  expect(action).toBe('{"create":{}}');
  expect(JSON.parse(event!)).toMatchObject({ '@timestamp': '1970-01-01T00:00:00.000Z', host: { name: 'setup-test-abcd' } });
  expect(end).toBe('');
});

test.each([
  [0, '0.0 s'],
  [840, '0.8 s'],
  [12_300, '12 s'],
])('%i ms are %s', (ms, text) => {
  expect(secondsText(ms)).toBe(text);
});
