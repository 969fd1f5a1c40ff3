/**
 * A client's answer to an escalation by the mailed link (spec §4, §8; decision 12). The page acts by itself after a visible pause in which
 * it can be stopped; where the organisation wants it, or where it cannot be found out, it waits for a press, because mail scanners open
 * links too. All of it stands here, so that a page that is drawn anew goes on where it was and answers once.
 */
import type { emailActionTexts } from '@parapet/contract/caseMails.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type Call, unreachable } from '../../lib/call.ts';
import type { CaseLink } from '../../lib/caseLink.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';

/** The contract's; its types make sure of that, its code would bring all of its shapes. */
export const texts: typeof emailActionTexts = {
  updated: 'Case has been updated and notification sent.',
  onlyOne: 'Only one response is accepted',
  badRequest: 'Bad request',
  failed: 'An error occurred while updating the case.',
  missing: 'Invalid case information.',
  unexpected: 'An unexpected error occurred.',
};

export const pauseMs = 3000;

export type AnswerState =
  | { step: 'missing' }
  | { step: 'asking' }
  | { step: 'waiting' }
  | { step: 'counting' }
  | { step: 'sending' }
  | { step: 'done' }
  /** The server said no: nothing is gained by trying again. */
  | { step: 'refused'; text: string }
  /** It may work another time. `detail`: what the server said besides. */
  | { step: 'failed'; text: string; detail?: string };

interface Deps {
  call: Call;
  setTimer: (work: () => void, ms: number) => () => void;
}

export function createAnswer({ caseId, action, token }: CaseLink, { call, setTimer }: Deps) {
  let state: AnswerState = caseId && action && token ? { step: 'asking' } : { step: 'missing' };
  let stop = () => {};
  let hasBegun = false;
  const listeners = new Set<() => void>();
  const become = (next: AnswerState) => {
    state = next;
    for (const listener of listeners) listener();
  };

  const send = async () => {
    if (state.step === 'sending' || state.step === 'done') return;
    stop();
    become({ step: 'sending' });
    try {
      const { message, exception } = await call(endpointDescriptors.answerByLink, {
        query: { caseID: caseId, action },
        body: { caseId, action, token },
      });
      become(exception ? { step: 'refused', text: exception.Message || message || texts.badRequest } : { step: 'done' });
    } catch (error) {
      become(failureOf(error));
    }
  };

  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Once; what comes later is the same page drawn anew. */
    async start() {
      if (hasBegun || state.step !== 'asking') return;
      hasBegun = true;
      const { needsPress } = await call(endpointDescriptors.answerNeedsPress, { body: { token } }).catch(() => ({
        needsPress: true,
      }));
      if (needsPress) return become({ step: 'waiting' });
      become({ step: 'counting' });
      stop = setTimer(() => void send(), pauseMs);
    },
    cancel() {
      if (state.step !== 'counting') return;
      stop();
      become({ step: 'waiting' });
    },
    send,
  };
}

/** An answer with another status than 200, or none at all (spec §8). */
function failureOf(error: unknown): AnswerState {
  if (error instanceof Problem && error.message !== unreachable)
    return { step: 'failed', text: texts.failed, detail: error.message };
  return { step: 'failed', text: error instanceof Error && error.message ? error.message : texts.unexpected };
}
