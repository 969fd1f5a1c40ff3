/**
 * States of a response: requested → approved → sent → acknowledged → verified; it ends as failed, expired or released. Each transition is declared in
 * the file that is named after it: request, approve, dispatch, complete, expire, undo, release.
 */
import type { Response } from '@parapet/contract/caseDetail.ts';
import { done, pending } from '../../domain/responseStates.ts';
import { kindOf } from './responses.rules.ts';

export type ResponseState = Response['state'];

/** States from which a transition may start, and those to which it leads. */
export interface Transition<To extends ResponseState = ResponseState> {
  from: readonly ResponseState[];
  to: readonly To[];
}

export const isPending = ({ state }: { state: string }): boolean => pending.some((each) => each === state);

export const isDone = ({ state }: { state: string }): boolean => done.some((each) => each === state);

export const isEnded = ({ state }: { state: string }): boolean => state === 'failed' || state === 'expired';

/** A completed action with an opposite; a failed or expired one may hold on some of its devices. */
export const isUndoable = (response: { action: string; state: string; release_at: Date | null }): boolean =>
  kindOf(response).opposite !== undefined &&
  !kindOf(response).isUndo &&
  (isDone(response) || (isEnded(response) && response.release_at !== null));
