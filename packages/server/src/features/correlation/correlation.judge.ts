/** Assignment of alerts to cases: pure, so that equal alerts and cases always give equal results. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { tacticsInOrder } from '../../domain/facts.ts';
import { type Entity, joiningRules, keyOf, longestCaseMs, openingRules } from './correlation.rules.ts';

export interface Candidate {
  id: number;
  at: number;
  ruleId: number;
  criticality: number;
  tactics: readonly string[];
  /** The device, or the user for a shared service; empty without either. */
  party: string;
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
  /** Undefined outside cases. */
  caseId: number | undefined;
}

/** An open case that alerts can join. */
export interface OpenCase {
  id: number;
  firstAt: number;
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
  cases: Map<number, OpenCase>;
  parties: Map<string, Set<string>>;
  waiting: Map<string, Sighting[]>;
  inCases: Map<string, Sighting[]>;
  known: Map<number, { sighting: Sighting; keys: string[] }>;
  joined: Joined[];
  opened: Opened[];
}

/** `seen`: earlier sightings by `keyOf` of their entity; `origin` and `host` only for alerts in cases. `knownParties`: parties of earlier sightings. */
export function judge(
  alerts: readonly Candidate[],
  openCases: readonly OpenCase[],
  seen: ReadonlyMap<string, readonly Sighting[]>,
  knownParties: ReadonlyMap<string, readonly string[]> = new Map(),
): { joined: Joined[]; opened: Opened[] } {
  const ordered = [...alerts].sort((a, b) => a.at - b.at || a.id - b.id);
  const run = begin(ordered, openCases, seen, knownParties);
  for (const alert of ordered) {
    // Joined a case that it led up to.
    if (run.known.get(alert.id)!.sighting.caseId !== undefined) continue;
    const found = findCase(run, alert);
    if (found) {
      put(run, alert.id, found.caseId, found.sentence);
      continue;
    }
    const opening = openingOf(run, alert);
    if (opening) open(run, alert, opening.sentence, opening.members);
  }
  return { joined: run.joined, opened: run.opened };
}

