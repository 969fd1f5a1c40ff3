/**
 * Which tasks are the portal's own: those signed with the key that was pinned at enrolment, or at the first check-in where that was before there were
 * keys. A new key is followed when each step to it is signed by the one before. Until a key is pinned, tasks without a signature are taken.
 */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import type { AgentTask, CheckIn, TaskKey } from '@parapet/contract/agentProtocol.ts';
import { taskKeyMessage, taskMessage } from '@parapet/contract/taskSignature.ts';

export type Refusal = NonNullable<CheckIn['refusedTasks']>[number];

export interface TaskTrust {
  /** The public key that is pinned; empty while there is none. */
  pinned(): string;
  /** Takes in the keys that the portal speaks of, oldest first. */
  learn(keys: readonly TaskKey[] | undefined): Promise<void>;
  /** Why a task is not done; undefined for the portal's own. `nonce`: of the question that it answers. */
  fault(task: AgentTask, nonce: string): string | undefined;
}

export const newNonce = (): string => randomBytes(18).toString('base64url');

function holds(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

/** The newest key that is reached from the pinned one by signatures; undefined where the pinned one is not among them. */
function follow(keys: readonly TaskKey[], pinned: string): string | undefined {
  const start = keys.findIndex(({ publicKey }) => publicKey === pinned);
  if (start === -1) return undefined;
  let reached = pinned;
  for (const next of keys.slice(start + 1)) {
    if (!holds(reached, taskKeyMessage(next), next.endorsement)) break;
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
  /** Keeps it over restarts. */
  pin: (publicKey: string) => Promise<void>;
  trouble: (text: string) => void;
}): TaskTrust {
  const take = async (publicKey: string) => {
    await pin(publicKey);
    pinned = publicKey;
  };
  return {
    pinned: () => pinned,
    async learn(keys) {
      const newest = keys?.at(-1);
      if (!keys || !newest || newest.publicKey === pinned) return;
      if (pinned === '') return take(newest.publicKey);
      const reached = follow(keys, pinned);
      if (reached !== undefined && reached !== pinned) await take(reached);
      if (reached !== newest.publicKey)
        trouble(
          'The portal signs tasks with a key that the pinned one does not vouch for: they are refused. Enrol this agent again.',
        );
    },
    fault(task, nonce) {
      if (pinned === '') return undefined;
      const { signature, ...unsigned } = task;
      if (!signature) return 'it is not signed';
      if (signature.publicKey !== pinned) return 'it is signed with another key than the pinned one';
      if (!holds(pinned, taskMessage(unsigned, signature), signature.value)) return 'its signature does not hold: it was altered';
      if (signature.agentId !== agentId) return `it is for agent ${signature.agentId}`;
      if (signature.nonce !== nonce) return 'it answers another question: it was recorded and sent again';
      return undefined;
    },
  };
}
