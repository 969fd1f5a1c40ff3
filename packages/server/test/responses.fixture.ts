/** Fixture of responses: a partner with a client, users without isolations, devices, and calls. */
import { randomUUID } from 'node:crypto';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { responseRequestsApi as api, type ResponseDetail, type ResponseRow } from '@parapet/contract/responseRequests.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { expect } from 'vitest';
import { type Clock, movableClock } from '../src/core/clock.ts';
import type { Database } from '../src/core/db/connect.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { cancelTasks, queueTask } from '../src/features/agents/agents.tasks.ts';
import { createCaseAccess } from '../src/features/cases/cases.access.ts';
import { vendorTaskQueue } from '../src/features/connections/connections.tasks.ts';
import { createLedger } from '../src/features/responses/responses.ledger.ts';
import { createResponsesService } from '../src/features/responses/responses.service.ts';
import { type TestUser, testApp } from './app.ts';

type ResponseRequest = Partial<InputOf<typeof api.request>['body']> & { target: string };

/** The responses service on a clock of the test. */
export function responsesServiceOn(db: Database, clock: Clock) {
  const cases = createCaseAccess({ clock });
  const ledger = createLedger({ clock, agents: { queueTask, cancelTasks }, vendors: vendorTaskQueue, cases });
  return createResponsesService({ db, clock, ledger, cases });
}

export async function responsesWorld(environment: Record<string, string> = {}) {
  const t = await testApp(environment);
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  const partner = await t.organisation({ isPartner: true, parentId: 1 });
  const client = await t.organisation({ parentId: partner });
  let next = 0;

  const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
  const request = (by: TestUser, body: ResponseRequest) =>
    t.call(api.request, { body: { clientOrganizationID: client, action: 'isolate', ...body } }, by);
  return {
    t,
    partner,
    client,
    admin: await t.user({ organisationId: partner, role: 'Administrator' }),
    clientAdmin: await t.user({ organisationId: client, role: 'Administrator' }),
    reader: await t.user({ organisationId: client, role: 'Analyst' }),
    stranger: await t.user({ organisationId: await t.organisation({ parentId: 1 }), role: 'Administrator' }),
    system,
    newName: (start: string) => `${start}-${++next}`,
    analyst: (organisationId = partner, role = 'Partner Analyst') => t.user({ organisationId, role }),
    /** Adds the client's rules that waive approval, even for actions that need it by default. */
    async waiveApproval(organisationId = client) {
      const waived = [
        { action: 'isolate', device_type: 'server' },
        { action: 'killProcess', device_type: null },
        { action: 'collectFile', device_type: null },
      ];
      await system((tx) =>
        tx
          .insertInto('approval_rules')
          .values(
            waived.map((rule) => ({
              ...rule,
              organisation_id: organisationId,
              hours: 'always' as const,
              approvers: 'nobody' as const,
              persons: 1,
              silence: 'expire' as const,
              wait_minutes: 60,
              created_by: null,
            })),
          )
          .execute(),
      );
    },
    /** A separate client, for rules that would affect other tests. */
    aClient: () => t.organisation({ parentId: partner }),
    async aDevice(organisationId = client, more: { type?: string; mergedInto?: string } = {}) {
      const [id, name] = [randomUUID(), `Box-${++next}`];
      await system((tx) =>
        tx
          .insertInto('devices')
          .values({
            id,
            organisation_id: organisationId,
            name,
            device_type: more.type ?? 'workstation',
            last_event_at: new Date(),
            merged_into: more.mergedInto ?? null,
          })
          .execute(),
      );
      return { id, name };
    },
    request,
    async requestResponse(by: TestUser, body: ResponseRequest): Promise<ResponseRow> {
      const answer = await request(by, body);
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json();
    },
    approve: (by: TestUser, id: number, isApproved = true, note = '') =>
      t.call(api.approve, { params: { id }, body: { isApproved, note } }, by),
    undo: (by: TestUser, id: number) => t.call(api.undo, { params: { id }, body: {} }, by),
    confirm: (by: TestUser, id: number, isDone = true) =>
      t.call(responsesApi.acknowledge, { params: { id }, body: { isDone, note: '' } }, by),
    get: async (id: number, by: TestUser): Promise<ResponseDetail> => (await t.call(api.get, { params: { id } }, by)).json(),
    flagsOf: (value: string) =>
      system((tx) => tx.selectFrom('response_flags').selectAll().where('value_key', '=', value.toLowerCase()).execute()),
    /** The service on a clock ahead by `ms`. */
    later(ms: number) {
      return responsesServiceOn(t.db, movableClock(Date.now() + ms));
    },
  };
}
