/** Calls of the isolation probe: each that reads, with a value for each parameter. */
import { endpoints } from '@parapet/contract/api.ts';
import { expect, test } from 'vitest';
import { leftOut, namesOf, probed, requestOf } from './isolation.calls.ts';
import type { Marks } from './isolation.marks.ts';

test('covers every call of the contract that reads, or gives a reason', () => {
  const others = endpoints.filter(
    ({ id, method, allow, answers }) =>
      method === 'GET' && allow !== 'anyone' && answers !== 'redirect' && !probed.some((call) => call.id === id),
  );
  expect(others.map(({ id }) => id).sort()).toEqual(Object.keys(leftOut).sort());
});

const marks = new Proxy({ alertAt: new Date() } as Marks, { get: (of, name) => (name in of ? of[name as 'alertAt'] : 7) });
const about = { organisationId: 10, marks, now: new Date(), start: new Date(), end: new Date() };

test.each(probed.map((endpoint) => [endpoint.id, endpoint] as const))('fills every parameter of %s', (_id, endpoint) => {
  expect(requestOf(endpoint, about).url).not.toContain('undefined');
});

test('tells calls about an organisation, about an object and about oneself apart', () => {
  const kindOf = (id: string) => namesOf(probed.find((endpoint) => endpoint.id === id)!);
  expect(['alerts.list', 'cases.list', 'tags.list', 'organisations.details', 'cases.detail'].map(kindOf)).toEqual(
    Array(5).fill('organisation'),
  );
  expect(['outbox.get', 'cases.graph', 'alerts.detail', 'reports.getJob'].map(kindOf)).toEqual(Array(4).fill('object'));
  expect(['search.find', 'account.sessions', 'risk.clients'].map(kindOf)).toEqual(Array(3).fill('self'));
});
