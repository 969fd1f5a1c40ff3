/**
 * Detects source outages. The improbability of a gap follows from the activity before it, so it is computed once, soon after
 * the gap began; when it becomes improbable, the portal emits an event of its own, which passes the intake like any other
 * and raises an alert by a rule.
 */
import { hourMs, weekMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { retrying, type ScopedOptions, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { baselineOf, expectedBetween, type Hours, maxWeeks, whenQuiet } from '../../domain/baseline.ts';
import { type Cause, queueDeliveries } from '../../domain/causes.ts';
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

export interface SilenceServiceDeps {
  db: Database;
  clock: Clock;
  /** The intake, on the same clock. */
  take: IngestService['take'];
  log: Log;
}

/** Sources of one organisation that are reported together. */
type Group = readonly [store.Silence, ...store.Silence[]];

type Arrival = Parameters<IngestService['take']>[1][number];

export type SilenceService = ReturnType<typeof createSilenceService>;

export function createSilenceService(deps: SilenceServiceDeps) {
  const { db, clock } = deps;
  return {
    /** Checks all sources, or those of one organisation: reports new silences and ends those of returned sources. */
    async watch(organisationId?: number): Promise<void> {
      const now = clock.now();
      await reportReturns(deps, await system(db, (tx) => store.endSilences(tx, organisationId, new Date(now))));
      await measure(db, organisationId, now);
      if (organisationId === undefined && (await isInGrace(db, now))) return;
      await system(db, (tx) => store.insertSilences(tx, organisationId, new Date(now)));
      await reportSilences(deps, organisationId, now);
    },
  };
}

/** The intake writes devices too, so transactions may conflict. */
const system = <T>(db: Database, work: (tx: Tx) => Promise<T>, options?: ScopedOptions): Promise<T> =>
  retrying(() => scoped(db, 'system', work, options));

const isInGrace = (db: Database, now: number): Promise<boolean> =>
  system(db, async (tx) => {
    const state = await store.findState(tx);
    const hasPaused = state !== undefined && now - state.ranAt > pauseMs;
    const resumedAt = hasPaused ? now : Math.min(now, state?.resumedAt ?? 0);
    await store.saveState(tx, { ranAt: now, resumedAt });
    return now - resumedAt < graceMs;
  });

/** Hours with events of the devices before `first`, as far back as a baseline reaches. */
const hoursBefore = (tx: Tx, ids: readonly string[], first: number): Promise<Map<string, Hours>> =>
  store.readHours(tx, ids, new Date(first - maxWeeks * weekMs));

/** Computes when each gap becomes improbable, in batches of devices. */
async function measure(db: Database, organisationId: number | undefined, now: number): Promise<void> {
  const before = new Date(now - quietMs);
  for (let after: string | undefined = store.firstId; after !== undefined; ) {
    const from: string = after;
    after = await system(
      db,
      async (tx) => {
        const quiet = await store.listUnmeasured(tx, organisationId, { before, after: from, limit: devicesPerBatch });
        if (quiet.length === 0) return undefined;
        const first = Math.min(...quiet.map(({ lastAt }) => lastAt.getTime()));
        const hours = await hoursBefore(
          tx,
          quiet.map(({ id }) => id),
          first,
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
}

async function reportSilences(deps: SilenceServiceDeps, organisationId: number | undefined, now: number): Promise<void> {
  let reported = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const { silences, hours } = await system(deps.db, async (tx) => {
      const silences = await store.listUnreported(tx, organisationId, { after: from, limit: silencesPerBatch });
      const first = Math.min(now, ...silences.map(({ since }) => since.getTime()));
      const hours = await hoursBefore(
        tx,
        silences.map(({ deviceId }) => deviceId),
        first,
      );
      return { silences, hours };
    });
    after = silences.at(-1)?.id;
    for (const [id, those] of byOrganisation(silences)) reported += await reportTo(deps, id, groupsOf(those), hours, now);
  }
  if (reported > 0) deps.log.info({ silences: reported }, 'sources fell silent');
}

const byOrganisation = (silences: readonly store.Silence[]) => Map.groupBy(silences, ({ organisationId }) => organisationId);

/** Each silence of an organisation alone, or all together when they are as many as in an outage. */
const groupsOf = (silences: store.Silence[]): Group[] =>
  silences.length < outageOf ? silences.map((each): Group => [each]) : [silences as [store.Silence, ...store.Silence[]]];

/** Returns the number reported; 0 after a failure: the next run retries, and other organisations are reported now. */
async function reportTo(
  deps: SilenceServiceDeps,
  organisationId: number,
  groups: readonly Group[],
  hours: Map<string, Hours>,
  now: number,
): Promise<number> {
  const ids = groups.flat().map(({ id }) => id);
  try {
    await emit(
      deps,
      organisationId,
      groups.map((group) => silentEvent(group, hours, now)),
    );
    await system(deps.db, async (tx) => {
      await store.markNotified(tx, ids, new Date(now));
      await queueDeliveries(
        tx,
        groups.map((group) => causeOf(organisationId, group, now)),
      );
    });
    return ids.length;
  } catch (error) {
    deps.log.error({ err: error, organisationId }, 'silences could not be reported');
    return 0;
  }
}

function causeOf(organisationId: number, group: Group, now: number): Cause {
  const [{ id }] = group;
  const [first] = group.map(({ since }) => since).sort((a, b) => +a - +b) as [Date];
  const sources = group.map(({ deviceName }) => deviceName.slice(0, longestName)).sort();
  const facts = { sources: sources.slice(0, namesInOutage), count: sources.length, since: first.toISOString() };
  return { organisationId, event: 'source.silent', objectId: id, at: new Date(now), facts };
}

function silentEvent(group: Group, hours: Map<string, Hours>, now: number): Arrival {
  const [silence] = group;
  const [first] = group.map(({ since }) => since).sort((a, b) => +a - +b) as [Date];
  const lasted = hoursBetween(first, now);
  const expected = group.reduce((sum, each) => sum + expectedOf(each, hours, now), 0);
  const names = group.map(({ deviceName }) => deviceName.slice(0, longestName)).sort();
  const text =
    names.length === 1
      ? `${silence.deviceName} has sent nothing since ${minuteOf(first)}, for ${lasted.toLocaleString('en')} hours.`
      : `${names.length.toLocaleString('en')} sources fell silent together, the first at ${minuteOf(first)}: ${listed(names)}.`;
  return eventOf(group, 'source-silent', now, `${text} About ${expected.toLocaleString('en')} events were to be expected.`, {
    hours: lasted,
    expected_events: expected,
    ...(names.length > 1 && { sources: names.length, names: names.slice(0, namesInOutage) }),
  });
}

async function reportReturns(deps: SilenceServiceDeps, returned: readonly store.Silence[]): Promise<void> {
  const now = deps.clock.now();
  for (const [organisationId, silences] of byOrganisation(returned)) {
    const events = silences.map((silence) => {
      const lasted = hoursBetween(silence.since, silence.endedAt!.getTime());
      const text = `${silence.deviceName} sends events again, after ${lasted.toLocaleString('en')} hours of silence.`;
      return eventOf([silence], 'source-returned', now, text, { hours: lasted });
    });
    await emit(deps, organisationId, events).catch((error) =>
      deps.log.error({ err: error, organisationId }, 'ends of silences could not be reported'),
    );
  }
}

/** An event about several sources belongs to their organisation and names no host, which would be blamed for the others. */
function eventOf(silences: Group, action: 'source-silent' | 'source-returned', now: number, text: string, more: object): Arrival {
  const [silence] = silences;
  return {
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
  };
}

async function emit({ take, log }: SilenceServiceDeps, organisationId: number, events: Arrival[]): Promise<void> {
  for (const [index, taken] of (await take(organisationId, events)).entries())
    if (taken.kind === 'dead')
      log.error({ event: events[index]?.documentId, reason: taken.reason }, 'a silence could not be reported');
}

/** Events that the source would have sent since. */
function expectedOf({ deviceId, since }: store.Silence, hours: Map<string, Hours>, now: number): number {
  const usual = baselineOf(hours.get(deviceId) ?? new Map(), since.getTime());
  return usual ? Math.round(expectedBetween(usual, since.getTime(), now)) : 0;
}

/** With one decimal. */
const hoursBetween = (since: Date, until: number): number => Math.round((10 * (until - since.getTime())) / hourMs) / 10;
const listed = (names: readonly string[]): string =>
  names.length > namesInOutage
    ? `${names.slice(0, namesInOutage).join(', ')} and ${(names.length - namesInOutage).toLocaleString('en')} more`
    : names.join(', ');
const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
