/** Texts of response actions and their states (spec §8): only observed effects count as done. */
import type { Response } from '@parapet/contract/caseDetail.ts';

type Action = Response['action'];
type State = Response['state'];

const texts: Record<Action, { name: string; done: string; failed: string }> = {
  isolate: {
    name: 'Isolate device',
    done: 'Device has been successfully isolated',
    failed: 'Failed to isolate device!',
  },
  unisolate: {
    name: 'Unisolate device',
    done: 'Device has been successfully unisolated',
    failed: 'Failed to unisolate device!',
  },
  blockUser: { name: 'Block user', done: 'User has been successfully blocked', failed: 'Failed to block user!' },
  unblockUser: { name: 'Unblock user', done: 'User has been successfully unblocked', failed: 'Failed to unblock user!' },
  block: { name: 'Block', done: 'Block was acknowledged', failed: 'Failed to block!' },
  unblock: { name: 'Unblock', done: 'Unblock was acknowledged', failed: 'Failed to unblock!' },
  disable: { name: 'Disable', done: 'Disable was acknowledged', failed: 'Failed to disable!' },
  reenable: { name: 'Reenable', done: 'Reenable was acknowledged', failed: 'Failed to reenable!' },
  killProcess: { name: 'End process', done: 'Process has been ended', failed: 'Failed to end process!' },
  collectFile: { name: 'Collect file', done: 'File has been collected', failed: 'Failed to collect file!' },
  revokeSessions: { name: 'Revoke sessions', done: 'Sessions have been revoked', failed: 'Failed to revoke sessions!' },
  resetFactors: {
    name: 'Reset sign-in factors',
    done: 'Sign-in factors have been reset',
    failed: 'Failed to reset sign-in factors!',
  },
};
export const responseTexts = (action: Action) => texts[action];

export const stateText: Record<State, { word: string; meaning: string }> = {
  requested: { word: 'Requested', meaning: 'Waiting for approval. No action taken yet.' },
  approved: { word: 'Approved', meaning: 'Approved as a manual task, to be completed and confirmed.' },
  sent: {
    word: 'Sent',
    meaning: 'Sent to the agent or the client’s service, no result yet. Offline devices get it when they reconnect.',
  },
  acknowledged: { word: 'Acknowledged', meaning: 'Reported as done, not yet verified.' },
  verified: {
    word: 'Verified',
    meaning: 'Done, and verified: by the agent, by the client’s service, or by a user with a note.',
  },
  failed: { word: 'Failed', meaning: 'Refused, or not possible.' },
  expired: { word: 'Expired', meaning: 'Not completed before it expired.' },
  released: { word: 'Released', meaning: 'Cancelled, undone or released.' },
};

export const isPending = (state: State) => state === 'requested' || state === 'approved' || state === 'sent';
export const isHeld = (state: State) => state === 'acknowledged' || state === 'verified';
const isFailed = (state: State) => state === 'failed' || state === 'expired';

interface Outcome {
  text: string;
  isDone: boolean;
}

/**
 * Outcomes between two reads of the ledger: requests that were pending and are now done or failed. With a complete ledger (`isWhole`), new
 * entries count as pending before, as an agent may finish between two polls.
 */
export function responseOutcomes(
  before: readonly Pick<Response, 'id' | 'state'>[],
  after: readonly Pick<Response, 'id' | 'state' | 'action'>[],
  isWhole = false,
): Outcome[] {
  const old = new Map(before.map(({ id, state }) => [id, state]));
  return after.flatMap(({ id, state, action }): Outcome[] => {
    const was = old.get(id) ?? (isWhole ? 'requested' : undefined);
    if (was === undefined || !isPending(was)) return [];
    if (isHeld(state)) return [{ text: texts[action].done, isDone: true }];
    return isFailed(state) ? [{ text: texts[action].failed, isDone: false }] : [];
  });
}

/** Effect on the target; completes a sentence that starts with its name. */
export const consequences: Record<Action, string> = {
  isolate: 'is isolated from the network except for the portal.',
  unisolate: 'is reconnected to the network.',
  blockUser: 'can no longer sign in once the request is executed, and active sessions end.',
  unblockUser: 'can sign in again once the request is executed.',
  block: 'is blocked.',
  unblock: 'is no longer blocked.',
  disable: 'can no longer sign in once the request is executed, and active sessions end.',
  reenable: 'can sign in again once the request is executed.',
  killProcess: 'is ended if it is still the named program.',
  collectFile: 'is copied to the portal, which never opens it.',
  revokeSessions: 'has to sign in again on all devices once the request is executed.',
  resetFactors: 'has to enrol new factors at the next sign-in.',
};

const undoes: Partial<Record<Action, Action>> = { isolate: 'unisolate', blockUser: 'unblockUser' };

/** Pending request that performs or undoes the action on the target. */
export function pendingFor(
  responses: readonly Response[],
  action: 'isolate' | 'blockUser',
  target: string,
): Response | undefined {
  const name = target.toLowerCase();
  return responses.find(
    (each) =>
      (each.action === action || each.action === undoes[action]) && each.target.toLowerCase() === name && isPending(each.state),
  );
}

/** Outstanding approvals; undefined when none are needed. */
export const approvalText = (needed: number): string | undefined =>
  needed === 0 ? undefined : needed === 1 ? 'Needs 1 approval' : `Needs ${needed} approvals`;
