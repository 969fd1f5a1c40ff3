/** Reads the set of a client: rules in force, settings with their origin, and figures of each rule. */

import type { RuleRow, RuleVersion, rulesApi } from '@parapet/contract/detectionRules.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { canSeeInternal } from '@parapet/contract/visibility.ts';
import type { z } from 'zod';
import { readScoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs } from '../../core/http/actor.ts';
import { type RuleSet, revisionOf } from '../../pipeline/rule-set.ts';
import { perAlertOf, timeOf } from './analystRates.ts';
import { isKnownText, type Summary, summariesOf, summariesOfTexts, summaryOfText } from './rules.catalogue.ts';
import { readHealth } from './rules.health.ts';
import { isVisible, type RulesDeps, type Sight, sightOf } from './rules.sight.ts';
import { nextStates, ownerOf } from './rules.states.ts';
import {
  countShadow,
  listExceptions,
  listHistory,
  listNewestVersions,
  listOverrides,
  listPackNames,
  listTests,
  listVersions,
  type NewestVersion,
  type RuleFigures,
  readFigures,
  readTexts,
  type VersionRow,
} from './rules.store.ts';

const figuresMs = 30 * dayMs;
const noisyAlerts = 100;

type ListQuery = z.output<typeof rulesApi.list.query>;

export async function listRules(
  { db, clock, detector }: RulesDeps,
  actor: Actor,
  client: number,
  query: ListQuery,
): Promise<AnswerOf<typeof rulesApi.list>> {
  const set = detector.current();
  const sight = sightOf(actor, set, client);
  const since = new Date(clock.now() - figuresMs);
  const { texts, ...read } = await readScoped(db, sight.settings, async (tx) => {
    const newest = await listNewestVersions(tx, sight.settings);
    const unknown = newest.filter(({ key, revision }) => !isInForce(set, key) && !isKnownText(set, key, revision));
    return {
      newest,
      texts: await readTexts(tx, sight.settings, unknown),
      figures: await readFigures(tx, sight.scope, since),
      shadow: await countShadow(tx, sight.scope, since),
      packs: await listPackNames(tx, sight.settings),
      perAlert: await perAlertOf(tx, actor),
      health: query.noise.includes('noData') ? await readHealth(tx, sight, detector, clock.now()) : undefined,
    };
  });
  const waiting = await summariesOfTexts(
    set,
    read.newest.filter(({ key }) => !isInForce(set, key)),
    texts,
  );
  const all = rowsOf(set, sight, { ...read, now: clock.now() }, waiting);
  const packs = new Map<string, number>();
  for (const { pack } of all) if (pack !== null) packs.set(pack, (packs.get(pack) ?? 0) + 1);
  const products = new Map<string, number>();
  for (const { logSource } of all) {
    const product = productOf(logSource);
    products.set(product, (products.get(product) ?? 0) + 1);
  }
  const hasNoData = ({ ruleID, logSource }: RuleRow): boolean => read.health?.canMatch(ruleID, logSource) === false;
  const found = all.filter((row) => fits(row, query, hasNoData)).sort(by(query));
  const from = (query.page - 1) * query.pageSize;
  return {
    results: found.slice(from, from + query.pageSize),
    total: found.length,
    products: countsOf(products),
    packs: countsOf(packs),
  };
}

const countsOf = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
const isInForce = (set: RuleSet, key: string): boolean => set.rules.has(key) || set.correlations.has(key);

const productOf = (logSource: string): string => logSource.split(/ \/ |; /)[0] || 'any';

interface Read {
  newest: readonly NewestVersion[];
  figures: ReadonlyMap<string, RuleFigures>;
  shadow: ReadonlyMap<string, number>;
  packs: ReadonlyMap<string, string>;
  /** Minutes of an analyst; null for clients. */
  perAlert: number | null;
  now: number;
}

function rowsOf(
  set: RuleSet,
  sight: Sight,
  read: Read,
  waiting: ReadonlyMap<string, Summary>,
): (RuleRow & { description: string })[] {
  const newest = new Map(read.newest.map((version) => [version.key, version]));
  const loaded = [...summariesOf(set).values()].filter(({ key }) => isVisible(set, sight.settings, key));
  return [...loaded, ...waiting.values()].map((summary) => ({
    ...rowOf(set, sight, summary, newest.get(summary.key), read),
    description: summary.facts.description,
  }));
}

