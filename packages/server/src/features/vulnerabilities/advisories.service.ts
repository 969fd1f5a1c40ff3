/**
 * Imports of advisories, EPSS scores and known exploited vulnerabilities: read as they come in, written in batches, each batch for good. What
 * could be read of a broken file is kept, and what was left out is told. Everything is matched again afterwards.
 */
import { problem } from '@parapet/contract/problem.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { dateOf } from '../../domain/ranges.ts';
import { type Advisory, type EpssRow, readAdvisory, readEpssLine, readExploited, SkipList } from './advisories.formats.ts';
import { parseObject, readLines, readRecords, readWhole } from './advisories.records.ts';
import { type AdvisoryKind, finishImport, saveAdvisories, saveEpss, saveExploited } from './advisories.store.ts';

export type AdvisoriesService = ReturnType<typeof createAdvisoriesService>;
type Stream = AsyncIterable<Uint8Array>;

const maxBytes = 200 * 1024 * 1024;
/** CISA's list has 1.5 MB. */
const maxListBytes = 32 * 1024 * 1024;
const importTimeoutMs = 120_000;
const advisoriesAtOnce = 500;
const rangesAtOnce = 10_000;
const scoresAtOnce = 10_000;
const importsAtOnce = 3;

export function createAdvisoriesService({ db, clock = systemClock }: { db: Database; clock?: Clock }) {
  let running = 0;
  const write = <T>(work: (tx: Tx) => Promise<T>) => scoped(db, 'system', work, { statementTimeoutMs: importTimeoutMs });

  const importers: Record<AdvisoryKind, (stream: Stream, skips: SkipList, done: (count: number) => void) => Promise<void>> = {
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

    async epss(stream, skips, done) {
      let batch = new Map<string, EpssRow>();
      let day = dateOf(clock.now());
      const flush = async () => {
        const rows = [...batch.values()];
        batch = new Map();
        if (rows.length > 0) await write((tx) => saveEpss(tx, rows, day, new Date(clock.now())));
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

    async kev(stream, skips, done) {
      const tooLarge = () =>
        problem.tooLarge(`A list of known exploited vulnerabilities has at most ${maxListBytes / 1024 / 1024} MB.`);
      const whole = parseObject(await readWhole(stream, maxListBytes, tooLarge));
      const list = whole && readExploited(whole, skips);
      if (!list)
        throw problem.invalid({ file: ['This is no list of known exploited vulnerabilities: it has no "vulnerabilities".'] });
      if (list.rows.length === 0) return;
      await write((tx) => saveExploited(tx, list.rows, list.isWhole, new Date(clock.now())));
      done(list.rows.length);
    },
  };

  const put = async (actor: Actor | undefined, kind: AdvisoryKind, stream: Stream) => {
    if (running >= importsAtOnce) throw problem.unavailable('Other imports are under way. Send it again in a moment.', 10);
    running++;
    const skips = new SkipList();
    let imported = 0;
    try {
      await importers[kind](bounded(stream), skips, (count) => {
        imported += count;
      });
    } finally {
      running--;
      // Also of an import that was cut off: what came in counts.
      if (imported > 0)
        await write(async (tx) => {
          await finishImport(tx, kind);
          if (actor)
            await recordAudit(tx, actor, {
              action: 'advisories.imported',
              organisationId: actor.organisationId,
              target: kind,
              after: { imported, skipped: skips.count },
            });
        });
    }
    if (imported === 0) {
      const why = skips.texts[0] ?? 'The file is empty.';
      throw problem.invalid({ file: [why] }, `Nothing of it could be read: ${why}`.slice(0, 500));
    }
    return { imported, skipped: skips.texts, skippedCount: skips.count };
  };

  return {
    import: (actor: Actor, kind: AdvisoryKind, stream: Stream) => put(actor, kind, stream),

    /** What the portal brings itself. */
    importOwn: (kind: AdvisoryKind, text: string) => put(undefined, kind, oneChunk(text)),
  };
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* bounded(stream: Stream): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes)
      throw problem.tooLarge(
        `A file has at most ${maxBytes / 1024 / 1024} MB. What stood before that was taken in; cut the file for the rest.`,
      );
    yield chunk;
  }
}
