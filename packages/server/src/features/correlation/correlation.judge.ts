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

/** `seen`: earlier sightings by `keyOf` of their entity; `origin` and `host` only for alerts in cases. `knownParties`: parties of earlier sightings. */
export function judge(
  alerts: readonly Candidate[],
  openCases: readonly OpenCase[],
  seen: ReadonlyMap<string, readonly Sighting[]>,
  knownParties: ReadonlyMap<string, readonly string[]> = new Map(),
): { joined: Joined[]; opened: Opened[] } {
  const cases = new Map(openCases.map((each) => [each.id, { ...each }]));
  const ordered = [...alerts].sort((a, b) => a.at - b.at || a.id - b.id);
  const parties = new Map<string, Set<string>>([...knownParties].map(([key, list]) => [key, new Set(list)]));
  const noteParty = (key: string, party: string) => {
    if (party === '') return;
    const known = parties.get(key);
    if (known) known.add(party);
    else parties.set(key, new Set([party]));
  };
  const isShared = (key: string, maxParties: number) => (parties.get(key)?.size ?? 0) > maxParties;

  /** Alerts outside and inside cases, by entity. */
  const waiting = new Map<string, Sighting[]>();
  const inCases = new Map<string, Sighting[]>();
  const known = new Map<number, { sighting: Sighting; keys: string[] }>();
  const add = (to: Map<string, Sighting[]>, key: string, sighting: Sighting) => {
    noteParty(key, sighting.party);
    const list = to.get(key);
    if (list) list.push(sighting);
    else to.set(key, [sighting]);
  };
  for (const [key, list] of seen) {
    for (const each of list) {
      const { sighting, keys } = known.get(each.alertId) ?? { sighting: { ...each }, keys: [] };
      known.set(each.alertId, { sighting, keys });
      keys.push(key);
      add(sighting.caseId === undefined ? waiting : inCases, key, sighting);
    }
  }
  for (const alert of ordered) {
    const sighting: Sighting = { ...alert, alertId: alert.id, caseId: undefined };
    known.set(alert.id, { sighting, keys: alert.entities.map(keyOf) });
    for (const entity of alert.entities) if (!isOfCasesOnly(entity)) add(waiting, keyOf(entity), sighting);
  }

  const joined: Joined[] = [];
  const opened: Opened[] = [];
  const put = (alertId: number, caseId: number, sentence: string) => {
    joined.push({ alertId, caseId, sentence });
    const { sighting, keys } = known.get(alertId)!;
    sighting.caseId = caseId;
    for (const key of keys) add(inCases, key, sighting);
  };
  const isInReach = (caseId: number, at: number) => {
    const found = cases.get(caseId);
    return found !== undefined && Math.abs(at - found.firstAt) <= longestCaseMs;
  };

  const findCase = (alert: Candidate): { caseId: number; sentence: string } | undefined => {
    for (const rule of joiningRules) {
      if (alert.criticality < rule.from) continue;
      let best: { caseId: number; distance: number } | undefined;
      for (const entity of alert.entities) {
        if (entity.kind !== rule.kind) continue;
        const key = keyOf({ kind: rule.meets ?? rule.kind, value: entity.value });
        if (isShared(key, rule.maxParties)) continue;
        for (const { caseId, at } of inCases.get(key) ?? []) {
          const distance = Math.abs(at - alert.at);
          if (caseId === undefined || distance > rule.windowMs || !isInReach(caseId, alert.at)) continue;
          if (!best || distance < best.distance || (distance === best.distance && caseId < best.caseId))
            best = { caseId, distance };
        }
      }
      if (best) return { caseId: best.caseId, sentence: rule.sentence };
    }
    return undefined;
  };

  /** Alerts outside cases that share an entity with this one within a window before it, including itself. */
  const waitingWith = (
    alert: Candidate,
    kind: Entity['kind'],
    { windowMs, from, rules = 1, tactics = 0 }: { windowMs: number; from: number; rules?: number; tactics?: number },
  ): Sighting[][] =>
    alert.entities
      .filter((entity) => entity.kind === kind)
      .flatMap((entity) => {
        const key = keyOf(entity);
        const list = waiting.get(key) ?? [];
        if (kind === 'user' && isShared(key, userSpread)) return [];
        const isWaiting = (each: Sighting) =>
          each.caseId === undefined && each.criticality >= from && each.at <= alert.at && alert.at - each.at <= windowMs;
        return shows(list, isWaiting, rules, tactics) ? [list.filter(isWaiting)] : [];
      });

  const open = (alert: Candidate, sentence: string, members: readonly Sighting[]) => {
    const id = -1 - opened.length;
    opened.push({ id, alertId: alert.id });
    cases.set(id, { id, firstAt: alert.at });
    put(alert.id, id, sentence);
    const others = new Set(members.map((member) => member.alertId));
    others.delete(alert.id);
    for (const alertId of others) put(alertId, id, sentence);
    const { leadUp } = openingRules;
    for (const kind of leadUp.kinds)
      for (const list of waitingWith(alert, kind, { ...leadUp, from: kind === 'process' ? 1 : leadUp.from }))
        for (const each of list) if (each.caseId === undefined) put(each.alertId, id, leadUp.sentence);
  };

  for (const alert of ordered) {
    // Joined a case that it led up to.
    if (known.get(alert.id)!.sighting.caseId !== undefined) continue;
    const found = findCase(alert);
    if (found) {
      put(alert.id, found.caseId, found.sentence);
      continue;
    }
    if (alert.criticality >= openingRules.severe.from) {
      open(alert, openingRules.severe.sentence, []);
      continue;
    }
    const { sequence, rules } = openingRules;
    if (alert.criticality < sequence.from) continue;
    const chain = sequence.kinds
      .flatMap((kind) => waitingWith(alert, kind, sequence))
      .find(
        (list) =>
          list.filter((each) => each.criticality >= criticalityOf.medium).length >= sequence.mediums &&
          tacticsInOrder(list) >= sequence.tactics,
      );
    const several =
      chain || alert.criticality < rules.from ? undefined : rules.kinds.flatMap((kind) => waitingWith(alert, kind, rules))[0];
    if (chain) open(alert, sequence.sentence, chain);
    else if (several) open(alert, rules.sentence, several);
  }
  return { joined, opened };
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

const userSpread = joiningRules.find((rule) => rule.kind === 'user')!.maxParties;

/** Internal addresses repeat in every network, so they only count for a device of the case. */
export const isOfCasesOnly = ({ kind }: Entity): boolean => kind === 'origin' || kind === 'host';
