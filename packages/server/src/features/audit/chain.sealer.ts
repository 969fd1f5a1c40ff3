/**
 * Seals the audit log: a link for each committed entry, in the order in which this sees them committed, and within one look by their numbers
 * (decision 29). Writers know nothing of it.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import {
  type Checkpoint,
  type CheckpointKey,
  isSigned,
  keyName,
  leafOf,
  linkHash,
  noHash,
  type SignedCheckpoint,
  type StoredEntry,
} from './chain.format.ts';
import {
  currentXid,
  insertLinks,
  keepCheckpoints,
  lastLinks,
  type NewLink,
  newestCheckpoints,
  takeSealing,
  unsealedEntries,
} from './chain.store.ts';

/** An entry is sealed at most this long and one batch's time after its commit. */
const lookEveryMs = 2_000;
const usualBatch = 2_000;
const markEveryMs = 60_000;
const saltBytes = 32;

type Tail = Pick<Checkpoint, 'position' | 'hash' | 'through'> & { first: number };

export type AuditSealer = ReturnType<typeof createAuditSealer>;

export function createAuditSealer({
  db,
  clock,
  key,
  log,
  batch = usualBatch,
}: {
  db: Database;
  clock: Clock;
  key: CheckpointKey;
  log: Log;
  batch?: number;
}) {
  /** All entries up to it are sealed, and none can appear there any more. */
  let floor = 0;
  /** Becomes the floor when every transaction that had begun by then has ended: a number is given before its commit, and may come later than a higher one. */
  let mark: { id: number; xid: bigint; at: number } | undefined;
  /** What this process sealed last, by organisation. */
  const remembered = new Map<number, Tail>();

  const nobodyOf = (organisationId: number) => ({ userId: null, organisationId, address: '' });

  /** A log that goes on under another key says so in itself: nobody can bring in a key of his own unseen. */
  const noteKey = async (tx: Tx, { organisationId, publicKey }: SignedCheckpoint) => {
    if (publicKey === key.publicKey) return;
    const keys = { before: { key: keyName(publicKey) }, after: { key: keyName(key.publicKey) } };
    log.warn({ organisationId, ...keys }, 'the audit log is signed with another key from here on');
    await recordAudit(tx, nobodyOf(organisationId), { action: 'audit.keyChanged', organisationId, ...keys });
  };

  /** Where each organisation's next link goes. What was taken away or put back beneath the sealer is told here, while it still remembers. */
  const tailsOf = async (tx: Tx, organisationIds: readonly number[]): Promise<Map<number, Tail>> => {
    const heads = new Map((await newestCheckpoints(tx, organisationIds)).map((head) => [head.organisationId, head]));
    const links = new Map((await lastLinks(tx, organisationIds)).map((link) => [link.organisationId, link]));
    const tails = new Map<number, Tail>();
    for (const organisationId of organisationIds) {
      const head = heads.get(organisationId);
      const link = links.get(organisationId);
      const known = remembered.get(organisationId);
      const stored = head ?? { position: 0, hash: noHash, through: '' };
      const { position, hash } = link && link.position > stored.position ? link : stored;
      const isChanged =
        (link !== undefined && link.hash !== stored.hash) ||
        (head !== undefined && !isSigned(head)) ||
        (known !== undefined && (known.position > position || (known.position === position && known.hash !== hash)));
      if (isChanged) {
        const told = { expectedPosition: Math.max(known?.position ?? 0, stored.position), foundPosition: link?.position ?? 0 };
        log.error({ organisationId, ...told }, 'the audit log was changed outside the portal: run npm run verify-audit');
        await recordAudit(tx, nobodyOf(organisationId), { action: 'audit.sealBroken', organisationId, after: told });
      } else if (head) await noteKey(tx, head);
      tails.set(organisationId, { position, hash, through: stored.through, first: link?.first ?? position + 1 });
    }
    return tails;
  };

  const sealEntries = async (tx: Tx, entries: readonly StoredEntry[], at: string) => {
    const tails = await tailsOf(tx, [...new Set(entries.map(({ organisationId }) => organisationId))]);
    const salts = randomBytes(saltBytes * entries.length);
    const links: NewLink[] = entries.map((entry, index) => {
      const { organisationId } = entry;
      const tail = tails.get(organisationId) as Tail;
      const salt = salts.subarray(index * saltBytes, (index + 1) * saltBytes);
      const position = tail.position + 1;
      const hash = linkHash({ leaf: leafOf(entry, salt), organisationId, position, previous: tail.hash });
      const through = entry.at > tail.through ? entry.at : tail.through;
      tails.set(organisationId, { position, hash, through, first: tail.first });
      return { auditId: entry.id, position, salt: salt.toString('hex'), hash };
    });
    await insertLinks(
      tx,
      links,
      [...tails].map(([organisationId, { position, hash, through, first }]) =>
        key.sign({ organisationId, position, hash, count: position - first + 1, through, at }),
      ),
    );
    return tails;
  };

  /** Seals a batch above an id. Undefined when another process seals. */
  const sealBatch = (above: number) =>
    scoped(
      db,
      'system',
      async (tx) => {
        const { isMine, at, oldestXid, newestId } = await takeSealing(tx);
        if (!isMine) return undefined;
        const entries = await unsealedEntries(tx, above, batch);
        const tails = entries.length > 0 ? await sealEntries(tx, entries, at) : [];
        const kept = await keepCheckpoints(tx);
        const isLast = entries.length < batch;
        const isDue = isLast && (mark === undefined || clock.now() - mark.at >= markEveryMs) && newestId > floor;
        const next = isDue ? { id: newestId, xid: BigInt(await currentXid(tx)), at: clock.now() } : undefined;
        return { entries, tails, kept, isLast, oldestXid: BigInt(oldestXid), next };
      },
      { statementTimeoutMs: 0 },
    );

  const sealer = {
    /** Seals what is committed now; answers how many entries that were. */
    async seal(): Promise<number> {
      let count = 0;
      for (let above = floor; ; ) {
        const done = await sealBatch(above).catch((error: unknown) => {
          // Perhaps it was committed, perhaps not.
          remembered.clear();
          throw error;
        });
        if (!done) return count;
        count += done.entries.length;
        for (const [organisationId, tail] of done.tails) remembered.set(organisationId, tail);
        // Outside the database too, where nobody can cut it off with the end of the log.
        for (const checkpoint of done.kept) log.info({ checkpoint }, 'audit checkpoint');
        if (!done.isLast) {
          above = done.entries.at(-1)?.id ?? above;
          continue;
        }
        // A look that took several batches may have missed what came below the first of them meanwhile.
        if (done.next && mark && done.oldestXid > mark.xid && above === floor) {
          floor = mark.id;
          mark = undefined;
        }
        mark ??= done.next;
        return count;
      }
    },

    /** Looks again and again until `until` aborts. */
    async run(until: AbortSignal): Promise<void> {
      // Whoever sealed meanwhile, was another process.
      remembered.clear();
      // Logs that nobody writes to go on under a new key too.
      await scoped(db, 'system', async (tx) => {
        for (const head of await newestCheckpoints(tx)) await noteKey(tx, head);
      });
      while (!until.aborted) {
        await sealer.seal().catch((error: unknown) => {
          if (!until.aborted) log.error({ err: error }, 'the audit log could not be sealed; trying again');
        });
        await pause(lookEveryMs, undefined, { signal: until }).catch(() => {});
      }
    },
  };
  return sealer;
}
