/**
 * Verifies that tasks are signed with the task key pinned at enrolment, or at the first check-in for agents enrolled before
 * keys existed. Follows a new key only if each step to it is signed by its predecessor. Until a key is pinned, unsigned tasks
 * are accepted.
 */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import type { AgentTask, CheckIn, TaskKey } from '@parapet/contract/agentProtocol.ts';
import { taskKeyMessage, taskMessage } from '@parapet/contract/taskSignature.ts';

export type Refusal = NonNullable<CheckIn['refusedTasks']>[number];

export interface TaskTrust {
  /** Pinned public key; empty if none. */
  pinned(): string;
  /** Processes the portal's keys, oldest first, and pins the newest endorsed one. */
  learn(keys: readonly TaskKey[] | undefined): Promise<void>;
  /** Reason to refuse a task; undefined for valid tasks. `nonce`: the one sent with the request. */
  fault(task: AgentTask, nonce: string): string | undefined;
}

/** Maximum refused tasks waiting for a check-in. */
const maxRefusals = 20;

/** Refused tasks until a check-in has reported them. */
export function createRefusals() {
  let waiting: Refusal[] = [];
  return {
    add(refusal: Refusal): void {
      waiting = [...waiting, refusal].slice(-maxRefusals);
    },
    /** Oldest first. */
    waiting: () => waiting,
    /** Removes the oldest ones. */
    reported(count: number): void {
      waiting = waiting.slice(count);
    },
  };
}

export type Refusals = ReturnType<typeof createRefusals>;

export const newNonce = (): string => randomBytes(18).toString('base64url');

function isValidSignature(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

/** Newest key endorsed by a chain of signatures from the pinned one; undefined if the list lacks the pinned key. */
function follow(keys: readonly TaskKey[], pinned: string): string | undefined {
  const start = keys.findIndex(({ publicKey }) => publicKey === pinned);
  if (start === -1) return undefined;
  let reached = pinned;
  for (const next of keys.slice(start + 1)) {
    if (!isValidSignature(reached, taskKeyMessage(next), next.endorsement)) break;
    reached = next.publicKey;
  }
  return reached;
}

export function createTaskTrust({
  agentId,
  pinned,
  pin,
  trouble,
}: {
  agentId: number;
  pinned: string;
  /** Persists the pinned key. */
  pin: (publicKey: string) => Promise<void>;
  trouble: (text: string) => void;
}): TaskTrust {
  const adopt = async (publicKey: string) => {
    await pin(publicKey);
    pinned = publicKey;
  };
  return {
    pinned: () => pinned,
    async learn(keys) {
      const newest = keys?.at(-1);
      if (!keys || !newest || newest.publicKey === pinned) return;
      if (pinned === '') return adopt(newest.publicKey);
      const reached = follow(keys, pinned);
      if (reached !== undefined && reached !== pinned) await adopt(reached);
      if (reached !== newest.publicKey)
        trouble(
          'The portal signs tasks with a key that the pinned one does not endorse; they are refused. Enrol this agent again.',
        );
    },
    fault(task, nonce) {
      if (pinned === '') return undefined;
      const { signature, ...unsigned } = task;
      if (!signature) return 'it is not signed';
      if (signature.publicKey !== pinned) return 'it is signed with another key than the pinned one';
      if (!isValidSignature(pinned, taskMessage(unsigned, signature), signature.value))
        return 'its signature does not hold: it was altered';
      if (signature.agentId !== agentId) return `it is for agent ${signature.agentId}`;
      if (signature.nonce !== nonce) return 'it answers another question: it was recorded and sent again';
      return undefined;
    },
  };
}
