/** Endings without the action taken: pending → expired after its time; pending → failed as refused, impossible or reported by its agents. */
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { LedgerDeps, LockedResponse } from './responses.deps.ts';
import type { StepLog } from './responses.history.ts';
import type { Ledger } from './responses.ledger.ts';
import { eachDue } from './responses.locks.ts';
import { textOf } from './responses.rules.ts';
import { isPending, pending, type Transition } from './responses.states.ts';
import { applyTransition, dropBlockTokens, type ResponseRecord, settleTasks, updateResponse } from './responses.store.ts';

const ending = { from: pending, to: ['failed', 'expired'] } satisfies Transition;

const retryReleaseMs = 3_600_000;
const blockTokenRetentionMs = 24 * 3_600_000;

export const createEnding =
  ({ clock, agents, log }: LedgerDeps & { log: StepLog }) =>
  async (
    tx: Tx,
    actor: Actor | undefined,
    { record, response }: Pick<LockedResponse, 'record' | 'response'>,
    state: (typeof ending.to)[number],
    detail: string,
  ): Promise<ResponseRecord> => {
    const at = new Date(clock.now());
    await settleTasks(tx, response, false);
    await agents.cancelTasks(tx, response.id, at);
    const ended = await applyTransition(tx, response, ending, { state, at, by: actor, detail });
    // An automatic release that failed is repeated: what it should have undone still holds.
    if (response.requested_by === null && response.undoes_id !== null)
      await updateResponse(
        tx,
        { id: response.undoes_id, organisation_id: response.organisation_id },
        { release_at: new Date(clock.now() + retryReleaseMs) },
      );
    await log(tx, actor, record, response, {
      action: `response.${state}`,
      text: `${textOf(response)} ${state}${detail ? `: ${detail}` : ''}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state, detail },
    });
    return ended;
  };

/** Job of each minute: ends or approves requests whose approval is overdue, expires overdue requests, deletes old block tokens. */
export const createExpiryJob = (deps: { db: Database; ledger: Ledger } & Pick<LedgerDeps, 'clock' | 'cases'>) => async () => {
  const { db, clock, ledger } = deps;
  const now = () => new Date(clock.now());
  await eachDue(deps, 'approval', async (tx, locked) => {
    const { response } = locked;
    if (response.state !== 'requested' || response.approvals_needed === 0 || response.approve_until! > now()) return;
    if (response.silence === 'expire') await ledger.end(tx, undefined, locked, 'expired', 'Not approved in time.');
    else await ledger.approve(tx, undefined, locked);
  });
  await eachDue(deps, 'expiry', async (tx, locked) => {
    const { response } = locked;
    if (!isPending(response) || response.expires_at > now()) return;
    const detail = response.is_manual ? 'Not confirmed within 24 hours.' : 'Not executed by its agent within 24 hours.';
    await ledger.end(tx, undefined, locked, 'expired', detail);
  });
  await scoped(db, 'system', (tx) => dropBlockTokens(tx, new Date(clock.now() - blockTokenRetentionMs)));
};
