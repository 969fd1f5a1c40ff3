/**
 * Detects source outages. The improbability of a gap follows from the activity before it, so it is computed once, soon after
 * the gap began; when it becomes improbable, the portal emits an event of its own, which passes the intake like any other
 * and raises an alert by a rule.
 */
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { retrying, type ScopedOptions, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { baselineOf, expectedBetween, maxWeeks, weekMs, whenQuiet } from '../../domain/baseline.ts';
import { hourMs } from '../../domain/ranges.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import * as store from './silence.store.ts';

/** Shorter gaps are ignored. */
const quietMs = hourMs / 2;
const devicesPerBatch = 200;
const silencesPerBatch = 500;
/** This many sources of an organisation at once are reported as one outage. */
const outageOf = 5;
const namesInOutage = 20;
const longestName = 100;
/** After the watch itself stood still for this long, the portal was down, and shippers get time to reconnect. */
const pauseMs = hourMs / 2;
const graceMs = hourMs;
const index = 'portal-silence';

export type SilenceService = ReturnType<typeof createSilenceService>;

export function createSilenceService({
  db,
  clock,
  take,
  log,
}: {
  db: Database;
  clock: Clock;
  /** The intake, on the same clock. */
  take: IngestService['take'];
  log: Log;
}) {
  /** The intake writes devices too, so transactions may conflict. */
  const system = <T>(work: (tx: Tx) => Promise<T>, options?: ScopedOptions): Promise<T> =>
    retrying(() => scoped(db, 'system', work, options));

  const measure = async (organisationId: number | undefined, now: number): Promise<void> => {
    const before = new Date(now - quietMs);
    for (let after: string | undefined = store.firstId; after !== undefined; ) {
      const from: string = after;
      after = await system(
        async (tx) => {
          const quiet = await store.listUnmeasured(tx, organisationId, { before, after: from, limit: devicesPerBatch });
          if (quiet.length === 0) return undefined;
          const first = Math.min(...quiet.map(({ lastAt }) => lastAt.getTime()));
          const hours = await store.readHours(
            tx,
            quiet.map(({ id }) => id),
            new Date(first - maxWeeks * weekMs),
          );
          const measured = quiet.map(({ id, lastAt, deviceType }): store.Measured => {
            const from = lastAt.getTime();
            return { id, lastAt, ...whenQuiet(baselineOf(hours.get(id) ?? new Map(), from), from, deviceType) };
          });
          await store.saveMeasured(tx, measured);
          return quiet.at(-1)!.id;
        },
        { statementTimeoutMs: 30_000 },
      );
    }
  };

  /** An event about several sources belongs to their organisation and names no host, which would be blamed for the others. */
  const report = async (
    silences: readonly [store.Silence, ...store.Silence[]],
    action: 'source-silent' | 'source-returned',
    text: string,
    more: object,
  ) => {
    const now = clock.now();
    const [silence] = silences;
    const [taken] = await take(silence.organisationId, [
      {
        raw: {
          '@timestamp': new Date(now).toISOString(),
          message: text,
          logsource: { product: 'portal', service: 'silence' },
          event: { dataset: 'portal.silence', kind: 'event', category: ['host'], action, start: silence.since.toISOString() },
          ...(silences.length === 1 && { host: { name: silence.deviceName } }),
          silence: more,
        },
        index,
        // Repeating the same silence yields the same event.
        documentId: `${action} ${silences.length === 1 ? '' : 'outage '}${silence.id}`,
        receivedAt: now,
        isPortals: true,
      },
    ]);
    if (taken?.kind === 'dead') log.error({ silence: silence.id, reason: taken.reason }, 'a silence could not be told');
  };

  const tell = async (organisationId: number | undefined, now: number): Promise<void> => {
    let told = 0;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const { untold, hours } = await system(async (tx) => {
        const untold = await store.listUnreported(tx, organisationId, { after: from, limit: silencesPerBatch });
        const first = Math.min(now, ...untold.map(({ since }) => since.getTime()));
        const hours = await store.readHours(
          tx,
          untold.map(({ deviceId }) => deviceId),
          new Date(first - maxWeeks * weekMs),
        );
        return { untold, hours };
      });
      after = untold.at(-1)?.id;
      const expectedOf = (silence: store.Silence): number => {
        const since = silence.since.getTime();
        const usual = baselineOf(hours.get(silence.deviceId) ?? new Map(), since);
        return usual ? Math.round(expectedBetween(usual, since, now)) : 0;
      };
      const together = Map.groupBy(untold, ({ organisationId }) => organisationId).values();
      for (const silences of [...together].flatMap((those) =>
        those.length < outageOf ? those.map((each) => [each]) : [those],
      )) {
        const [silence] = silences as [store.Silence];
        const [first] = silences.map(({ since }) => since).sort((a, b) => +a - +b) as [Date];
        const lasted = Math.round((10 * (now - first.getTime())) / hourMs) / 10;
        const expected = silences.reduce((sum, each) => sum + expectedOf(each), 0);
        const names = silences.map(({ deviceName }) => deviceName.slice(0, longestName)).sort();
        const said =
          names.length === 1
            ? `${silence.deviceName} has sent nothing since ${minuteOf(first)}, for ${lasted.toLocaleString('en')} hours.`
            : `${names.length.toLocaleString('en')} sources fell silent together, the first at ${minuteOf(first)}: ${listed(names)}.`;
        try {
          await report(
            [silence, ...silences.slice(1)],
            'source-silent',
            `${said} About ${expected.toLocaleString('en')} events were to be expected.`,
            {
              hours: lasted,
              expected_events: expected,
              ...(names.length > 1 && { sources: names.length, names: names.slice(0, namesInOutage) }),
            },
          );
          await system((tx) =>
            store.markTold(
              tx,
              silences.map(({ id }) => id),
              new Date(now),
            ),
          );
          told += names.length;
        } catch (error) {
          // The next run retries; other organisations are reported now.
          log.error({ err: error, organisationId: silence.organisationId }, 'a silence could not be told');
        }
      }
    }
    if (told > 0) log.info({ silences: told }, 'sources fell silent');
  };

  const isInGrace = (now: number): Promise<boolean> =>
    system(async (tx) => {
      const state = await store.findState(tx);
      const hasPaused = state !== undefined && now - state.ranAt > pauseMs;
      const resumedAt = hasPaused ? now : Math.min(now, state?.resumedAt ?? 0);
      await store.saveState(tx, { ranAt: now, resumedAt });
      return now - resumedAt < graceMs;
    });

  return {
    /** Checks all sources, or those of one organisation: reports new silences and ends those of returned sources. */
    async watch(organisationId?: number): Promise<void> {
      const now = clock.now();
      const ended = await system((tx) => store.endSilences(tx, organisationId, new Date(now)));
      for (const silence of ended) {
        const lasted = Math.round((10 * (silence.endedAt!.getTime() - silence.since.getTime())) / hourMs) / 10;
        const said = `${silence.deviceName} sends events again, after ${lasted.toLocaleString('en')} hours of silence.`;
        await report([silence], 'source-returned', said, { hours: lasted }).catch((error) =>
          log.error({ err: error, organisationId: silence.organisationId }, 'the end of a silence could not be told'),
        );
      }
      await measure(organisationId, now);
      if (organisationId === undefined && (await isInGrace(now))) return;
      await system((tx) => store.insertSilences(tx, organisationId, new Date(now)));
      await tell(organisationId, now);
    },
  };
}

const listed = (names: readonly string[]): string =>
  names.length > namesInOutage
    ? `${names.slice(0, namesInOutage).join(', ')} and ${(names.length - namesInOutage).toLocaleString('en')} more`
    : names.join(', ');
const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
