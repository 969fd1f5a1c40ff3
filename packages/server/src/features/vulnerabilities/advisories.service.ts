/**
 * Imports advisories, EPSS scores and known exploited vulnerabilities: streamed and committed in batches. Readable parts of a broken file are
 * stored and skipped entries reported. Afterwards everything is matched again.
 */
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { DataOrigin } from '../../core/db/tables.reports.ts';
import type { Actor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { dateOf } from '../../domain/ranges.ts';
import { type Advisory, type EpssRow, readAdvisory, readEpssLine, readExploited, SkipList } from './advisories.formats.ts';
import { parseObject, readLines, readRecords, readWhole } from './advisories.records.ts';
import { type AdvisoryKind, countExploited, finishImport, saveAdvisories, saveEpss, saveExploited } from './advisories.store.ts';

export type AdvisoriesService = ReturnType<typeof createAdvisoriesService>;
type Stream = AsyncIterable<Uint8Array>;
type Write = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

const maxBytes = 200 * 1024 * 1024;
/** Bytes; CISA’s list has 1.5 MB. */
const maxListBytes = 32 * 1024 * 1024;
const importTimeoutMs = 120_000;
const advisoriesAtOnce = 500;
const rangesAtOnce = 10_000;
const scoresAtOnce = 10_000;
const importsAtOnce = 3;

export function createAdvisoriesService({ db, clock }: { db: Database; clock: Clock }) {
  let running = 0;
  const write: Write = (work) => scoped(db, 'system', work, { statementTimeoutMs: importTimeoutMs });

  const importers = createImporters(write, clock);

  const put = async (actor: Actor | undefined, kind: AdvisoryKind, stream: Stream, origin: DataOrigin) => {
    if (running >= importsAtOnce) throw problem.unavailable('Other imports are in progress. Try again in a moment.', 10);
    running++;
    const skips = new SkipList();
    let imported = 0;
    try {
      const done = (count: number) => {
        imported += count;
      };
      await importers[kind](bounded(stream), skips, done, origin);
    } finally {
      running--;
      // Also for an interrupted import: its committed batches count.
      if (imported > 0)
        await write(async (tx) => {
          await finishImport(tx, kind, origin);
          if (actor)
            await recordAudit(tx, actor, {
              action: 'advisories.imported',
              organisationId: actor.organisationId,
              target: kind,
              after: { imported, skipped: skips.count },
            });
        });
    }
    if (imported === 0) throw unreadable(skips);
    return { imported, skipped: skips.texts, skippedCount: skips.count };
  };

  return {
    import: (actor: Actor, kind: AdvisoryKind, stream: Stream) => put(actor, kind, stream, 'file'),

    examine,

    /** Imports what a feed delivered. */
    importRead: (kind: AdvisoryKind, stream: Stream, origin: DataOrigin) => put(undefined, kind, stream, origin),

    /** Imports the demo's invented data. */
    importOwn: (kind: AdvisoryKind, text: string) => put(undefined, kind, oneChunk(text), 'demo'),
  };
}

/** Imports in batches; `done` counts the read entries. */
function createImporters(
  write: Write,
  clock: Clock,
): Record<AdvisoryKind, (stream: Stream, skips: SkipList, done: (count: number) => void, origin: DataOrigin) => Promise<void>> {
  return {
    async osv(stream, skips, done) {
      let batch = new Map<string, Advisory>();
      let ranges = 0;
      const flush = async () => {
        const advisories = [...batch.values()];
        [batch, ranges] = [new Map(), 0];
        if (advisories.length > 0) await write((tx) => saveAdvisories(tx, advisories, new Date(clock.now())));
      };
      try {
        for await (const record of readRecords(stream, skips)) {
          const advisory = readAdvisory(record, clock.now(), skips);
          if (!advisory) continue;
          const same = batch.get(advisory.id);
          if (!same || same.modifiedAt <= advisory.modifiedAt) batch.set(advisory.id, advisory);
          done(1);
          ranges += advisory.ranges.length;
          if (batch.size >= advisoriesAtOnce || ranges >= rangesAtOnce) await flush();
        }
      } finally {
        await flush();
      }
    },

    async epss(stream, skips, done, origin) {
      let batch = new Map<string, EpssRow>();
      let day = dateOf(clock.now());
      const flush = async () => {
        const rows = [...batch.values()];
        batch = new Map();
        if (rows.length > 0) await write((tx) => saveEpss(tx, rows, day, new Date(clock.now()), origin));
      };
      try {
        for await (const line of readLines(stream, skips)) {
          const read = readEpssLine(line, skips);
          if (read.day !== undefined) day = read.day;
          if (!read.row) continue;
          batch.set(read.row.cve, read.row);
          done(1);
          if (batch.size >= scoresAtOnce) await flush();
        }
      } finally {
        await flush();
      }
    },

    async kev(stream, skips, done, origin) {
      const list = await readCatalogue(stream, skips);
      if (list.rows.length === 0) return;
      if (origin === 'feed' && list.isWhole) await write((tx) => refuseLoss(tx, list.rows.length));
      await write((tx) => saveExploited(tx, list.rows, list.isWhole, new Date(clock.now()), origin));
      done(list.rows.length);
    },
  };
}

function unreadable({ texts: [why = 'The file is empty.'] }: SkipList): Error {
  return problem.invalid({ file: [why] }, `The file could not be read: ${why}`.slice(0, 500));
}

type Examined = { entries: number; newest: string | null };

/** Counts the entries of a file of scores or of known exploited vulnerabilities, without storing them. */
async function examine(kind: 'epss' | 'kev', stream: Stream): Promise<Examined & { skipped: number }> {
  const skips = new SkipList();
  const found = await (kind === 'epss' ? examineScores : examineExploited)(bounded(stream), skips);
  return { ...found, skipped: skips.count };
}

async function examineScores(stream: Stream, skips: SkipList): Promise<Examined> {
  const found: Examined = { entries: 0, newest: null };
  for await (const line of readLines(stream, skips)) {
    const { row, day } = readEpssLine(line, skips);
    if (row) found.entries++;
    found.newest = day ?? found.newest;
  }
  return found;
}

async function examineExploited(stream: Stream, skips: SkipList): Promise<Examined> {
  const { rows } = await readCatalogue(stream, skips);
  return {
    entries: rows.length,
    newest:
      rows
        .flatMap(({ addedAt }) => addedAt ?? [])
        .sort()
        .at(-1) ?? null,
  };
}

/** A list that lost most of its entries is cut off or not the publisher's: only a person replaces the known one by it. */
async function refuseLoss(tx: Tx, entries: number): Promise<void> {
  const known = await countExploited(tx);
  if (entries * 2 < known)
    throw problem.invalid({
      file: [
        `The list has ${entries} entries, the one before had ${known}. It was not imported. If it is right, import it as a file.`,
      ],
    });
}

async function readCatalogue(stream: Stream, skips: SkipList): Promise<NonNullable<ReturnType<typeof readExploited>>> {
  const whole = parseObject(await readWhole(stream, maxListBytes, listTooLarge));
  const list = whole && readExploited(whole, skips);
  if (!list) throw problem.invalid({ file: ['Not a list of known exploited vulnerabilities: "vulnerabilities" is missing.'] });
  return list;
}

const listTooLarge = () =>
  problem.tooLarge(`A list of known exploited vulnerabilities can have at most ${maxListBytes / 1024 / 1024} MB.`);

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* bounded(stream: Stream): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes)
      throw problem.tooLarge(
        `A file can have at most ${maxBytes / 1024 / 1024} MB. Everything up to that size was imported; split the file for the rest.`,
      );
    yield chunk;
  }
}
