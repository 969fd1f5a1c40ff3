/** What is said of an answer on a device or account: asked for, done, failed (spec §8; decision 14: nothing is done that was not observed). */
import type { CaseDetail, Response } from '@parapet/contract/cases.ts';

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
};
export const responseTexts = (action: Action) => texts[action];

export const stateText: Record<State, { word: string; meaning: string }> = {
  requested: { word: 'Requested', meaning: 'Asked for. Nothing was done yet.' },
  approved: { word: 'Approved', meaning: 'Approved, and not sent yet.' },
  sent: { word: 'Sent', meaning: 'Sent to where it is done; no answer yet.' },
  acknowledged: { word: 'Acknowledged', meaning: 'Whoever did it says that it was done.' },
  verified: { word: 'Verified', meaning: 'A later check-in shows it.' },
  failed: { word: 'Failed', meaning: 'It was refused, or could not be done.' },
  expired: { word: 'Expired', meaning: 'Nobody did it in time.' },
  released: { word: 'Released', meaning: 'It was done, and taken back since.' },
};

export const isPending = (state: State) => state === 'requested' || state === 'approved' || state === 'sent';
const isDone = (state: State) => state === 'acknowledged' || state === 'verified';
const isFailed = (state: State) => state === 'failed' || state === 'expired';

interface News {
  text: string;
  isDone: boolean;
}

/** What became known between two looks at the ledger: of requests that were pending, those that are done or failed now. */
export function ledgerNews(
  before: readonly Pick<Response, 'id' | 'state'>[],
  after: readonly Pick<Response, 'id' | 'state' | 'action'>[],
): News[] {
  const old = new Map(before.map(({ id, state }) => [id, state]));
  return after.flatMap(({ id, state, action }): News[] => {
    const was = old.get(id);
    if (was === undefined || !isPending(was)) return [];
    if (isDone(state)) return [{ text: texts[action].done, isDone: true }];
    return isFailed(state) ? [{ text: texts[action].failed, isDone: false }] : [];
  });
}

const undoes: Partial<Record<Action, Action>> = { isolate: 'unisolate', blockUser: 'unblockUser' };

/** The request for a device or user that is still on its way, whether to do it or to take it back. */
export function pendingFor(
  responses: CaseDetail['responses'],
  action: 'isolate' | 'blockUser',
  target: string,
): Response | undefined {
  const name = target.toLowerCase();
  return responses.find(
    (each) =>
      (each.action === action || each.action === undoes[action]) && each.target.toLowerCase() === name && isPending(each.state),
  );
}
