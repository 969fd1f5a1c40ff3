/**
 * Erases one client. Each step continues where it was left: rows are deleted in batches that add to their counts in the same transaction, files are
 * listed before the first is removed. Rows go in the order of the foreign keys, until a pass finds none; the certificate is
 * made once the database confirms that no table of the catalogue has rows left.
 */
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { SigningKey } from '../../core/keys/signing.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { certify, type ErasureContent } from '../../domain/erasureCertificate.ts';
import { clickHouse } from '../../domain/events/clickhouse/connected.ts';
import { eraseMoved, hasOpenMoves } from '../../domain/events/clickhouse/remove.ts';
import { deletionOrder } from './erasure.order.ts';
import * as store from './erasure.store.ts';

const defaultBatch = 2_000;
/** A block is up to a megabyte. */
const blockBatch = 100;
const filesAtOnce = 200;
const leavesAtOnce = 1_000;
const maxPasses = 5;
const statementTimeoutMs = 120_000;

export interface ErasureJobDeps {
  db: Database;
  clock: Clock;
  blobs: Blobs;
  key: SigningKey;
  /** Stored files of a client. */
  filesOf: (tx: Tx, organisationId: number) => Promise<string[]>;
  /** Leaves of sealed audit entries up to an erasure’s start that still have content. */
  leavesOf: (tx: Tx, organisationId: number, limit: number) => Promise<store.Leaf[]>;
  batch?: number;
}

/** Returns false where it has to wait: for audit entries to be sealed before their content goes, or for events that are on their way to ClickHouse. */
export async function erase(deps: ErasureJobDeps, organisationId: number): Promise<boolean> {
  const { db, clock, filesOf } = deps;
  const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(db, 'system', work, { statementTimeoutMs });
  const found = await readScoped(db, 'system', (tx) => store.findErasure(tx, organisationId));
  if (!found || found.finishedAt) return true;
  if (!found.plannedAt)
    await system(async (tx) => {
      await store.lockArchive(tx, organisationId);
      await store.plan(tx, organisationId, await filesOf(tx, organisationId), new Date(clock.now()));
    });
  await eraseFiles(deps, organisationId);
  if (!(await eraseEntries(deps, organisationId))) return false;
  await eraseTables(deps, organisationId);
  if (!(await eraseMovedEvents(deps, organisationId))) return false;
  await system((tx) => finish(deps, tx, organisationId));
  return true;
}

async function eraseFiles({ db, blobs }: ErasureJobDeps, organisationId: number): Promise<void> {
  for (;;) {
    const files = await readScoped(db, 'system', (tx) => store.listFiles(tx, organisationId, filesAtOnce));
    if (files.length === 0) return;
    for (const { key, bytes } of files) {
      const stored = bytes === null ? await blobs.get(key) : undefined;
      // Before the file goes, so that an interruption after it does not lose its size.
      if (stored) await scoped(db, 'system', (tx) => store.setFile(tx, organisationId, key, { bytes: stored.length }));
      await blobs.remove(key);
      await scoped(db, 'system', (tx) => store.setFile(tx, organisationId, key, { is_removed: true }));
    }
  }
}

async function eraseEntries({ db, leavesOf }: ErasureJobDeps, organisationId: number): Promise<boolean> {
  for (;;) {
    const done = await scoped(db, 'system', async (tx) => {
      const leaves = await leavesOf(tx, organisationId, leavesAtOnce);
      if (leaves.length > 0) await store.eraseAudit(tx, organisationId, leaves);
      return leaves.length === 0;
    });
    if (done) break;
  }
  return (await readScoped(db, 'system', (tx) => store.countUnsealed(tx, organisationId))) === 0;
}

async function eraseTables({ db, batch = defaultBatch }: ErasureJobDeps, organisationId: number): Promise<void> {
  const { tables, references } = await readScoped(db, 'system', store.readCatalogue);
  const order = deletionOrder(tables, references);
  for (let pass = 0; pass < maxPasses; pass++) {
    let gone = 0;
    for (const table of order) {
      const most = table === 'event_blocks' ? Math.min(blockBatch, batch) : batch;
      for (let isFirst = true, rows = most; rows > 0; isFirst = false) {
        rows = await scoped(
          db,
          'system',
          async (tx) => {
            if (isFirst) await store.eraseReferences(tx, organisationId, table);
            return store.eraseRows(tx, organisationId, table, most);
          },
          { statementTimeoutMs },
        );
        gone += rows;
      }
    }
    if (gone === 0) return;
  }
  throw new Error(`Rows of organisation ${organisationId} appear faster than they are erased.`);
}

async function eraseMovedEvents({ db }: ErasureJobDeps, organisationId: number): Promise<boolean> {
  const moved = clickHouse();
  if (!moved) return true;
  if (await readScoped(db, 'system', hasOpenMoves)) return false;
  const { events, bytes } = await eraseMoved(moved, organisationId);
  if (events > 0) await scoped(db, 'system', (tx) => store.addPart(tx, organisationId, 'events in ClickHouse', events, bytes));
  return true;
}

async function finish({ clock, key }: ErasureJobDeps, tx: Tx, organisationId: number): Promise<void> {
  const erasure = await store.findErasure(tx, organisationId);
  if (!erasure || erasure.finishedAt) return;
  const left = await store.listUnerased(tx, organisationId);
  if (left.length > 0) throw new Error(`Organisation ${organisationId} still has rows in ${left.join(', ')}.`);
  const decision = await store.findDecision(tx, organisationId);
  const finishedAt = new Date(clock.now());
  const parts = await store.listParts(tx, organisationId);
  const content: ErasureContent = {
    version: 1,
    organisationId,
    clientName: erasure.clientName,
    reason: decision.reason,
    requestedBy: { id: decision.requestedBy, name: decision.requestedByName },
    requestedAt: decision.requestedAt.toISOString(),
    confirmedBy: { id: decision.decidedBy, name: decision.decidedByName },
    confirmedAt: decision.decidedAt.toISOString(),
    startedAt: erasure.startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    tables: parts.map(({ name, rows, bytes }) => ({ table: name, rows, bytes })),
    files: await store.filesRemoved(tx, organisationId),
    auditEntries: await store.countErasedEntries(tx, organisationId),
  };
  await store.eraseOrganisation(tx, organisationId);
  const certificate = certify(content, key);
  if (!(await store.finish(tx, organisationId, certificate, finishedAt))) return;
  await recordAudit(tx, systemAuditor(organisationId), {
    action: 'erasure.finished',
    organisationId,
    target: String(organisationId),
    after: { rows: parts.reduce((sum, { rows }) => sum + rows, 0), sha256: certificate.sha256 },
  });
}
