/** Assignment of alerts to cases: pure, so that equal alerts and cases always give equal results. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { tacticPlace, tacticsInOrder } from '../../domain/facts.ts';
import { builtInGrouping, type Entity, type Grouping, type JoiningRule, keyOf, waitingFrom } from './correlation.rules.ts';

export interface Candidate {
  id: number;
  at: number;
  ruleId: number;
  criticality: number;
  tactics: readonly string[];
  /** The device, or the user for a shared service; empty without either. */
  party: string;
  /** Usual for its party or for a whole fleet: opens no case together with others. */
  isUsual?: boolean;
  entities: readonly Entity[];
}

/** An earlier alert with an entity. */
export interface Sighting {
  alertId: number;
  at: number;
  party: string;
  ruleId: number;
  criticality: number;
  tactics: readonly string[];
  isUsual?: boolean;
  /** Undefined outside cases. */
  caseId: number | undefined;
}

/** An open case that alerts can join. */
export interface OpenCase {
  id: number;
  firstAt: number;
  /** A person or a mail has dealt with it: it never goes into another. */
  isAttended?: boolean;
  alerts?: number;
  devices?: number;
  /** Cases that a person has separated from it. */
  apartFrom?: readonly number[];
}

/** Two open cases that an alert joins. */
export interface Bridge {
  from: number;
  into: number;
  alertId: number;
  sentence: string;
  /** Both have been dealt with: they stay two. */
  isRelatedOnly: boolean;
}

export interface Joined {
  alertId: number;
  /** Negative for cases opened by this run. */
  caseId: number;
  sentence: string;
}

export interface Opened {
  id: number;
  alertId: number;
}

/** State of a run: alerts outside and inside cases by entity, and what was decided so far. */
interface Placement {
  set: Grouping;
  cases: Map<number, OpenCase>;
  /** Party → time of its first sighting, by key. */
  parties: Map<string, Map<string, number>>;
  waiting: Map<string, Sighting[]>;
  inCases: Map<string, Sighting[]>;
  /** Newest sighting of this run by key and case, and the newest severe one: nearer than all before, as alerts come in order of time. */
  recent: Map<string, Map<string, Sighting>>;
  known: Map<number, { sighting: Sighting; keys: string[] }>;
  joined: Joined[];
  opened: Opened[];
  bridges: Bridge[];
  /** Case → the case that it went into. */
  into: Map<number, number>;
}

export interface Judgement {
  joined: Joined[];
  opened: Opened[];
  /** Of cases of earlier runs: the first goes into the second, or they are related. */
  bridges: Bridge[];
}

export interface SeenParty {
  party: string;
  firstAt: number;
}

/** `seen`: earlier sightings by `keyOf` of their entity; `origin` and `host` only for alerts in cases. `knownParties`: parties of earlier sightings. */
export function judge(
  alerts: readonly Candidate[],
  openCases: readonly OpenCase[],
  seen: ReadonlyMap<string, readonly Sighting[]>,
  knownParties: ReadonlyMap<string, readonly SeenParty[]> = new Map(),
  set: Grouping = builtInGrouping,
): Judgement {
  const ordered = [...alerts].sort((a, b) => a.at - b.at || a.id - b.id);
  const run = begin(set, ordered, openCases, seen, knownParties);
  for (const alert of ordered) {
    // Joined a case that it led up to.
    if (run.known.get(alert.id)!.sighting.caseId !== undefined) continue;
    const [found, ...others] = findCases(run, alert);
    if (found) {
      // Before the alert itself stands in a case.
      for (const other of others) bridge(run, alert, found, other);
      put(run, alert.id, lastOf(run, found.caseId), found.rule.sentence);
      continue;
    }
    const opening = openingOf(run, alert);
    if (opening) open(run, alert, opening.sentence, opening.members);
  }
  return {
    joined: run.joined.map((each) => ({ ...each, caseId: lastOf(run, each.caseId) })),
    opened: run.opened.filter(({ id }) => !run.into.has(id)),
    bridges: run.bridges,
  };
}

/** The case that a case has gone into, or itself. */
function lastOf({ into }: Placement, caseId: number): number {
  let last = caseId;
  while (into.has(last)) last = into.get(last)!;
  return last;
}

