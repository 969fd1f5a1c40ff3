/**
 * The risk score: its inputs, its history, and the clients’ statements about devices and practices. Formulas: the contract’s rules/risk.ts; with
 * All, the score comes from summed counts.
 */
import { allClients } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { MonitoredDevices, Practice, riskApi } from '@parapet/contract/risk.ts';
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import {
  additionalOf,
  defaultIndustryAverage,
  effectiveTotals,
  riskOf,
  riskStatuses,
  sumInputs,
  totalsErrors,
} from '@parapet/contract/rules/risk.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, outsideScope, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { findIndustryAverages } from '../../domain/industryAverages.ts';
import { dateOf } from '../../domain/ranges.ts';
import { insertSnapshots } from '../../domain/riskSnapshots.ts';
import {
  type ClientInputs,
  countChecked,
  listInputs,
  listNewest,
  listSnapshots,
  scoreTogether,
  updatePractices,
  updateTotals,
} from './risk.store.ts';

export type RiskService = ReturnType<typeof createRiskService>;
type Answer<Call extends keyof typeof riskApi> = AnswerOf<(typeof riskApi)[Call]>;

interface DeviceTotals {
  totalServers: number;
  totalWorkstations: number;
  /** As last read, for concurrent changes. */
  version: number;
}
type CheckedPractice = Pick<Practice, 'id' | 'isChecked'>;

const maxDays = 800;
const maxClients = 2_000;
/** Nightly snapshots of all organisations. */
const jobTimeoutMs = 120_000;
const twoDecimals = (value: number) => Math.round(value * 100) / 100;

export interface RiskServiceDeps {
  db: Database;
  clock: Clock;
}

export function createRiskService(deps: RiskServiceDeps) {
  const { db, clock } = deps;
  return {
    async details(actor: Actor, client: number, _start: string, end: string): Promise<Answer<'details'>> {
      const scope = scopeFor(actor, client);
      return scoped(
        db,
        scope,
        async (tx) => {
          const all = await inputsOf(tx, scope, clock, client, Date.parse(end));
          const { devices, cases } = sumInputs(all);
          const one = client === allClients ? undefined : all[0];
          return {
            monitoredDevices: devicesOf(client, devices, one),
            caseRiskScores: riskStatuses.map((status) => ({ status, riskScoreSum: twoDecimals(cases[status]) })),
            practices: await practicesOf(tx, scope, all),
          };
        },
        { readOnly: true },
      );
    },

    async score(actor: Actor, client: number): Promise<Answer<'score'>> {
      const scope = scopeFor(actor, client);
      const { all, riskScore } = await scoped(db, scope, async (tx) => {
        const all = await inputsOf(tx, scope, clock, client);
        return { all, riskScore: scoreTogether([...(await newestOf(tx, scope, clock, all)).values()]) };
      });
      return { riskScore, ...riskOf(sumInputs(all)), ...(await industryOf(deps, all)) };
    },

    async history(actor: Actor, client: number, start: string, end: string): Promise<Answer<'history'>> {
      const scope = scopeFor(actor, client);
      const range = { start: Date.parse(start), end: Date.parse(end) };
      return scoped(db, scope, (tx) => listSnapshots(tx, scope, range, maxDays), { readOnly: true });
    },

    async clients(actor: Actor): Promise<Answer<'clients'>> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const all = await inputsOf(tx, scope, clock, 0);
        const newest = await newestOf(tx, scope, clock, all);
        const rows = all.map(({ id, name, changedAt, ...inputs }) => ({
          clientOrganizationID: id,
          clientOrganizationName: name,
          ...riskOf(inputs),
          riskScore: newest.get(id)?.riskScore ?? null,
          changedAt: changedAt?.toISOString() ?? null,
        }));
        rows.sort((a, b) => b.tempScore - a.tempScore || a.clientOrganizationID - b.clientOrganizationID);
        return { results: rows.slice(0, maxClients), total: rows.length };
      });
    },

    saveDevices: (actor: Actor, client: number, totals: DeviceTotals): Promise<MonitoredDevices> =>
      saveDevices(deps, actor, client, totals),

    savePractices: (actor: Actor, client: number, practices: readonly CheckedPractice[]): Promise<Answer<'savePractices'>> =>
      savePractices(deps, actor, client, practices),

    /** One row per day: the first snapshot of a day is kept. */
    async takeSnapshots(): Promise<void> {
      await scoped(
        db,
        'system',
        async (tx) => insertSnapshots(tx, ofToday(clock, await listInputs(tx, 'system', { now: clock.now() }))),
        { statementTimeoutMs: jobTimeoutMs },
      );
    },

    /** Current score by organisation, for the dashboard’s table of clients. */
    async scoresNow(tx: Tx, scope: Scope): Promise<ReadonlyMap<number, number>> {
      const all = await listInputs(tx, scope, { now: clock.now() });
      return new Map(all.map((inputs) => [inputs.id, riskOf(inputs).tempScore]));
    },
  };
}

