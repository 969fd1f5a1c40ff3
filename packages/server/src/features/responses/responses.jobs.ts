/** Jobs of the ledger: overdue approvals, requests and isolations. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { scoped } from '../../core/db/scope.ts';
import type { ResponsesDeps } from './responses.ledger.ts';
import { eachDue } from './responses.locks.ts';
import { endOverdue } from './responses.reports.ts';
import { kindOf } from './responses.rules.ts';
import { isDone, isEnded, isPending } from './responses.states.ts';
import { dropBlockTokens, updateResponse } from './responses.store.ts';

const blockTokenRetentionMs = dayMs;

/** Job of each minute: ends or approves requests whose approval is overdue, expires overdue requests, deletes old block tokens. */
export const createExpiryJob = (deps: ResponsesDeps) => async () => {
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
    if (response.is_manual) await ledger.end(tx, undefined, locked, 'expired', 'Not confirmed within 24 hours.');
    else await endOverdue(tx, deps, locked);
  });
  await scoped(db, 'system', (tx) => dropBlockTokens(tx, new Date(clock.now() - blockTokenRetentionMs)));
};

/** Job of each minute: requests the opposite of actions whose time is over. */
export const createReleaseJob = (deps: ResponsesDeps) => () =>
  eachDue(deps, 'release', async (tx, { record, response }) => {
    if (response.release_at === null || response.release_at > new Date(deps.clock.now())) return;
    await updateResponse(tx, response, { release_at: null });
    const { opposite } = kindOf(response);
    // A failed or expired action may hold on some of its devices.
    if (opposite && (isDone(response) || isEnded(response)))
      await deps.ledger.request(tx, undefined, record, {
        organisationId: response.organisation_id,
        action: opposite,
        target: response.target,
        deviceName: response.device_name,
        note: 'Automatic release.',
        undoes: response,
      });
  });