function begin(
  set: Grouping,
  ordered: readonly Candidate[],
  openCases: readonly OpenCase[],
  seen: ReadonlyMap<string, readonly Sighting[]>,
  knownParties: ReadonlyMap<string, readonly SeenParty[]>,
): Placement {
  const run: Placement = {
    set,
    cases: new Map(openCases.map((each) => [each.id, { ...each }])),
    parties: new Map([...knownParties].map(([key, list]) => [key, new Map(list.map(({ party, firstAt }) => [party, firstAt]))])),
    waiting: new Map(),
    inCases: new Map(),
    recent: new Map(),
    known: new Map(),
    joined: [],
    opened: [],
    bridges: [],
    into: new Map(),
  };
  for (const [key, list] of seen) {
    for (const each of list) {
      const { sighting, keys } = run.known.get(each.alertId) ?? { sighting: { ...each }, keys: [] };
      run.known.set(each.alertId, { sighting, keys });
      keys.push(key);
      add(run, sighting.caseId === undefined ? run.waiting : run.inCases, key, sighting);
    }
  }
  for (const alert of ordered) {
    const sighting: Sighting = { ...alert, alertId: alert.id, caseId: undefined };
    run.known.set(alert.id, { sighting, keys: alert.entities.map(keyOf) });
    for (const entity of alert.entities) if (!isOfCasesOnly(entity)) add(run, run.waiting, keyOf(entity), sighting);
  }
  return run;
}

function addParty({ parties }: Placement, key: string, sighting: Sighting): void {
  if (sighting.party !== '') {
    const known = parties.get(key) ?? new Map<string, number>();
    parties.set(key, known);
    known.set(sighting.party, Math.min(known.get(sighting.party) ?? Infinity, sighting.at));
  }
}

function add(run: Placement, to: Map<string, Sighting[]>, key: string, sighting: Sighting): void {
  addParty(run, key, sighting);
  const list = to.get(key);
  if (list) list.push(sighting);
  else to.set(key, [sighting]);
}

function put(run: Placement, alertId: number, caseId: number, sentence: string): void {
  run.joined.push({ alertId, caseId, sentence });
  const { sighting, keys } = run.known.get(alertId)!;
  sighting.caseId = caseId;
  for (const key of keys) {
    addParty(run, key, sighting);
    const newest = run.recent.get(key) ?? new Map<string, Sighting>();
    run.recent.set(key, newest);
    const place = `${caseId} ${sighting.criticality >= run.set.limits.severeFrom}`;
    if (!((newest.get(place)?.at ?? -Infinity) > sighting.at)) newest.set(place, sighting);
  }
  const found = run.cases.get(caseId);
  if (found) found.alerts = (found.alerts ?? 0) + 1;
}

const isShared = ({ parties }: Placement, key: string, maxParties: number): boolean => (parties.get(key)?.size ?? 0) > maxParties;

interface FoundCase {
  caseId: number;
  rule: JoiningRule;
  value: string;
}

/** Case of the first joining rule that applies; behind it others that a severe alert bridges to. */
function findCases(run: Placement, alert: Candidate): FoundCase[] {
  const found: FoundCase[] = [];
  const { severeFrom } = run.set.limits;
  for (const rule of run.set.joining) {
    if (alert.criticality < rule.from) continue;
    const isFirst = found.length === 0;
    if (!isFirst && !(rule.bridges && alert.criticality >= severeFrom)) continue;
    for (const { kind, value } of alert.entities) {
      if (kind !== rule.kind) continue;
      const caseId = nearestCase(run, alert, rule, value, isFirst ? 0 : severeFrom);
      if (caseId === undefined || found.some((each) => each.caseId === caseId)) continue;
      found.push({ caseId, rule, value });
    }
  }
  return found;
}

/** Case in reach of the sighting nearest in time; of equally near ones the case with the lowest id. */
function nearestCase(run: Placement, alert: Candidate, rule: JoiningRule, value: string, from: number): number | undefined {
  const key = keyOf({ kind: rule.meets ?? rule.kind, value });
  const sightings = [...(run.inCases.get(key) ?? []), ...(run.recent.get(key)?.values() ?? [])];
  const isWide = isShared(run, key, rule.maxParties);
  if (isWide && !rule.widens) return undefined;
  let best: { caseId: number; distance: number } | undefined;
  for (const { caseId: given, at, criticality } of sightings) {
    const distance = Math.abs(at - alert.at);
    if (given === undefined || distance > rule.windowMs || criticality < (isWide ? run.set.limits.severeFrom : from)) continue;
    const caseId = lastOf(run, given);
    if (best && (distance > best.distance || (distance === best.distance && caseId >= best.caseId))) continue;
    if (!isInReach(run, caseId, alert.at) || (isWide && !hasSpreadSince(run, key, rule.maxParties, caseId))) continue;
    if (rule.maxOwn !== undefined && !hasSpreadSince(run, keyOf({ kind: rule.kind, value }), rule.maxOwn, caseId)) continue;
    best = { caseId, distance };
  }
  return best?.caseId;
}