const inputsOf = (tx: Tx, scope: Scope, clock: Clock, client: number, before?: number) =>
  listInputs(tx, scope, { now: clock.now(), isOne: client !== allClients, ...(before !== undefined && { before }) });

async function oneOf(tx: Tx, scope: Scope, clock: Clock, client: number): Promise<ClientInputs> {
  const [one] = await inputsOf(tx, scope, clock, client);
  if (!one) throw outsideScope(client);
  return one;
}

function ofToday(clock: Clock, all: readonly ClientInputs[]) {
  const day = dateOf(clock.now());
  return all.map((inputs) => ({ ...inputs, organisationId: inputs.id, day }));
}

/** Takes missing snapshots on first view, so that a score is always available. */
async function newestOf(tx: Tx, scope: Scope, clock: Clock, all: readonly ClientInputs[]) {
  const ids = all.map(({ id }) => id);
  const newest = await listNewest(tx, scope, ids);
  const without = all.filter(({ id }) => !newest.has(id));
  if (without.length === 0) return newest;
  await insertSnapshots(tx, ofToday(clock, without));
  return listNewest(tx, scope, ids);
}

/** Average of one industry; the default for clients of several. */
async function industryOf(
  { db, clock }: RiskServiceDeps,
  all: readonly ClientInputs[],
): Promise<Pick<Answer<'score'>, 'industryAverage' | 'industry' | 'organisations'>> {
  const names = new Map(all.map(({ industry }) => [industry.toLowerCase(), industry]));
  const [industry = ''] = names.size === 1 ? names.values() : [];
  const none = { industryAverage: defaultIndustryAverage, industry, organisations: 0 };
  if (industry === '') return none;
  const found = (await findIndustryAverages(db, clock.now())).get(industry.toLowerCase());
  return found ? { industryAverage: found.average, industry, organisations: found.count } : none;
}

async function practicesOf(tx: Tx, scope: Scope, all: readonly ClientInputs[]): Promise<Practice[]> {
  const checked = await countChecked(
    tx,
    scope,
    all.map(({ id }) => id),
  );
  return bestPractices.map((practice) => ({
    ...practice,
    isChecked: all.length > 0 && checked.get(practice.id) === all.length,
  }));
}

async function saveDevices(
  { db, clock }: RiskServiceDeps,
  actor: Actor,
  client: number,
  input: DeviceTotals,
): Promise<MonitoredDevices> {
  const scope = scopeFor(actor, client);
  return scoped(db, scope, async (tx) => {
    const before = await oneOf(tx, scope, clock, client);
    const stale = (current: number) => problem.stale('The device count of client', client, input.version, current);
    if (input.version !== before.version) throw stale(before.version);
    const { totalServers, totalWorkstations } = effectiveTotals(input);
    const faults = Object.entries(totalsErrors({ totalServers, totalWorkstations }, before.devices));
    if (faults.length > 0) throw problem.invalid(Object.fromEntries(faults.map(([field, text]) => [field, [text]])));
    const who = { version: input.version, userId: actor.userId, now: clock.now() };
    // Another user may have written between read and update.
    if (!(await updateTotals(tx, client, { totalServers, totalWorkstations }, who)))
      throw stale((await oneOf(tx, scope, clock, client)).version);
    await recordAudit(tx, actor, {
      action: 'riskDevices.changed',
      organisationId: client,
      target: String(client),
      before: { totalServers: before.devices.totalServers, totalWorkstations: before.devices.totalWorkstations },
      after: { totalServers, totalWorkstations },
    });
    const after = await oneOf(tx, scope, clock, client);
    return devicesOf(client, after.devices, after);
  });
}

async function savePractices(
  { db, clock }: RiskServiceDeps,
  actor: Actor,
  client: number,
  practices: readonly CheckedPractice[],
): Promise<Answer<'savePractices'>> {
  const scope = scopeFor(actor, client);
  const unknown = practices.find(({ id }) => !bestPractices.some((practice) => practice.id === id));
  if (unknown)
    throw problem.invalid({
      practices: [`Unknown best practice "${unknown.id}". Choose one from the details of the risk score.`],
    });
  return scoped(db, scope, async (tx) => {
    const one = await oneOf(tx, scope, clock, client);
    const wanted = new Map(practices.map(({ id, isChecked }) => [id, isChecked]));
    const before = await updatePractices(tx, client, wanted, { userId: actor.userId, now: clock.now() });
    if (before.length > 0)
      await recordAudit(tx, actor, {
        action: 'riskPractices.changed',
        organisationId: client,
        target: String(client),
        before,
        after: before.map(({ id, isChecked }) => ({ id, isChecked: !isChecked })),
      });
    const results = await practicesOf(tx, scope, [one]);
    return { results, total: results.length };
  });
}

function devicesOf(client: number, counts: ClientInputs['devices'], one: ClientInputs | undefined): MonitoredDevices {
  const devices = effectiveTotals(counts);
  return {
    ...devices,
    ...additionalOf(devices),
    clientOrganizationID: client,
    updatingUserAccountId: one?.changedBy ?? null,
    version: one?.version ?? 0,
  };
}
