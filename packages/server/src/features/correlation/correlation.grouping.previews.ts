/** Previews of grouping sets: past alerts grouped with and without a change, client by client. */

import { setTimeout as pause } from 'node:timers/promises';
import { allClients, providerId } from '@parapet/contract/access.ts';
import type { caseGroupingApi } from '@parapet/contract/caseGrouping.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { maxMaliciousCases } from '@parapet/contract/rulePreviews.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { z } from 'zod';
import { publish } from '../../core/bus.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { readRates } from '../../domain/analystRates.ts';
import type { PreviewWork } from '../../domain/previewQueue.ts';
import { dateOf } from '../../domain/ranges.ts';
import * as store from './correlation.grouping.previews.store.ts';
import { type GroupingDeps, groupingScope } from './correlation.grouping.service.ts';
import { listInForce } from './correlation.grouping.store.ts';
import { inForce, setOf, withLayer } from './correlation.grouping.ts';
import { chainOf } from './correlation.grouping.versions.store.ts';
import { differenceOf, type PastDifference, type PastKind } from './correlation.past.difference.ts';
import { countPastAlerts, listCasesOf } from './correlation.past.store.ts';
import { judgePast, type PastWorld } from './correlation.past.ts';

export type GroupingPreviewDeps = GroupingDeps & { log: Log };

/** Waiting and running previews of one organisation. */
const maxOpen = 5;
const maxClients = 500;
/** Alerts of a client; of more the newest. */
const maxAlerts = 50_000;
const maxPauseMs = 250;
const maxExamples = 20;
const kinds: readonly PastKind[] = ['lost', 'gained', 'joined', 'split'];

export async function startPreview(
  { db, clock }: GroupingDeps,
  actor: Actor,
  { days, minutesPerCase, ...change }: z.output<typeof caseGroupingApi.startPreview.body>,
): Promise<{ id: number }> {
  const organisationId = change.clientOrganizationID;
  groupingScope(actor, organisationId);
  setOf(change);
  const scope = scopeOf(actor);
  const now = clock.now();
  return scoped(db, scope, async (tx) => {
    if ((await store.groupingQueue.countOpen(tx, { organisationIds: [actor.organisationId] })) >= maxOpen)
      throw problem.tooManyRequests(`${maxOpen} previews are under way. Wait for one, or cancel it.`, 30);
    const { clientIds, leftOut } = await store.listClients(tx, scope, organisationId, organisationId === providerId, maxClients);
    const id = await store.insertPreview(tx, {
      organisationId: actor.organisationId,
      userId: actor.userId,
      change: {
        ...change,
        minutesPerCase: minutesPerCase ?? (await readRates(tx, actor.organisationId)).minutesPerCase,
        leftOut,
      },
      clientIds,
      firstAt: new Date(now - days * dayMs),
      lastAt: new Date(now),
    });
    await publish(tx, 'groupingPreviews.queued', {});
    return { id };
  });
}

export async function getPreview(
  { db }: GroupingDeps,
  actor: Actor,
  id: number,
): Promise<AnswerOf<typeof caseGroupingApi.getPreview>> {
  const scope = groupingScope(actor, allClients);
  return readScoped(db, scope, async (tx) => {
    const found = await store.findPreview(tx, scope, id);
    if (!found) throw problem.notFound('preview', id);
    const { result, firstAt, lastAt, requestedAt, change, ...row } = found;
    const ids = (result?.clients ?? []).map(({ organisationId }) => organisationId);
    const organisations = await tx
      .selectFrom('organisations')
      .select(['id', 'name'])
      .where('id', 'in', [0, ...ids])
      .execute();
    const names = new Map(organisations.map(({ id, name }) => [id, name]));
    // A client that moved since is no longer in scope.
    const inScope = <T extends { organisationId: number }>(rows: readonly T[] = []) =>
      rows
        .filter(({ organisationId }) => names.has(organisationId))
        .map(({ organisationId, ...rest }) => ({
          ...rest,
          clientOrganizationID: organisationId,
          clientOrganizationName: names.get(organisationId)!,
        }));
    const clients = inScope(result?.clients);
    return {
      ...row,
      change,
      start: firstAt.toISOString(),
      end: lastAt.toISOString(),
      total: Math.max(row.total, row.scanned),
      requestedTime: requestedAt.toISOString(),
      clients,
      clientsLeftOut: change.leftOut ?? 0,
      days: result?.days ?? [],
      minutes: clients.reduce((sum, { before, after }) => sum + after - before, 0) * change.minutesPerCase,
      minutesPerCase: change.minutesPerCase,
      maliciousCases: inScope(result?.maliciousCases).map(({ caseId, ...each }) => ({ ...each, caseID: caseId })),
      examples: inScope(result?.examples).map(({ title, criticality, caseId, ...each }) => ({
        ...each,
        rule: title.slice(0, 2000),
        criticality: severityOf(criticality),
        caseID: caseId,
      })),
    };
  });
}