/** True where at most `max` parties had a value before the case began: what is common later, the case itself has spread. */
function hasSpreadSince({ set, cases, parties }: Placement, key: string, max: number, caseId: number): boolean {
  const known = parties.get(key);
  const begun = cases.get(caseId)?.firstAt;
  if (known === undefined || begun === undefined || known.size <= max) return true;
  if (known.size > set.limits.maxCaseDevices) return false;
  let before = 0;
  for (const firstAt of known.values()) if (firstAt < begun) before++;
  return before <= max;
}

/** Makes one case of two that a severe alert joins: the one without any work on it goes into the other, else the later into the earlier. */
function bridge(run: Placement, alert: Candidate, joined: FoundCase, { caseId, rule: { sentence } }: FoundCase): void {
  const [one, other] = [run.cases.get(lastOf(run, joined.caseId)), run.cases.get(lastOf(run, caseId))];
  if (!one || !other || one === other) return;
  const { severeFrom, maxCaseAlerts, maxCaseDevices, longestCaseMs } = run.set.limits;
  // Severe on both sides.
  if (nearestCase(run, alert, joined.rule, joined.value, severeFrom) !== one.id) return;
  const isApart = one.apartFrom?.includes(other.id) || other.apartFrom?.includes(one.id);
  const isTooLarge =
    (one.alerts ?? 0) + (other.alerts ?? 0) > maxCaseAlerts || (one.devices ?? 0) + (other.devices ?? 0) > maxCaseDevices;
  if (isApart || isTooLarge || Math.abs(one.firstAt - other.firstAt) > longestCaseMs) return;
  const [into, from] = isKeptOf(one, other) ? [one, other] : [other, one];
  const isRelatedOnly = from.isAttended === true;
  if (isRelatedOnly && run.bridges.some((each) => each.isRelatedOnly && each.from === from.id && each.into === into.id)) return;
  if (isRelatedOnly || from.id > 0)
    run.bridges.push({ from: from.id, into: into.id, alertId: alert.id, sentence, isRelatedOnly });
  if (isRelatedOnly) return;
  run.into.set(from.id, into.id);
  into.firstAt = Math.min(into.firstAt, from.firstAt);
  into.alerts = (into.alerts ?? 0) + (from.alerts ?? 0);
  into.devices = (into.devices ?? 0) + (from.devices ?? 0);
  run.cases.delete(from.id);
}

/** The case that stays: one that was dealt with, of an earlier run, then the earlier one. */
function isKeptOf(one: OpenCase, other: OpenCase): boolean {
  if ((one.isAttended === true) !== (other.isAttended === true)) return one.isAttended === true;
  if (one.id > 0 !== other.id > 0) return one.id > 0;
  return one.firstAt === other.firstAt ? Math.abs(one.id) < Math.abs(other.id) : one.firstAt < other.firstAt;
}

function isInReach({ set: { limits }, cases }: Placement, caseId: number, at: number): boolean {
  const found = cases.get(caseId);
  return (
    found !== undefined && Math.abs(at - found.firstAt) <= limits.longestCaseMs && (found.alerts ?? 0) < limits.maxCaseAlerts
  );
}

/** Alerts outside cases that share an entity with this one within a window before it, including itself. */
const waitingWith = (
  run: Placement,
  alert: Candidate,
  kind: Entity['kind'],
  { windowMs, from, rules = 1, tactics = 0 }: { windowMs: number; from: number; rules?: number; tactics?: number },
  withUsual = false,
): Sighting[][] =>
  alert.entities
    .filter((entity) => entity.kind === kind)
    .flatMap((entity) => {
      const key = keyOf(entity);
      const list = run.waiting.get(key) ?? [];
      if (kind === 'user' && isShared(run, key, run.set.limits.userSpread)) return [];
      const isWaiting = (each: Sighting) =>
        each.caseId === undefined &&
        (withUsual || !each.isUsual) &&
        each.criticality >= from &&
        each.at <= alert.at &&
        alert.at - each.at <= windowMs;
      return shows(list, isWaiting, rules, tactics) ? [list.filter(isWaiting)] : [];
    });

