/** What is said of an answer on a device or account: asked for, done, failed (spec §8; decision 14: nothing is done that was not observed). */
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
};
export const responseTexts = (action: Action) => texts[action];

export const stateText: Record<State, { word: string; meaning: string }> = {
  requested: { word: 'Requested', meaning: 'Asked for; it waits for approval. Nothing was done yet.' },
  approved: { word: 'Approved', meaning: 'It may be done: a person does it by hand and confirms.' },
  sent: { word: 'Sent', meaning: 'Given to the agent on the device; no answer yet. An offline device gets it when it is back.' },
  acknowledged: { word: 'Acknowledged', meaning: 'Whoever did it says that it was done; nobody has looked again yet.' },
  verified: { word: 'Verified', meaning: 'It was done, and a later look at the device shows it.' },
  failed: { word: 'Failed', meaning: 'It was refused, or could not be done.' },
  expired: { word: 'Expired', meaning: 'Nobody did it in time.' },
  released: { word: 'Released', meaning: 'It was taken back, or does not hold any more.' },
};

export const isPending = (state: State) => state === 'requested' || state === 'approved' || state === 'sent';
export const isHeld = (state: State) => state === 'acknowledged' || state === 'verified';
const isFailed = (state: State) => state === 'failed' || state === 'expired';

interface News {
  text: string;
  isDone: boolean;
}

/**
 * What became known between two looks at the ledger: of requests that were pending, those that are done or failed now. Where the whole ledger
 * is seen, one that was not there before was asked for in between: an agent may be quicker than the next look.
 */
export function ledgerNews(
  before: readonly Pick<Response, 'id' | 'state'>[],
  after: readonly Pick<Response, 'id' | 'state' | 'action'>[],
  isWhole = false,
): News[] {
  const old = new Map(before.map(({ id, state }) => [id, state]));
  return after.flatMap(({ id, state, action }): News[] => {
    const was = old.get(id) ?? (isWhole ? 'requested' : undefined);
    if (was === undefined || !isPending(was)) return [];
    if (isHeld(state)) return [{ text: texts[action].done, isDone: true }];
    return isFailed(state) ? [{ text: texts[action].failed, isDone: false }] : [];
  });
}

/** What it means for whom it is about, before it is asked for; also the sentence of the question. */
export const consequences: Record<Action, string> = {
  isolate: 'is cut from the network, save for the way to the portal.',
  unisolate: 'is let back to its network.',
  blockUser: 'cannot sign in any more as soon as the request is carried out, and sessions end.',
  unblockUser: 'can sign in again as soon as the request is carried out.',
  block: 'is blocked.',
  unblock: 'is no longer blocked.',
  disable: 'cannot sign in any more as soon as the request is carried out, and sessions end.',
  reenable: 'can sign in again as soon as the request is carried out.',
  killProcess: 'is ended, if it still is the program that was named.',
  collectFile: 'is copied to the portal, which never opens it.',
};

const undoes: Partial<Record<Action, Action>> = { isolate: 'unisolate', blockUser: 'unblockUser' };

/** The request for a device or user that is still on its way, whether to do it or to take it back. */
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

/** How many must still approve; nothing where nobody must. */
export const approvalText = (needed: number): string | undefined =>
  needed === 0 ? undefined : needed === 1 ? 'Needs one approval' : `Needs ${needed} approvals`;
