/** Responses as people request and confirm them in a case, the reports of agents, and the jobs of the ledger. */
import type { Response } from '@parapet/contract/caseDetail.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { responsesApi } from '@parapet/contract/responses.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { createBlocking } from './responses.blocking.ts';
import { createExpiryJob, createReleaseJob } from './responses.jobs.ts';
import type { ResponsesDeps } from './responses.ledger.ts';
import { inRetriedTx, lockWithCase } from './responses.locks.ts';
import { createReports } from './responses.reports.ts';
import { isPending } from './responses.states.ts';
import { findDeviceOfCase, type ResponseRecord, showResponse } from './responses.store.ts';
import { createCaseTasks } from './responses.tasks.ts';

export type ResponsesService = ReturnType<typeof createResponsesService>;

export function createResponsesService(deps: ResponsesDeps) {
  const { db, ledger, cases } = deps;
  return {
    ...createReports(deps),
    ...createBlocking(deps),
    ...createCaseTasks(deps),
    expire: createExpiryJob(deps),
    release: createReleaseJob(deps),

    async isolateHost(
      actor: Actor,
      {
        caseID,
        deviceID,
        isIsolated,
        acknowledgesWarning,
      }: { caseID: number; deviceID: string; isIsolated: boolean; acknowledgesWarning?: boolean },
    ): Promise<AnswerOf<typeof responsesApi.isolateHost>> {
      const scope = scopeOf(actor);
      return inRetriedTx(db, scope, async (tx) => {
        const record = await cases.lock(tx, scope, caseID);
        const target = await findDeviceOfCase(tx, record, deviceID);
        if (target === undefined) throw problem.notFound('device in the alerts of this case named', deviceID);
        const { response } = await ledger.request(tx, actor, record, {
          organisationId: record.organisation_id,
          action: isIsolated ? 'isolate' : 'unisolate',
          target,
          acknowledgesWarning,
        });
        return { isolateResult: true, response: await showResponse(tx, scope, response) };
      });
    },

    async acknowledge(
      actor: Actor,
      { id, isDone, isVerified, note }: { id: number; isDone: boolean; isVerified: boolean; note: string },
    ): Promise<Response> {
      if (isDone && isVerified && note === '') throw problem.invalid({ note: ['Enter how the effect was verified.'] });
      const scope = scopeOf(actor);
      return inRetriedTx(db, scope, async (tx) => {
        const locked = await lockWithCase(tx, cases, scope, id);
        if (!locked) throw problem.notFound('response', id);
        const { response } = locked;
        if (isDone && isVerified && response.is_manual && response.state === 'acknowledged') {
          await ledger.verify(tx, actor, locked, note);
          return showResponse(tx, scope, { ...response, state: 'verified', detail: note });
        }
        if (response.state === (isDone ? 'acknowledged' : 'failed')) return showResponse(tx, scope, response);
        checkConfirmable(response);
        return showResponse(
          tx,
          scope,
          isDone
            ? await ledger.complete(tx, actor, locked, { state: isVerified ? 'verified' : 'acknowledged', detail: note })
            : await ledger.end(tx, actor, locked, 'failed', note),
        );
      });
    },
  };
}

/** Throws conflict for a request that no person can confirm now. */
function checkConfirmable(response: ResponseRecord): void {
  if (!isPending(response))
    throw problem.conflict(
      `Response ${response.id} is already ${response.state}. Check the case and create a new request if needed.`,
    );
  if (response.approvals_needed > 0 && response.state === 'requested')
    throw problem.conflict(
      `Response ${response.id} is waiting for approval and must not be executed yet. ${response.rule_text}`.slice(0, 2000),
    );
  if (!response.is_manual)
    throw problem.conflict(
      `Response ${response.id} was sent to the agent on its device, which reports its completion. To execute it manually, cancel the request first.`,
    );
}