/** Reason to open a case for the alert: its severity, a sequence of tactics, or several rules. */
function openingOf(run: Placement, alert: Candidate): { sentence: string; members: readonly Sighting[] } | undefined {
  const { severe, sequence, aim, rules } = run.set.opening;
  if (alert.criticality >= severe.from) return { sentence: severe.sentence, members: [] };
  if (alert.isUsual) return undefined;
  const applies = ({ isOn, from }: { isOn: boolean; from: number }) => isOn && alert.criticality >= from;
  const chain = applies(sequence) ? chainWith(run, alert) : undefined;
  if (chain) return { sentence: sequence.sentence, members: chain };
  const aimed = applies(aim) ? aimedWith(run, alert) : undefined;
  if (aimed) return { sentence: aim.sentence, members: aimed };
  const several = applies(rules) ? rules.kinds.flatMap((kind) => waitingWith(run, alert, kind, rules))[0] : undefined;
  return several && { sentence: rules.sentence, members: several };
}

/** Alerts whose tactics stand in the order of an attack. */
function chainWith(run: Placement, alert: Candidate): readonly Sighting[] | undefined {
  const { sequence } = run.set.opening;
  const isMedium = (each: Sighting) => each.criticality >= criticalityOf.medium;
  return sequence.kinds
    .flatMap((kind) => waitingWith(run, alert, kind, sequence))
    .find((list) => tacticsInOrder(list, isMedium, sequence.mediums) >= sequence.tactics);
}

/** Alerts of steps before the alert, if it shows an aim of a later tactic. */
function aimedWith(run: Placement, alert: Candidate): readonly Sighting[] | undefined {
  const { kinds, steps, aims, ...limits } = run.set.opening.aim;
  const last = Math.max(...alert.tactics.filter((tactic) => aims.includes(tactic)).map((tactic) => tacticPlace(tactic) ?? -1));
  const isStep = (each: Sighting) =>
    each.ruleId !== alert.ruleId && each.tactics.some((tactic) => steps.includes(tactic) && (tacticPlace(tactic) ?? last) < last);
  return kinds.flatMap((kind) => waitingWith(run, alert, kind, limits)).find((list) => list.some(isStep));
}

/** Opens a case with its members and the alerts that led up to it. */
function open(run: Placement, alert: Candidate, sentence: string, members: readonly Sighting[]): void {
  const id = -1 - run.opened.length;
  run.opened.push({ id, alertId: alert.id });
  run.cases.set(id, { id, firstAt: alert.at, alerts: 0, devices: 1 });
  put(run, alert.id, id, sentence);
  const others = new Set(members.map((member) => member.alertId));
  others.delete(alert.id);
  for (const alertId of others) put(run, alertId, id, sentence);
  const { leadUp } = run.set.opening;
  if (!leadUp.isOn) return;
  for (const kind of leadUp.kinds)
    for (const list of waitingWith(run, alert, kind, { ...leadUp, from: kind === 'process' ? 1 : leadUp.from }, true))
      for (const each of list) if (each.caseId === undefined) put(run, each.alertId, id, leadUp.sentence);
}

/** Cheap check of the minimum number of rules and tactics, which most candidates fail. */
function shows(list: readonly Sighting[], isMeant: (each: Sighting) => boolean, rules: number, tactics: number): boolean {
  const shownRules: number[] = [];
  const shownTactics = new Set<string>();
  for (const each of list) {
    // Tactics belong to the rule.
    if (shownRules.includes(each.ruleId) || !isMeant(each)) continue;
    shownRules.push(each.ruleId);
    for (const tactic of each.tactics) shownTactics.add(tactic);
    if (shownRules.length >= rules && shownTactics.size >= tactics) return true;
  }
  return false;
}

/** True where an alert outside cases can still lead up to one. */
export const canLeadUp = ({ criticality, entities }: Pick<Candidate, 'criticality' | 'entities'>): boolean =>
  criticality >= waitingFrom || entities.some(({ kind }) => kind === 'process');

/** Internal addresses and names of other machines only count for a device of the case. */
export const isOfCasesOnly = ({ kind }: Pick<Entity, 'kind'>): boolean =>
  kind === 'origin' || kind === 'host' || kind === 'caller' || kind === 'reaches';
