/**
 * Asks whoever is signed in to confirm their identity, for a call that the server refuses until then. Only the request: the dialog that shows it is
 * loaded with the first one. Calls that wait at the same time share one dialog.
 */
import type { StepUpMethod } from '@parapet/contract/problem.ts';

export interface StepUpRequest {
  /** Proofs that the server takes, beside single sign-on where the brand has it. */
  methods: readonly StepUpMethod[];
}

export type StepUp = ReturnType<typeof createStepUp>;

export function createStepUp() {
  let request: StepUpRequest | undefined;
  let answer: Promise<boolean> | undefined;
  let resolve = (_isProven: boolean) => {};
  const listeners = new Set<() => void>();
  const become = (next: StepUpRequest | undefined) => {
    request = next;
    for (const listener of listeners) listener();
  };
  return {
    current: () => request,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Whether the identity was confirmed; false where the person cancels. */
    ask(methods: readonly StepUpMethod[]): Promise<boolean> {
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
