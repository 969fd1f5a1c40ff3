import type { PastSearch, PastSearchClient } from '@parapet/contract/pastSearches.ts';
import { expect, test } from 'vitest';
import { gapsOf, hitCount, stateText, termsText } from './pastSearches.ts';

const client: PastSearchClient = {
  clientOrganizationID: 10,
  clientOrganizationName: 'Alder',
  state: 'done',
  events: 5,
  searchedTo: '2026-08-30T00:00:00.000Z',
  oldestTime: '2026-11-20T10:00:00.000Z',
  isPartial: false,
  archivedDays: 0,
  missingKinds: [],
  scannedDevices: 1,
  lost: 0,
  hits: 0,
};
const search = { kind: 'exploited', terms: 2, state: 'running', searched: 1, clients: 3, hits: 0, failure: '' } as PastSearch;

test('names each part of a client that could not be searched', () => {
  expect(gapsOf(client, 'indicators', 'UTC')).toEqual([]);
  expect(
    gapsOf({ ...client, isPartial: true, archivedDays: 2, missingKinds: ['ip', 'hash'], scannedDevices: 0 }, 'exploited', 'UTC'),
  ).toEqual([
    expect.stringMatching(/^Its events begin .*2026/),
    '2 days in the archive, not brought back.',
    'No event has addresses or hashes.',
    'No device’s packages are known.',
  ]);
  expect(gapsOf({ ...client, events: 0, oldestTime: null, isPartial: true }, 'rules', 'UTC')).toEqual([
    'It has no events in the range.',
  ]);
  expect(gapsOf({ ...client, state: 'failed', isPartial: true }, 'rules', 'UTC')).toEqual([
    expect.stringMatching(/^Not searched before .*2026.*: the events could not be read\.$/),
  ]);
});

test('words states, terms and counts', () => {
  expect([termsText(search), stateText(search)]).toEqual(['2 vulnerabilities', 'Searching: 1 of 3 clients']);
  expect(stateText({ ...search, state: 'done' })).toBe('Nothing found');
  expect(stateText({ ...search, state: 'failed', failure: 'Stopped after three attempts.' })).toBe(
    'Not completed. Stopped after three attempts.',
  );
  expect([hitCount({ kind: 'rule', count: 1 }), hitCount({ kind: 'finding', count: 2 })]).toEqual(['1 alert', '2 devices']);
});
