/**
 * Seals the audit log: appends a link for each committed entry in the observed commit order, and by id within one scan (docs/decisions/0029-audit-chain.md).
 * Writers are unaffected.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { keyName } from '../../core/keys/signing.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import {
  type Checkpoint,
  type CheckpointKey,
  isSigned,
  leafOf,
  linkHash,
  noHash,
  type SignedCheckpoint,
  type StoredEntry,
} from './chain.format.ts';
import {
  acquireSealing,
  currentXid,
  insertLinks,
  keepCheckpoints,
  lastLinks,
  type NewLink,
  newestCheckpoints,
  unsealedEntries,
} from './chain.store.ts';

/** Delay between scans in milliseconds; an entry is sealed within this and one batch’s time after its commit. */
const scanIntervalMs = 2_000;
const usualBatch = 2_000;
const markIntervalMs = 60_000;
const saltBytes = 32;

type Tail = Pick<Checkpoint, 'position' | 'hash' | 'through'> & { first: number };

export type AuditSealer = ReturnType<typeof createAuditSealer>;

export interface SealerDeps {
  db: Database;
  clock: Clock;
  key: CheckpointKey;
  log: Log;
  batch?: number;
}

/** Records a change of the signing key in the log itself, so that a foreign key can’t be introduced unnoticed. */
async function recordKeyChange({ key, log }: SealerDeps, tx: Tx, { organisationId, publicKey }: SignedCheckpoint): Promise<void> {
  if (publicKey === key.publicKey) return;
  const keys = { before: { key: keyName(publicKey) }, after: { key: keyName(key.publicKey) } };
  log.warn({ organisationId, ...keys }, 'the audit log’s signing key has changed');
  await recordAudit(tx, systemAuditor(organisationId), { action: 'audit.keyChanged', organisationId, ...keys });
}

interface ChainEnd {
  /** Newest stored checkpoint. */
  head: SignedCheckpoint | undefined;
  link: { position: number; hash: string; first: number } | undefined;
  /** Last link sealed by this process. */
  known: Tail | undefined;
}

const noTail = { position: 0, hash: noHash, through: '' };

/** Tail of a chain, and `changed` where its end was tampered with. */
function tailOf({ head, link, known }: ChainEnd): Tail & { changed?: { expectedPosition: number; foundPosition: number } } {
  const stored = head ?? noTail;
  const { position, hash } = link && link.position > stored.position ? link : stored;
  const tail = { position, hash, through: stored.through, first: link?.first ?? position + 1 };
  const isChanged =
    (link !== undefined && link.hash !== stored.hash) ||
    (head !== undefined && !isSigned(head)) ||
    (known !== undefined && (known.position > position || (known.position === position && known.hash !== hash)));
  if (!isChanged) return tail;
  const expectedPosition = Math.max(known?.position ?? 0, stored.position);
  return { ...tail, changed: { expectedPosition, foundPosition: link?.position ?? 0 } };
}

/** Tail of each organisation’s chain. Records tampering with the end of a chain, by comparison with what this process sealed last. */
async function tailsOf(
  deps: SealerDeps,
  tx: Tx,
  organisationIds: readonly number[],
  lastSealed: ReadonlyMap<number, Tail>,
): Promise<Map<number, Tail>> {
  const heads = new Map((await newestCheckpoints(tx, organisationIds)).map((head) => [head.organisationId, head]));
  const links = new Map((await lastLinks(tx, organisationIds)).map((link) => [link.organisationId, link]));
  const tails = new Map<number, Tail>();
  for (const organisationId of organisationIds) {
    const head = heads.get(organisationId);
    const { changed, ...tail } = tailOf({ head, link: links.get(organisationId), known: lastSealed.get(organisationId) });
    if (changed) {
      deps.log.error({ organisationId, ...changed }, 'the audit log was changed outside the portal: run npm run verify-audit');
      await recordAudit(tx, systemAuditor(organisationId), { action: 'audit.sealBroken', organisationId, after: changed });
    } else if (head) await recordKeyChange(deps, tx, head);
    tails.set(organisationId, tail);
  }
  return tails;
}