function rowOf(
  set: RuleSet,
  { organisationId, settings }: Sight,
  summary: Summary,
  newest: NewestVersion | undefined,
  { figures, shadow, packs, perAlert, now }: Read,
): RuleRow {
  const { key, facts } = summary;
  const setting = set.settingsOf(organisationId).get(key);
  const found = figures.get(key);
  const isLive = isInForce(set, key);
  const inShadow = set.shadowVersions.get(key);
  const fault = set.faultOf(key);
  return {
    ruleID: key.slice(0, 64),
    title: summary.title,
    category: summary.category,
    criticality: severityOf(setting?.criticality ?? summary.criticality),
    logSource: facts.logSource.slice(0, 2000),
    techniques: facts.techniques.slice(0, 50),
    author: summary.author,
    origin: !newest ? 'builtIn' : newest.isBuiltIn ? 'edited' : 'own',
    pack: packs.get(key)?.slice(0, 200) ?? null,
    state: isLive ? 'live' : (newest?.state ?? 'retired'),
    isOn: setting?.isOn ?? true,
    isCorrelation: summary.isCorrelation,
    exceptions: setting?.exceptions.filter(({ endsAt }) => endsAt > now).length ?? 0,
    alerts: found?.alerts ?? 0,
    maliciousPercent: found && found.alerts > 0 ? Math.min(100, Math.round((100 * found.malicious) / found.alerts)) : null,
    analystTime: timeOf(found?.alerts ?? 0, perAlert),
    lastFired: found?.lastFired ?? null,
    fault: fault && settings.organisationIds.includes(fault.organisationId) ? fault.reason.slice(0, 2000) : null,
    shadowMatches: inShadow ? (shadow.get(`${key} ${inShadow.version}`) ?? 0) : null,
  };
}

function fits(row: RuleRow & { description: string }, query: ListQuery, hasNoData: (row: RuleRow) => boolean): boolean {
  const wanted = query.search.toLowerCase();
  const texts = [row.title, row.ruleID, row.author, row.description];
  const technique = query.technique.toUpperCase();
  return (
    (wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted))) &&
    isAmong(query.severity, row.criticality) &&
    isAmong(query.origin, row.origin) &&
    isAmong(query.product, productOf(row.logSource)) &&
    isAmong(query.state, shownStateOf(row)) &&
    (query.pack === '' || row.pack === query.pack) &&
    (technique === '' || row.techniques.some((own) => own === technique || own.startsWith(`${technique}.`))) &&
    (query.noise.length === 0 || query.noise.some((noise) => (noise === 'noData' ? hasNoData(row) : isNoise(row, noise))))
  );
}

const isAmong = <T>(wanted: readonly T[], value: T): boolean => wanted.length === 0 || wanted.includes(value);

function isNoise({ lastFired, alerts, maliciousPercent }: RuleRow, noise: ListQuery['noise'][number]): boolean {
  if (noise === 'never') return lastFired === null;
  if (noise === 'noisy') return alerts > noisyAlerts;
  return alerts > 0 && maliciousPercent === 0;
}

const shownStateOf = ({ isOn, state, fault }: RuleRow): ListQuery['state'][number] =>
  fault !== null ? 'fault' : isOn ? state : 'off';

const severityOrder = ['informational', 'low', 'medium', 'high', 'critical'];
const keys: Record<ListQuery['sort'], (row: RuleRow) => string | number> = {
  title: (row) => row.title.toLowerCase(),
  severity: (row) => severityOrder.indexOf(row.criticality),
  alerts: (row) => row.alerts,
  malicious: (row) => row.maliciousPercent ?? -1,
  lastFired: (row) => row.lastFired ?? '',
  state: shownStateOf,
};

function by({ sort, order }: ListQuery) {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return (a: RuleRow, b: RuleRow): number =>
    sign * compare(keys[sort](a), keys[sort](b)) || compare(a.title, b.title) || compare(a.ruleID, b.ruleID);
}

