/**
 * A client's answer to an escalation by the emailed link (spec §4, §8). Sends automatically after a visible countdown that
 * can be cancelled. Waits for a press where the organisation requires one or the check fails, because email scanners open links too.
 * The state lives outside the components, so that a remounted page continues where it was and sends its answer once. Calls the endpoints
 * directly, because this public page loads without TanStack Query.
 */
import type { emailActionTexts } from '@parapet/contract/caseMails.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type Call, unreachable } from '../../lib/call.ts';
import type { CaseLink } from '../../lib/caseLink.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';
import { createStore } from '../../lib/store.ts';

/** Copy of the contract's texts, held by a test; importing them would load all of its schemas. */
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
  | { step: 'loading' }
  | { step: 'waiting' }
  | { step: 'counting' }
  | { step: 'sending' }
  | { step: 'done' }
  /** Rejected by the server; retrying can't succeed. */
  | { step: 'refused'; text: string }
  /** Retry possible. `detail`: message of the server. */
  | { step: 'failed'; text: string; detail?: string };

interface Deps {
  call: Call;
  setTimer: (work: () => void, ms: number) => () => void;
}

export function createAnswer({ caseId, action, token }: CaseLink, { call, setTimer }: Deps) {
  const store = createStore<AnswerState>(caseId && action && token ? { step: 'loading' } : { step: 'missing' });
  const { get: state, set: become, subscribe } = store;
  let stop = () => {};
  let hasBegun = false;

  const send = async () => {
    if (state().step === 'sending' || state().step === 'done') return;
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
    state,
    subscribe,
    /** Starts once; later calls come from remounts of the same page. */
    async start() {
      if (hasBegun || state().step !== 'loading') return;
      hasBegun = true;
      const { needsPress } = await call(endpointDescriptors.answerNeedsPress, { body: { token } }).catch(() => ({
        needsPress: true,
      }));
      if (needsPress) return become({ step: 'waiting' });
      become({ step: 'counting' });
      stop = setTimer(() => void send(), pauseMs);
    },
    cancel() {
      if (state().step !== 'counting') return;
      stop();
      become({ step: 'waiting' });
    },
    send,
  };
}

/** State after a status other than 200, or after no response at all (spec §8). */
function failureOf(error: unknown): AnswerState {
  if (error instanceof Problem && error.message !== unreachable)
    return { step: 'failed', text: texts.failed, detail: error.message };
  return { step: 'failed', text: error instanceof Error && error.message ? error.message : texts.unexpected };
}