/** A cancelled or finished one stays as it is. */
export async function cancelPreview({ db }: GroupingDeps, actor: Actor, id: number): Promise<Record<never, never>> {
  const scope = groupingScope(actor, allClients);
  await scoped(db, scope, async (tx) => {
    if (!(await store.findPreview(tx, scope, id))) throw problem.notFound('preview', id);
    await store.groupingQueue.cancel(tx, scope, id);
  });
  return {};
}

export const previewWork = (deps: GroupingPreviewDeps): PreviewWork<store.GroupingPreviewRow> => ({
  ...deps,
  queue: store.groupingQueue,
  judge: (preview, isClosed) => judgeClients(deps, preview, isClosed),
});

async function judgeClients(
  { db }: GroupingPreviewDeps,
  preview: store.GroupingPreviewRow,
  isClosed: () => boolean,
): Promise<store.GroupingResult | undefined> {
  const { change, firstAt: start, lastAt: end } = preview;
  const result: store.GroupingResult = { clients: [], days: [], maliciousCases: [], examples: [] };
  const { base, plans } = await readScoped(db, 'system', async (tx) => {
    const plans = [];
    for (const client of preview.clientIds) {
      const [rows, chain] = [await listInForce(tx, client), await chainOf(tx, client)];
      const after = withLayer(rows, change.clientOrganizationID, setOf(change), chain);
      plans.push({ client, sets: [inForce(rows).live, after], total: await countPastAlerts(tx, client, start, end) });
    }
    return { base: await store.baseOf(tx), plans };
  });
  await scoped(db, 'system', (tx) => store.saveBase(tx, preview.id, base));
  const total = plans.reduce((sum, plan) => sum + plan.total, 0);
  const days = new Map<string, { gained: number; lost: number }>();
  let scanned = 0;
  for (const { client, sets } of plans) {
    let began = performance.now();
    const past = await judgePast(db, client, { start, end }, sets, maxAlerts, async (judged) => {
      const isWanted =
        !isClosed() &&
        (await scoped(db, 'system', (tx) => store.groupingQueue.saveProgress(tx, preview.id, scanned + judged, total)));
      // As long as the step took, for live work.
      if (isWanted) await pause(Math.min(maxPauseMs, performance.now() - began));
      began = performance.now();
      return isWanted;
    });
    if (!past) return undefined;
    scanned += past.alerts;
    await addClient(db, result, days, client, past);
  }
  result.days = [...days].map(([day, each]) => ({ day, ...each })).sort((a, b) => (a.day < b.day ? -1 : 1));
  result.maliciousCases = result.maliciousCases.slice(0, maxMaliciousCases);
  result.examples = kinds.flatMap((kind) => result.examples.filter((each) => each.kind === kind).slice(0, maxExamples));
  return result;
}

async function addClient(
  db: GroupingDeps['db'],
  result: store.GroupingResult,
  days: Map<string, { gained: number; lost: number }>,
  organisationId: number,
  past: PastWorld,
): Promise<void> {
  const difference = differenceOf(past.cases[0]!, past.cases[1]!);
  const { gained, lost, joined, split, alertsIn, alertsOut, ...counts } = difference;
  result.clients.push({
    organisationId,
    alerts: past.alerts,
    from: past.firstAt === undefined ? null : new Date(past.firstAt).toISOString(),
    isPartial: past.isPartial,
    ...counts,
    gained: gained.length,
    lost: lost.length,
    joined: joined.length,
    split: split.length,
    alertsIn: alertsIn.length,
    alertsOut: alertsOut.length,
  });
  for (const kind of ['gained', 'lost'] as const)
    for (const { openedAt } of difference[kind]) {
      const day = dateOf(openedAt);
      const known = days.get(day) ?? { gained: 0, lost: 0 };
      days.set(day, { ...known, [kind]: known[kind] + 1 });
    }
  const shown = kinds.flatMap((kind) => difference[kind].slice(0, maxExamples).map((each) => ({ kind, ...each })));
  const requested = [...new Set([...alertsOut, ...shown.map(({ alertIds }) => alertIds[0]!)])];
  const cases = await readScoped(db, { organisationIds: [organisationId] }, (tx) => listCasesOf(tx, organisationId, requested));
  const lostOf = Map.groupBy(
    alertsOut.flatMap((id) => cases.get(id) ?? []).filter(({ isMalicious }) => isMalicious),
    ({ caseId }) => caseId,
  );
  for (const [caseId, own] of lostOf) result.maliciousCases.push({ caseId, organisationId, alerts: own.length });
  result.examples.push(...shown.map((each) => exampleOf(organisationId, each, past, cases)));
}

function exampleOf(
  organisationId: number,
  { kind, alertIds, openedAt }: { kind: PastKind } & PastDifference['lost'][number],
  { facts }: PastWorld,
  cases: ReadonlyMap<number, { caseId: number }>,
): store.Example {
  const first = facts.get(alertIds[0]!);
  return {
    organisationId,
    kind,
    title: first?.title ?? 'Alert',
    criticality: first?.criticality ?? 1,
    at: new Date(openedAt).toISOString(),
    count: alertIds.length,
    deviceName: first?.deviceName ?? null,
    userName: first?.userName ?? null,
    caseId: cases.get(alertIds[0]!)?.caseId ?? null,
  };
}
