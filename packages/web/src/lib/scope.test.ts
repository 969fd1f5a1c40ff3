import { describe, expect, test } from 'vitest';
import { resolveClient } from './scope.ts';

const staff = { ownId: 2, hasSelector: true, clientIds: [2, 10, 11] };
const client = { ownId: 10, hasSelector: false, clientIds: [10] };

/** Resolves client, device and timeframe from an address. */
describe.each<[string, typeof staff]>([
  ['staff', staff],
  ['client', client],
])('%s', (kind, who) => {
  const table: Record<
    string,
    [segment: string | undefined, chosen: string | undefined, takesDevice: boolean, expected: object][]
  > = {
    staff: [
      [undefined, undefined, false, { client: 0, isImplied: true }],
      [undefined, '11', false, { client: 11, isImplied: true }],
      [undefined, '999', false, { client: 0, isImplied: true }],
      [undefined, 'x', false, { client: 0, isImplied: true }],
      ['0', '11', false, { client: 0 }],
      ['10', '11', false, { client: 10 }],
      ['999', '11', false, { client: 11, isUnknown: true }],
      ['undefined', undefined, false, { client: 0, isUnknown: true }],
      ['10', undefined, true, { client: 10 }],
      ['999', '11', true, { client: 11, deviceName: '999' }],
      ['WS-01', undefined, true, { client: 0, deviceName: 'WS-01' }],
    ],
    client: [
      [undefined, undefined, false, { client: 10, isImplied: true }],
      [undefined, '11', false, { client: 10, isImplied: true }],
      ['0', undefined, false, { client: 10 }],
      ['11', undefined, false, { client: 10 }],
      ['10', undefined, true, { client: 10 }],
      ['0', undefined, true, { client: 10 }],
      ['11', undefined, true, { client: 10, deviceName: '11' }],
      ['WS-01', undefined, true, { client: 10, deviceName: 'WS-01' }],
    ],
  };
  test.each(table[kind]!)('resolves segment %s with choice %s, devices %s', (segment, chosen, takesDevice, expected) => {
    expect(resolveClient({ ...who, segment, chosen, takesDevice })).toEqual(expected);
  });
});