export async function getRule(
  { db, clock, detector }: RulesDeps,
  actor: Actor,
  client: number,
  key: string,
): Promise<AnswerOf<typeof rulesApi.get>> {
  const set = detector.current();
  const sight = sightOf(actor, set, client);
  const now = clock.now();
  const since = new Date(now - figuresMs);
  return readScoped(db, sight.settings, async (tx) => {
    const versions = await listVersions(tx, sight.settings, key);
    const [newest] = versions;
    const loaded = isVisible(set, sight.settings, key) ? summariesOf(set).get(key) : undefined;
    if (!loaded && !newest) throw problem.notFound('rule', key);
    const summary = loaded ?? summaryOfText(key, newest!.yaml, set);
    const shadow = await countShadow(tx, sight.scope, since);
    const figures = await readFigures(tx, sight.scope, since, key);
    const newestOf = newest && { ...newest, revision: revisionOf(newest.yaml), isShadow: false, isBuiltIn: newest.base !== null };
    const { facts } = summary;
    const owner = ownerOf(detector, key, newest);
    return {
      ...rowOf(set, sight, summary, newestOf, {
        newest: [],
        figures,
        shadow,
        packs: await listPackNames(tx, sight.settings),
        perAlert: await perAlertOf(tx, actor),
        now,
      }),
      ownerID: owner !== undefined && actor.organisationIds.includes(owner) ? owner : null,
      yaml: versions.find(({ state }) => state === 'live')?.yaml ?? detector.builtIn.texts.get(key) ?? newest!.yaml,
      builtInYaml: detector.builtIn.texts.get(key) ?? null,
      baseYaml: newest?.base ?? null,
      description: facts.description.slice(0, 20_000),
      condition: facts.condition.slice(0, 20_000),
      confidence: facts.confidence ?? null,
      falsePositives: facts.falsePositives.slice(0, 50).map((text) => text.slice(0, 2000)),
      health: await (await readHealth(tx, sight, detector, now, key)).of(summary),
      usedBy: set
        .readersOf(key)
        .filter(({ id }) => isVisible(set, sight.settings, id))
        .map(({ id, title }) => ({ ruleID: id, title: title.slice(0, 2000) })),
      versions: await Promise.all(versions.map((version) => versionOf(tx, actor, set, version, shadow, new Date(now)))),
      ...(await settingsOf(tx, actor, sight, key, now)),
      canEdit: mayAs(actor, 'rules:write') && actor.organisationIds.includes(owner ?? actor.organisationId),
      canOverride: mayAs(actor, 'rules:write'),
      canExcept: mayAs(actor, 'ruleExceptions:write') && !summary.isCorrelation,
    };
  });
}

async function versionOf(
  tx: Tx,
  actor: Actor,
  set: RuleSet,
  row: VersionRow,
  shadow: ReadonlyMap<string, number>,
  now: Date,
): Promise<RuleVersion> {
  const isStaff = canSeeInternal(actor);
  const { id, version, state, yaml, criticality, note, author, createdAt, noiseBudget, stoppedAt } = row;
  const mayWrite = mayAs(actor, 'rules:write') && actor.organisationIds.includes(row.organisationId);
  return {
    id,
    version,
    state,
    yaml,
    criticality: severityOf(criticality),
    note: isStaff ? note : '',
    author: isStaff ? author : '',
    createdTime: createdAt.toISOString(),
    shadowMatches: shadow.get(`${row.key} ${version}`) ?? 0,
    noiseBudget,
    isStopped: stoppedAt !== null,
    next: mayWrite ? await nextStates(tx, actor, set, row, now) : [],
  };
}

/** Overrides, exceptions, tests and history, without notes of others for clients. */
async function settingsOf(tx: Tx, actor: Actor, { settings }: Sight, key: string, now: number) {
  const isStaff = canSeeInternal(actor);
  const isOwn = (organisationId: number): boolean => actor.organisationIds.includes(organisationId);
  // Organisations above have no name here; their notes and the events of their tests stay theirs.
  const placeOf = ({ organisationId, organisation }: { organisationId: number; organisation: string }) =>
    isOwn(organisationId)
      ? { organisationID: organisationId, organisation }
      : { organisationID: null, organisation: 'Inherited' };
  const notes = { ...settings, organisationIds: settings.organisationIds.filter(isOwn) };
  return {
    overrides: (await listOverrides(tx, settings, key)).map((row) => ({
      ...placeOf(row),
      isOn: row.isOn,
      criticality: row.criticality === null ? null : severityOf(row.criticality),
      reason: isStaff && isOwn(row.organisationId) ? row.reason : '',
      owner: isStaff && isOwn(row.organisationId) ? row.owner : '',
      changedTime: row.changedAt.toISOString(),
    })),
    ruleExceptions: (await listExceptions(tx, settings, key)).map((row) => ({
      id: row.id,
      ...placeOf(row),
      yaml: isStaff || isOwn(row.organisationId) ? row.yaml : '# Set by an organisation above yours.',
      reason: isStaff && isOwn(row.organisationId) ? row.reason : '',
      owner: isStaff && isOwn(row.organisationId) ? row.owner : '',
      createdTime: row.createdAt.toISOString(),
      endTime: row.endsAt.toISOString(),
      isActive: row.endsAt.getTime() > now,
    })),
    tests: isStaff
      ? (await listTests(tx, notes, key)).map(({ id, name, isMatch, document }) => ({ id, name, isMatch, document }))
      : [],
    history: isStaff ? (await listHistory(tx, notes, key)).map((row) => ({ ...row, at: row.at.toISOString() })) : [],
  };
}
