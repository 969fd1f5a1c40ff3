/**
 * Requests the user to confirm their identity, for a call that the server refuses until then. The dialog is loaded with the first request.
 * Calls that wait at the same time share one dialog.
 */
import type { StepUpMethod } from '@parapet/contract/problem.ts';
import { createStore } from './store.ts';

export interface StepUpRequest {
  /** Accepted proofs, besides single sign-on where the brand has it. */
  methods: readonly StepUpMethod[];
}

export type StepUp = ReturnType<typeof createStepUp>;

export function createStepUp() {
  const { get: current, set: become, subscribe } = createStore<StepUpRequest | undefined>(undefined);
  let answer: Promise<boolean> | undefined;
  let resolve = (_isProven: boolean) => {};
  return {
    current,
    subscribe,
    /** Resolves with true after the confirmation, with false when the user cancels. */
    prompt(methods: readonly StepUpMethod[]): Promise<boolean> {
      if (answer) return answer;
      answer = new Promise((done) => {
        resolve = done;
      });
      become({ methods });
      return answer;
    },
    settle(isProven: boolean): void {
      if (!answer) return;
      answer = undefined;
      become(undefined);
      resolve(isProven);
    },
  };
}

export const stepUp = createStepUp();
