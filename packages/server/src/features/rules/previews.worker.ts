/** Runs previews in the worker role: a day of a client at a time, with a pause after each that leaves room for other work. */
import { setTimeout as pause } from 'node:timers/promises';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { maxMaliciousCases, type RuleChange } from '@parapet/contract/rulePreviews.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Bus } from '../../core/bus.ts';
import { readScoped, type Scope, scoped, systemScope } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { eventStore, type ScanQuery } from '../../domain/events/eventStore.ts';
import { matchingOf, readHidden } from '../../domain/hiddenAlerts.ts';
import { type PreviewWork, runQueue, startQueue } from '../../domain/previewQueue.ts';
import { dateOf } from '../../domain/ranges.ts';
import { concernedBy, createPastJudge, type PastDifference, type PastJudge } from '../../pipeline/past.ts';
import type { RuleSettings } from '../../pipeline/rule-settings.ts';
import { isHiding, listHiddenCases } from './previews.malicious.ts';
import { type Example, listMaliciousCases, type PreviewResult, type PreviewRow, queue } from './previews.store.ts';
import { writtenId } from './rules.changes.ts';
import type { RulesDeps } from './rules.sight.ts';

export type PreviewDeps = RulesDeps & { groupingWindowMs: number; log: Log };

const maxPauseMs = 250;
const maxExamples = 20;
/** Lost alerts whose cases are looked up, by client. */
const maxLooked = 2_000;
/** Milliseconds that a day of a client may take. */
const dayLimitMs = 120_000;

const workOf = (deps: PreviewDeps): PreviewWork<PreviewRow> => ({
  ...deps,
  queue,
  judge: (preview, isClosed) => judge(deps, preview, isClosed),
});

export const runPreviews = (deps: PreviewDeps): Promise<void> => runQueue(workOf(deps));

export const startPreviewWorker = (bus: Pick<Bus, 'on'>, deps: PreviewDeps): (() => Promise<void>) =>
  startQueue(bus, 'rulePreviews.queued', workOf(deps));

export const keyOf = (change: RuleChange): string =>
  change.ruleID ?? (change.kind === 'text' ? (writtenId(change.yaml) ?? 'new rule') : '');

/** The settings with a change. */
export function withChange(settings: RuleSettings, change: Exclude<RuleChange, { kind: 'suppression' }>): RuleSettings {
  const organisationId = change.clientOrganizationID;
  const key = keyOf(change);
  switch (change.kind) {
    case 'exception': {
      const exception = { id: 0, organisationId, key, yaml: change.yaml, endsAt: new Date(8.64e15) };
      return { ...settings, exceptions: [...settings.exceptions, exception] };
    }
    case 'override': {
      const others = settings.overrides.filter((each) => each.organisationId !== organisationId || each.key !== key);
      const criticality = change.criticality === null ? null : criticalityOf[change.criticality];
      return { ...settings, overrides: [...others, { organisationId, key, isOn: change.isOn, criticality }] };
    }
    case 'text': {
      const others = settings.versions.filter((each) => each.key !== key || each.isShadow);
      const yaml = writtenId(change.yaml) === undefined ? `${change.yaml.trimEnd()}\nid: ${key}\n` : change.yaml;
      return { ...settings, versions: [...others, { organisationId, key, version: 0, yaml, revision: '', isShadow: false }] };
    }
  }
}

/** Undefined for a preview that was cancelled, or left to another worker. */
async function judge(deps: PreviewDeps, preview: PreviewRow, isClosed: () => boolean): Promise<PreviewResult | undefined> {
  const { db, clock, detector, groupingWindowMs } = deps;
  const { change } = preview;
  if (change.kind === 'suppression') return judgeSuppression(deps, preview, change);
  const trial = detector.tryOut((settings) => withChange(settings, change));
  const concerned = concernedBy(trial, [keyOf(change)]);
  const [start, end] = [preview.firstAt.getTime(), preview.lastAt.getTime()];
  const counts = new Map<number, Map<number, number>>();
  for (const client of preview.clientIds) {
    const scope = { organisationIds: [client] };
    counts.set(client, await readScoped(db, scope, (tx) => eventStore.counts(tx, scope, { start, end, bucketMs: dayMs })));
  }
  const total = [...counts.values()].flatMap((days) => [...days.values()]).reduce((sum, count) => sum + count, 0);
  const result: PreviewResult = { clients: [], days: [], maliciousCases: [], examples: [] };
  const days = new Map<string, { gained: number; lost: number }>();
  let scanned = 0;
  for (const client of preview.clientIds) {
    const scope = { organisationIds: [client] };
    const judged = createPastJudge(trial, client, concerned, groupingWindowMs);
    let events = 0;
    let oldest: number | undefined;
    let isFull = false;
    for (const day of [...counts.get(client)!.keys()].sort((a, b) => b - a)) {
      if (isFull) break;
      const began = performance.now();
      const range = { start: Math.max(start, day), end: Math.min(end, day + dayMs), deadline: began + dayLimitMs };
      const read = await judgeEvents(db, scope, { ...range, texts: concerned.texts }, judged);
      events += read.events;
      oldest = read.oldest ?? oldest;
      isFull = read.isFull;
      scanned += counts.get(client)!.get(day)!;
      if (isClosed() || !(await scoped(db, 'system', (tx) => queue.saveProgress(tx, preview.id, scanned, total))))
        return undefined;
      await pause(Math.min(maxPauseMs, performance.now() - began));
    }
    const difference = judged.difference(clock.now());
    // The first day of the range counts as covered from its beginning.
    const isPartial = isFull || (oldest !== undefined && oldest - start > dayMs);
    result.clients.push({
      organisationId: client,
      events,
      from: oldest === undefined ? null : new Date(oldest).toISOString(),
      isPartial,
      ...sizesOf(difference),
    });
    addDays(days, difference);
    result.examples.push(...examplesOf(client, difference));
    const looked = difference.lost.slice(0, maxLooked);
    const cases = await readScoped(db, scope, (tx) => listMaliciousCases(tx, client, looked, groupingWindowMs));
    result.maliciousCases.push(...cases.map((each) => ({ ...each, organisationId: client })));
  }
  result.days = [...days].map(([day, each]) => ({ day, ...each })).sort((a, b) => (a.day < b.day ? -1 : 1));
  result.maliciousCases = withHidden(await hiddenCases(deps, change), result.maliciousCases);
  result.examples = (['lost', 'gained', 'changed'] as const).flatMap((kind) =>
    result.examples.filter((example) => example.kind === kind).slice(0, maxExamples),
  );
  return result;
}

