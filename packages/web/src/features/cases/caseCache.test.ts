import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { knownCase, patchCase, versionAsSeen } from './caseCache.ts';
import { type CaseLike, closingStatus, statusRefusal } from './caseTexts.ts';

const row = (more: Partial<CaseRow>) =>
  ({ id: 7, version: 3, status: 'open', analyst: null, analystUserAccountID: null, investigationStatus: 1, ...more }) as CaseRow;
const detail = (info: object) =>
  ({
    caseGeneralInfo: { id: 7, version: 3, status: 'open', analyst: null, assignedToUserAccount: null, ...info },
  }) as unknown as CaseDetail;

const listKey = [casesApi.list.id, { body: {} }];
const detailKey = [casesApi.detail.id, { params: { id: 7, clientOrgId: 0 } }];

test('patches the case in lists and on its page only', () => {
  const queries = new QueryClient();
  const other = row({ id: 8 });
  queries.setQueryData(listKey, { results: [row({}), other], total: 2 });
  queries.setQueryData(detailKey, detail({}));
  patchCase(queries, 7, { status: 'assigned', analyst: 'A. Lima', analystUserAccountID: 5 });
  const list = queries.getQueryData<{ results: CaseRow[] }>(listKey)!;
  expect(list.results[0]).toMatchObject({ status: 'assigned', analyst: 'A. Lima', version: 3 });
  expect(list.results[1]).toBe(other);
  expect(queries.getQueryData<CaseDetail>(detailKey)!.caseGeneralInfo).toMatchObject({
    status: 'assigned',
    analyst: 'A. Lima',
    assignedToUserAccount: { id: 5, displayName: 'A. Lima' },
  });
  patchCase(queries, 7, { analyst: null, analystUserAccountID: null });
  expect(queries.getQueryData<CaseDetail>(detailKey)!.caseGeneralInfo).toMatchObject({
    analyst: null,
    assignedToUserAccount: null,
  });
});

test('returns the newest cached version', () => {
  const queries = new QueryClient();
  expect(knownCase(queries, 7)).toBeUndefined();
  queries.setQueryData(listKey, { results: [row({ version: 3 })], total: 1 });
  queries.setQueryData(detailKey, detail({ version: 4, assignedToUserAccount: { id: 5 } }));
  expect(knownCase(queries, 7)).toMatchObject({ version: 4, analystUserAccountID: 5 });
});

test('sends a change again only where no person changed the case', async () => {
  const seen = { id: 7, clientOrganizationID: 2, status: 'open', investigationStatus: 1, analystUserAccountID: null } as CaseLike;
  const versionOf = (info: object) => {
    vi.stubGlobal('fetch', async () => Response.json(detail({ investigationStatus: 1, version: 9, ...info })));
    return versionAsSeen(new QueryClient(), seen);
  };
  expect(await versionOf({ verdict: 'Malicious' })).toBe(9);
  expect(await versionOf({ status: 'assigned' })).toBeUndefined();
  expect(await versionOf({ assignedToUserAccount: { id: 5 } })).toBeUndefined();
  expect(await versionOf({ investigationStatus: 3 })).toBeUndefined();
  vi.stubGlobal('fetch', async () => Response.json({ error: 'Not found.' }, { status: 404 }));
  expect(await versionAsSeen(new QueryClient(), seen)).toBeUndefined();
});
afterEach(() => vi.unstubAllGlobals());

test('returns possible next statuses, or the reason against one', () => {
  expect(closingStatus('open')).toBe('closed');
  expect(closingStatus('escalated')).toBe('escalated:closed');
  expect(closingStatus('malicious')).toBe('closed');
  expect(closingStatus('closed')).toBeUndefined();
  expect(statusRefusal('escalated', 'closed')).toBe('Can’t follow Escalated');
  expect(statusRefusal('open', 'open')).toBe('Current status');
  expect(statusRefusal('open', 'closed')).toBeUndefined();
});
