/** Fixture of cases: a partner with two clients, a user of each kind, and calls. */
import { casesApi } from '@parapet/contract/cases.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import type { CaseStatus } from '@parapet/contract/rules/cases.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { expect } from 'vitest';
import type { Clock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import { createBulkCases } from '../src/features/cases/cases.many.service.ts';
import { putDecision, requestReviews } from '../src/features/reviews/reviews.store.ts';
import { type TestUser, testApp } from './app.ts';

export const range = {
  start: new Date(Date.now() - 720 * hourMs).toISOString(),
  end: new Date(Date.now() + hourMs).toISOString(),
};

/** Bulk changes of cases without notices, reviewers or assignable analysts. */
export const bulkCasesOn = (clock: Clock) =>
  createBulkCases({
    clock,
    onChanged: async () => {},
    findAnalyst: async () => undefined,
    reviews: { requestReviews, putDecision },
  });

export async function casesWorld() {
  const t = await testApp();
  const partner = await t.organisation({ isPartner: true });
  const client = await t.organisation({ parentId: partner });
  const sibling = await t.organisation({ parentId: partner });
  const analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const colleague = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
  const clientAnalyst = await t.user({ organisationId: client, role: 'Analyst' });
  const stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Partner Analyst' });

  const ok = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user: TestUser) => {
    const answer = await t.call(endpoint, input, user);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  };
  const statusOf = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user?: TestUser) =>
    (await t.call(endpoint, input, user)).statusCode;
  const list = (user: TestUser, body: Partial<InputOf<typeof casesApi.list>['body']> = {}) =>
    ok(casesApi.list, { body: { selectedClientOrganizationID: client, ...range, ...body } }, user);
  const detail = (user: TestUser, id: number, clientOrgId = client) => ok(casesApi.detail, { params: { id, clientOrgId } }, user);
  const row = (id: number) =>
    scoped(t.db, 'system', (tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
  const history = (id: number) =>
    scoped(t.db, 'system', (tx) => tx.selectFrom('case_history').selectAll().where('case_id', '=', id).orderBy('id').execute());
  const audit = (action: string, target: number) =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', action).where('target', '=', String(target)).execute(),
    );
  const setStatus = (id: number, caseStatus: CaseStatus, user = analyst, version?: number) =>
    t.call(casesApi.changeStatus, { body: { incidentID: id, caseStatus, ...(version !== undefined && { version }) } }, user);
  return {
    t,
    partner,
    client,
    sibling,
    analyst,
    colleague,
    clientAdmin,
    clientAnalyst,
    stranger,
    ok,
    statusOf,
    list,
    detail,
    row,
    history,
    audit,
    setStatus,
  };
}