/** Passes events to a judge, newest first; with their number and the time of the oldest, those included that no concerned rule can match. */
async function judgeEvents(db: PreviewDeps['db'], scope: Scope, query: ScanQuery, judge: Pick<PastJudge, 'add'>) {
  let events = 0;
  let oldest: number | undefined;
  let isFull = false;
  const ruledOut: number[] = [];
  const onRuledOut = (at: number) => ruledOut.push(at);
  await readScoped(
    db,
    scope,
    (tx) =>
      eventStore.scan(tx, scope, { ...query, onRuledOut }, (event) => {
        events++;
        oldest = event.at;
        isFull = judge.add(event);
        return isFull;
      }),
    { isolation: 'repeatable read', statementTimeoutMs: dayLimitMs },
  );
  // Events are ruled out by block: those behind the last one that a full judge took do not count.
  for (const at of ruledOut) {
    if (isFull && at < oldest!) continue;
    events++;
    if (oldest === undefined || at < oldest) oldest = at;
  }
  return { events, oldest, isFull };
}

/** Cases that the check at saving finds, whatever the range of the preview and the events that are still stored. */
async function hiddenCases({ db, clock, detector }: PreviewDeps, change: RuleChange): Promise<PreviewResult['maliciousCases']> {
  if (!isHiding(change)) return [];
  return readScoped(db, systemScope, (tx) => listHiddenCases(tx, systemScope, detector.current(), change, clock.now()), {
    statementTimeoutMs: dayLimitMs,
  });
}

/** Cases of the check at saving come first, with the larger count of each. */
function withHidden(hidden: PreviewResult['maliciousCases'], judged: PreviewResult['maliciousCases']) {
  const merged = new Map(hidden.map((each) => [each.caseId, each]));
  for (const each of judged)
    merged.set(each.caseId, { ...each, alerts: Math.max(each.alerts, merged.get(each.caseId)?.alerts ?? 0) });
  return [...merged.values()].slice(0, maxMaliciousCases);
}

/** Alerts keep rule, device and user as suppressions match them, so that their past is exact. */
async function judgeSuppression(
  { db }: PreviewDeps,
  { firstAt, lastAt }: PreviewRow,
  { clientOrganizationID: organisationId, ...match }: Extract<RuleChange, { kind: 'suppression' }>,
): Promise<PreviewResult> {
  const scope = { organisationIds: [organisationId] };
  const found = await readScoped(
    db,
    scope,
    async (tx) => readHidden(tx, scope, await matchingOf(tx, { organisationId, ...match }), firstAt, lastAt),
    { statementTimeoutMs: dayLimitMs },
  );
  const { hidden, total, oldestAt, days, maliciousCases, examples } = found;
  const counts = { before: total, after: total - hidden, gained: 0, lost: hidden, changed: 0 };
  const isPartial = oldestAt !== null && oldestAt.getTime() - firstAt.getTime() > dayMs;
  return {
    clients: [{ organisationId, events: total, from: oldestAt?.toISOString() ?? null, isPartial, ...counts }],
    days: days.map((day) => ({ ...day, gained: 0 })),
    maliciousCases: maliciousCases.map((each) => ({ ...each, organisationId })),
    examples: examples.map(({ at, ...example }) => ({
      ...example,
      ruleKey: '',
      at: Date.parse(at),
      lastAt: Date.parse(at),
      organisationId,
      kind: 'lost',
    })),
  };
}

const sizesOf = ({ before, after, gained, lost, changed }: PastDifference) => ({
  before,
  after,
  gained: gained.length,
  lost: lost.length,
  changed: changed.length,
});

function addDays(days: Map<string, { gained: number; lost: number }>, difference: PastDifference): void {
  for (const kind of ['gained', 'lost'] as const)
    for (const { at } of difference[kind]) {
      const day = dateOf(at);
      const counts = days.get(day) ?? { gained: 0, lost: 0 };
      days.set(day, { ...counts, [kind]: counts[kind] + 1 });
    }
}

const examplesOf = (organisationId: number, difference: PastDifference): Example[] =>
  (['lost', 'gained', 'changed'] as const).flatMap((kind) =>
    difference[kind].slice(0, maxExamples).map((alert) => ({ ...alert, organisationId, kind })),
  );