/** Appends a link for each entry and signs a checkpoint for each chain. Returns the new tails. */
async function sealEntries(
  deps: SealerDeps,
  tx: Tx,
  { entries, at, lastSealed }: { entries: readonly StoredEntry[]; at: string; lastSealed: ReadonlyMap<number, Tail> },
): Promise<Map<number, Tail>> {
  const tails = await tailsOf(deps, tx, [...new Set(entries.map(({ organisationId }) => organisationId))], lastSealed);
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
      deps.key.sign({ organisationId, position, hash, count: position - first + 1, through, at }),
    ),
  );
  return tails;
}

export function createAuditSealer(deps: SealerDeps) {
  const { db, clock, log, batch = usualBatch } = deps;
  /** Highest id below which all entries are sealed and no new one can appear. */
  let floor = 0;
  /** Candidate floor, valid once every transaction begun by then has ended: ids are assigned before commit and may become visible out of order. */
  let mark: { id: number; xid: bigint; at: number } | undefined;
  /** Last link sealed by this process, by organisation. */
  const lastSealed = new Map<number, Tail>();

  /** Seals a batch above an id; undefined when another process is sealing. */
  const sealBatch = (above: number) =>
    scoped(
      db,
      'system',
      async (tx) => {
        const { isMine, at, oldestXid, newestId } = await acquireSealing(tx);
        if (!isMine) return undefined;
        const entries = await unsealedEntries(tx, above, batch);
        const tails = entries.length > 0 ? await sealEntries(deps, tx, { entries, at, lastSealed }) : [];
        const checkpoints = await keepCheckpoints(tx);
        const isLast = entries.length < batch;
        const isDue = isLast && (mark === undefined || clock.now() - mark.at >= markIntervalMs) && newestId > floor;
        const next = isDue ? { id: newestId, xid: BigInt(await currentXid(tx)), at: clock.now() } : undefined;
        return { entries, tails, checkpoints, isLast, oldestXid: BigInt(oldestXid), next };
      },
      { statementTimeoutMs: 0 },
    );

  const sealer = {
    /** Seals all committed entries and returns their number. */
    async seal(): Promise<number> {
      let count = 0;
      for (let above = floor; ; ) {
        const done = await sealBatch(above).catch((error: unknown) => {
          // The commit’s outcome is unknown.
          lastSealed.clear();
          throw error;
        });
        if (!done) return count;
        count += done.entries.length;
        for (const [organisationId, tail] of done.tails) lastSealed.set(organisationId, tail);
        // Also logged outside the database, beyond the reach of someone who truncates the log.
        for (const checkpoint of done.checkpoints) log.info({ checkpoint }, 'audit checkpoint');
        if (!done.isLast) {
          above = done.entries.at(-1)?.id ?? above;
          continue;
        }
        // A scan over several batches may have missed entries that appeared below the first one.
        if (done.next && mark && done.oldestXid > mark.xid && above === floor) {
          floor = mark.id;
          mark = undefined;
        }
        mark ??= done.next;
        return count;
      }
    },

    /** Scans repeatedly until `until` aborts. */
    async run(until: AbortSignal): Promise<void> {
      // Another process may have sealed since.
      lastSealed.clear();
      // Records a key change in idle logs as well.
      await scoped(db, 'system', async (tx) => {
        for (const head of await newestCheckpoints(tx)) await recordKeyChange(deps, tx, head);
      });
      while (!until.aborted) {
        await sealer.seal().catch((error: unknown) => {
          if (!until.aborted) log.error({ err: error }, 'sealing the audit log failed; retrying');
        });
        await pause(scanIntervalMs, undefined, { signal: until }).catch(() => {});
      }
    },
  };
  return sealer;
}
