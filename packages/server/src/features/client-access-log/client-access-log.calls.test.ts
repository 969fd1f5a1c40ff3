/** Calls of the access log: each that reads has a kind, or a reason to have none. */
import { endpoints } from '@parapet/contract/api.ts';
import { sensitiveViews } from '@parapet/contract/rules/client-access-log.ts';
import { expect, test } from 'vitest';
import { accessKindByCall, kindOf, subjectOf, withoutData } from './client-access-log.calls.ts';

const without = endpoints.filter(({ method, id }) => method === 'GET' && !accessKindByCall.has(id)).map(({ id }) => id);

test('assigns a kind to every call that reads data of a client', () => {
  const groups = new Set(without.filter((id) => !(id in withoutData)).map((id) => id.split('.')[0]));
  expect([...groups].sort()).toEqual([
    'account',
    'advisoryFeeds',
    'analystTime',
    'assistants',
    'auth',
    'brand',
    'bulk',
    'intelligence',
    'intelligenceFeeds',
    'operations',
    'rulePacks',
    'secondFactor',
    'syslog',
    'users',
    'vendorApplications',
    'views',
  ]);
  // Pictures by a signed address.
  expect(without.filter((id) => id.startsWith('users.'))).toEqual(['users.clientRoles', 'users.picture']);
  expect(Object.keys(withoutData).filter((id) => !without.includes(id))).toEqual([]);
  expect(() => kindOf({ ...endpoints.find(({ id }) => id === 'alerts.list')!, id: 'things.list' })).toThrow('no kind');
});

test('records sensitive views only at calls that read', () => {
  const sensitive = endpoints.filter((endpoint) => endpoint.sensitive !== null);
  expect(new Set(sensitive.map((endpoint) => endpoint.sensitive))).toEqual(new Set(sensitiveViews));
  expect(sensitive.filter(({ id }) => !accessKindByCall.has(id))).toEqual([]);
});

test.each([
  ['alerts.list', { params: { client: 7, start: '', end: '' } }, { client: 7 }],
  ['alerts.list', { params: { client: 0 } }, 'all'],
  ['tags.list', { params: {}, query: { selectedClientOrgID: 7 } }, { client: 7 }],
  ['cases.list', { body: { selectedClientOrganizationID: 7 } }, { client: 7 }],
  ['reviews.list', { body: { filter: { clientOrganizationID: 7 } } }, { client: 7 }],
  ['organisations.details', { params: { id: 7 } }, { client: 7 }],
  // The object holds over the organisation beside it.
  ['cases.detail', { params: { id: 5, clientOrgId: 7 } }, { object: 'case', id: 5 }],
  ['caseMails.listOfCase', { params: { clientOrgId: 7 }, query: { caseId: 5 } }, { object: 'case', id: 5 }],
  ['caseMails.preview', { body: { caseID: 5 } }, { object: 'case', id: 5 }],
  ['alerts.detail', { params: { alertId: 5 } }, { object: 'alert', id: 5 }],
  ['outbox.get', { params: { id: 5 } }, { object: 'mail', id: 5 }],
  ['eventExports.file', { params: { id: 5 } }, { object: 'eventExport', id: 5 }],
  ['reports.jobFile', { params: { job: 5 } }, { object: 'reportJob', id: 5 }],
  ['users.get', { params: { clientId: 7, userId: 5 } }, { client: 7 }],
  ['search.find', { query: { text: 'x' } }, 'all'],
  ['sapphire.chat', { body: { clientOrganizationID: 0 } }, 'all'],
  [
    'cases.answers',
    { params: { client: 0 }, answer: { results: [{ clientOrganizationID: 8 }, { clientOrganizationID: 7 }] } },
    { clients: [7, 8] },
  ],
  ['cases.answers', { params: { client: 0 }, answer: { results: [] } }, { clients: [] }],
  ['devices.get', { params: { client: 0, name: 'SRV' }, answer: { clientOrganizationID: 7 } }, { client: 7 }],
] as const)('finds the subject of %s', (id, input, subject) => {
  expect(subjectOf({ id }, input)).toEqual(subject);
});
