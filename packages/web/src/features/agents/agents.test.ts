import { collectorKinds, collectorStates } from '@parapet/contract/agents.ts';
import { expect, test } from 'vitest';
import { reasonLabel } from '../../lib/intake.ts';
import { collectorList, kindsInOrder, rowIdOf, statesInOrder } from './agentFilters.ts';
import { linuxCommand } from './install.ts';
import { intakeOf } from './intake.ts';

const { read, isFiltered } = collectorList;

test('returns the default list for an empty address', () => {
  const filters = read({});
  expect(filters).toEqual({ text: '', kind: [], state: [], page: 1, pageSize: 50 });
  expect(isFiltered(filters)).toBe(false);
});

test('parses every filter and ignores invalid values', () => {
  const parsed = read({ text: ' web ', kind: 'beat,Agent,toaster', state: 'silent,up', page: '3', pageSize: '25' });
  expect(parsed).toEqual({ text: 'web', kind: ['agent', 'beat'], state: ['silent'], page: 3, pageSize: 25 });
  expect(read({ kind: 'constructor', state: '__proto__', page: '0', pageSize: '7' })).toEqual(read({}));
});

test.each([
  ['text', 'a'],
  ['kind', 'agent'],
  ['state', 'stale'],
])('counts %s as a filter', (name, value) => {
  expect(isFiltered(read({ [name]: value }))).toBe(true);
});

test('orders every kind and state', () => {
  expect([...kindsInOrder].sort()).toEqual([...collectorKinds].sort());
  expect([...statesInOrder].sort()).toEqual([...collectorStates].sort());
});

test('gives two agents of one device different row ids', () => {
  const deviceUuid = '0b0e7f5e-0000-4000-8000-000000000001';
  expect(rowIdOf({ deviceUuid, agentID: 1 })).not.toBe(rowIdOf({ deviceUuid, agentID: 2 }));
  expect(rowIdOf({ deviceUuid, agentID: null })).toBe(`${deviceUuid}.`);
});

test('separates accepted events from drops, most frequent first', () => {
  const intake = [
    { reason: 'too-deep', count: 1 },
    { reason: 'stored', count: 90 },
    { reason: 'not-json', count: 7 },
    { reason: 'duplicate', count: 4 },
    { reason: 'reserved', count: 0 },
  ];
  expect(intakeOf(intake)).toEqual({
    stored: 90,
    duplicate: 4,
    dropped: [
      { reason: 'not-json', count: 7 },
      { reason: 'too-deep', count: 1 },
    ],
  });
  expect(intakeOf([])).toEqual({ stored: 0, duplicate: 0, dropped: [] });
  expect(reasonLabel('a new one')).toBe('a new one');
});

test.each([
  [
    'https://portal.example',
    'curl -fsSL https://portal.example/agent/install.sh | sudo sh -s -- --server https://portal.example --token pe_a',
  ],
  [
    'http://127.0.0.1:8790',
    'curl -fsSL http://127.0.0.1:8790/agent/install.sh | sudo sh -s -- --server http://127.0.0.1:8790 --token pe_a --allow-http',
  ],
])('builds the install command for %s', (origin, line) => {
  expect(linuxCommand(origin, 'pe_a')).toBe(line);
});
