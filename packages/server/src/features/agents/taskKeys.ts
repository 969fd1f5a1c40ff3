/**
 * Keys that sign agents’ tasks (Ed25519). The private half of each generation is derived from an installation secret and
 * never stored; the public halves are stored, each signed by its predecessor, so that an agent that missed several can
 * follow to the newest.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { AgentTask, AgentTasks, TaskKey } from '@parapet/contract/agentProtocol.ts';
import { taskKeyMessage, taskMessage } from '@parapet/contract/taskSignature.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';

/** PKCS #8 prefix of an Ed25519 key, before its 32 bytes. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Check-ins use this cache: after a rotation by another process, the next check-in sees the key. */
const listedForMs = 30_000;

const lostText =
  'The private half of the newest task key can no longer be derived: SECRET_KEY has changed, or its secret was removed. Restore it, or run "npm run -s agent-task-key -- replace" and enrol every agent again.';

export type TaskKeys = Awaited<ReturnType<typeof openTaskKeys>>;

export async function openTaskKeys({
  db,
  clock,
  secretOf,
}: {
  db: Database;
  clock: Clock;
  /** Derives 32 bytes by name, identical in every process of the installation. */
  secretOf: (name: string) => Promise<Buffer>;
}) {
  const privateKeys = new Map<number, Promise<KeyObject>>();
  const privateKeyOf = (generation: number): Promise<KeyObject> => {
    const known = privateKeys.get(generation);
    if (known) return known;
    const made = secretOf(`agent tasks ${generation}`).then((seed) =>
      createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' }),
    );
    privateKeys.set(generation, made);
    return made;
  };

  /** Adds a generation; if another process was first, its key is used. */
  const add = async (tx: Tx, generation: number, before: TaskKey | undefined): Promise<void> => {
    const publicKey = publicOf(await privateKeyOf(generation));
    const endorsement = before ? signed(await privateKeyOf(before.generation), taskKeyMessage({ generation, publicKey })) : '';
    await tx
      .insertInto('agent_task_keys')
      .values({ generation, public_key: publicKey, endorsement, created_at: new Date(clock.now()) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  };
  const read = async (): Promise<TaskKey[]> => readScoped(db, 'system', listKeys);

  /** Returns the newest key with its private half; throws if that is lost. */
  const newestOf = async (keys: readonly TaskKey[]) => {
    const newest = keys.at(-1);
    if (!newest) throw new Error('There is no task key yet.');
    const privateKey = await privateKeyOf(newest.generation);
    if (publicOf(privateKey) !== newest.publicKey) throw new Error(lostText);
    return { newest, privateKey };
  };

  if ((await read()).length === 0) {
    await privateKeyOf(1);
    await scoped(db, 'system', (tx) => add(tx, 1, undefined));
  }
  let listed = { keys: read(), at: clock.now() };
  await listed.keys;
  const list = (): Promise<TaskKey[]> => {
    // Coalesces concurrent loads; a failed one is retried by the next caller.
    if (clock.now() - listed.at >= listedForMs) {
      const keys = read();
      listed = { keys, at: clock.now() };
      keys.catch(() => {
        listed = { ...listed, at: 0 };
      });
    }
    return listed.keys;
  };

  return {
    /** All generations, oldest first; at most half a minute stale. */
    list,

    /** Returns the keys newer than the one an agent has pinned (empty: none); undefined if it has the newest. */
    async newerThan(pinned: string): Promise<TaskKey[] | undefined> {
      const keys = await list();
      return keys.at(-1)?.publicKey === pinned ? undefined : keys;
    },

    /** Builds the response to an agent’s poll, each task signed with the newest key for this agent and its nonce. */
    async signedResponse(agentId: number, nonce: string, tasks: readonly AgentTask[]): Promise<AgentTasks> {
      if (tasks.length === 0) return { tasks: [] };
      // Bypasses the cache: a process with an outdated key would sign tasks that agents reject.
      const keys = await read();
      const { newest, privateKey } = await newestOf(keys);
      const now = clock.now();
      return {
        taskKeys: keys,
        tasks: tasks.map((task) => {
          const about = {
            agentId,
            nonce,
            issuedAt: new Date(now).toISOString(),
            expiresAt: new Date(now + task.expiresInSeconds * 1000).toISOString(),
          };
          const value = signed(privateKey, taskMessage(task, about));
          return { ...task, signature: { ...about, publicKey: newest.publicKey, value } };
        }),
      };
    },

    /**
     * Creates a new key, signed by the newest; with `isReplaced` unsigned, because that one is lost and agents must be
     * enrolled again.
     */
    async rotate({ isReplaced = false }: { isReplaced?: boolean } = {}): Promise<TaskKey> {
      const keys = await read();
      const newest = keys.at(-1);
      if (!isReplaced) await newestOf(keys);
      const generation = (newest?.generation ?? 0) + 1;
      await privateKeyOf(generation);
      await scoped(db, 'system', (tx) => add(tx, generation, isReplaced ? undefined : newest));
      listed = { keys: read(), at: clock.now() };
      return (await listed.keys).at(-1) as TaskKey;
    },
  };
}

const publicOf = (key: KeyObject): string => createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
const signed = (key: KeyObject, text: string): string => sign(null, Buffer.from(text), key).toString('base64url');

const maxKeys = 100;
async function listKeys(tx: Tx): Promise<TaskKey[]> {
  const rows = await tx
    .selectFrom('agent_task_keys')
    .select(['generation', 'public_key as publicKey', 'endorsement'])
    .orderBy('generation', 'desc')
    .limit(maxKeys)
    .execute();
  return rows.reverse();
}