function begin(
  ordered: readonly Candidate[],
  openCases: readonly OpenCase[],
  seen: ReadonlyMap<string, readonly Sighting[]>,
  knownParties: ReadonlyMap<string, readonly string[]>,
): Placement {
  const run: Placement = {
    cases: new Map(openCases.map((each) => [each.id, { ...each }])),
    parties: new Map([...knownParties].map(([key, list]) => [key, new Set(list)])),
    waiting: new Map(),
    inCases: new Map(),
    known: new Map(),
    joined: [],
    opened: [],
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

function add({ parties }: Placement, to: Map<string, Sighting[]>, key: string, sighting: Sighting): void {
  if (sighting.party !== '') {
    const known = parties.get(key);
    if (known) known.add(sighting.party);
    else parties.set(key, new Set([sighting.party]));
  }
  const list = to.get(key);
  if (list) list.push(sighting);
  else to.set(key, [sighting]);
}

function put(run: Placement, alertId: number, caseId: number, sentence: string): void {
  run.joined.push({ alertId, caseId, sentence });
  const { sighting, keys } = run.known.get(alertId)!;
  sighting.caseId = caseId;
  for (const key of keys) add(run, run.inCases, key, sighting);
}

const isShared = ({ parties }: Placement, key: string, maxParties: number): boolean => (parties.get(key)?.size ?? 0) > maxParties;

/** Case of the first joining rule that applies. */
function findCase(run: Placement, alert: Candidate): { caseId: number; sentence: string } | undefined {
  for (const rule of joiningRules) {
    if (alert.criticality < rule.from) continue;
    const keys = alert.entities
      .filter((entity) => entity.kind === rule.kind)
      .map((entity) => keyOf({ kind: rule.meets ?? rule.kind, value: entity.value }))
      .filter((key) => !isShared(run, key, rule.maxParties));
    const caseId = nearestCase(run, alert.at, keys, rule.windowMs);
    if (caseId !== undefined) return { caseId, sentence: rule.sentence };
  }
  return undefined;
}

/** Case in reach of the sighting nearest in time; of equally near ones the case with the lowest id. */
function nearestCase(run: Placement, alertAt: number, keys: readonly string[], windowMs: number): number | undefined {
  let best: { caseId: number; distance: number } | undefined;
  for (const key of keys)
    for (const { caseId, at } of run.inCases.get(key) ?? []) {
      const distance = Math.abs(at - alertAt);
      if (caseId === undefined || distance > windowMs || !isInReach(run, caseId, alertAt)) continue;
      if (!best || distance < best.distance || (distance === best.distance && caseId < best.caseId)) best = { caseId, distance };
    }
  return best?.caseId;
}

function isInReach({ cases }: Placement, caseId: number, at: number): boolean {
  const found = cases.get(caseId);
  return found !== undefined && Math.abs(at - found.firstAt) <= longestCaseMs;
}

const userSpread = joiningRules.find((rule) => rule.kind === 'user')!.maxParties;

/** Alerts outside cases that share an entity with this one within a window before it, including itself. */
const waitingWith = (
  run: Placement,
  alert: Candidate,
  kind: Entity['kind'],
  { windowMs, from, rules = 1, tactics = 0 }: { windowMs: number; from: number; rules?: number; tactics?: number },
): Sighting[][] =>
  alert.entities
    .filter((entity) => entity.kind === kind)
    .flatMap((entity) => {
      const key = keyOf(entity);
      const list = run.waiting.get(key) ?? [];
      if (kind === 'user' && isShared(run, key, userSpread)) return [];
      const isWaiting = (each: Sighting) =>
        each.caseId === undefined && each.criticality >= from && each.at <= alert.at && alert.at - each.at <= windowMs;
      return shows(list, isWaiting, rules, tactics) ? [list.filter(isWaiting)] : [];
    });

/** Reason to open a case for the alert: its severity, a sequence of tactics, or several rules. */
function openingOf(run: Placement, alert: Candidate): { sentence: string; members: readonly Sighting[] } | undefined {
  const { severe, sequence, rules } = openingRules;
  if (alert.criticality >= severe.from) return { sentence: severe.sentence, members: [] };
  if (alert.criticality < sequence.from) return undefined;
  const chain = sequence.kinds
    .flatMap((kind) => waitingWith(run, alert, kind, sequence))
    .find(
      (list) =>
        list.filter((each) => each.criticality >= criticalityOf.medium).length >= sequence.mediums &&
        tacticsInOrder(list) >= sequence.tactics,
    );
  if (chain) return { sentence: sequence.sentence, members: chain };
  if (alert.criticality < rules.from) return undefined;
  const several = rules.kinds.flatMap((kind) => waitingWith(run, alert, kind, rules))[0];
  return several && { sentence: rules.sentence, members: several };
}

/** Opens a case with its members and the alerts that led up to it. */
function open(run: Placement, alert: Candidate, sentence: string, members: readonly Sighting[]): void {
  const id = -1 - run.opened.length;
  run.opened.push({ id, alertId: alert.id });
  run.cases.set(id, { id, firstAt: alert.at });
  put(run, alert.id, id, sentence);
  const others = new Set(members.map((member) => member.alertId));
  others.delete(alert.id);
  for (const alertId of others) put(run, alertId, id, sentence);
  const { leadUp } = openingRules;
  for (const kind of leadUp.kinds)
    for (const list of waitingWith(run, alert, kind, { ...leadUp, from: kind === 'process' ? 1 : leadUp.from }))
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

/** Internal addresses repeat in every network, so they only count for a device of the case. */
export const isOfCasesOnly = ({ kind }: Entity): boolean => kind === 'origin' || kind === 'host';
