import type { AlertRow } from '@parapet/contract/alerts.ts';
import { bulkApi } from '@parapet/contract/bulk.ts';
import { expect, test } from 'vitest';
import { eventsAround, suppressionOf, whichOf } from './alertActions.ts';
import { alertList } from './alertList.ts';

const alert = {
  id: 7,
  clientOrganizationID: 10,
  ruleID: 'r1',
  deviceName: 'WS 01',
  userName: 'ALDER\\ana',
  createdTime: '2026-11-12T10:00:00.000Z',
  lastSeenTime: '2026-11-12T12:00:00.000Z',
} as AlertRow;

test('links to the device’s events around the alert', () => {
  expect(eventsAround(alert)).toBe(
    '/apps/events?client=10&device=WS+01&from=2026-11-12T09:00:00.000Z&until=2026-11-12T13:00:00.000Z',
  );
  expect(eventsAround({ ...alert, deviceName: null })).toContain('user=ALDER%5Cana');
});

test('caps the linked timeframe at the search limit', () => {
  const long = eventsAround({ ...alert, lastSeenTime: '2027-06-01T00:00:00.000Z' });
  expect(long).toContain('until=2026-12-13T09:00:00.000Z');
});

test('links to a prefilled suppression', () => {
  expect(suppressionOf(alert)).toBe('/apps/exceptions?client=10&new=1&rule=r1&device=WS+01&user=ALDER%5Cana');
  expect(suppressionOf({ ...alert, deviceName: null, userName: null })).toBe('/apps/exceptions?client=10&new=1&rule=r1');
});

const scope = { client: 10, start: '2026-11-01T00:00:00.000Z', end: '2026-11-21T00:00:00.000Z' };
const isTaken = (which: object) => bulkApi.alerts.body.safeParse({ which, change: { do: 'seen' } }).success;

test('selects single rows by id regardless of the current filters', () => {
  const older = { ...alert, id: 8, createdTime: '2026-02-01T00:00:00.000Z' };
  const which = whichOf(false, [alert, older], scope, alertList.read({ severity: ['high'] }));
  expect(which).toEqual({
    ids: [7, 8],
    selectedClientOrganizationID: 10,
    start: '2026-02-01T00:00:00.000Z',
    end: '2026-11-12T10:00:00.001Z',
  });
  expect(isTaken(which)).toBe(true);
});

test('selects all rows by the filter, including the device of a device’s list', () => {
  const which = whichOf(true, [alert], { ...scope, device: 'WS 01' }, alertList.read({ severity: ['high'], device: 'other' }));
  expect(which).toMatchObject({
    filters: { severity: ['high'], device: 'WS 01', status: [] },
    ...{ start: scope.start, end: scope.end },
  });
  expect(which).not.toHaveProperty('ids');
  expect(isTaken(which)).toBe(true);
});
