/** Which alert belongs to which case: pure, so that the same alerts and the same cases always give the same answer. */
import { tacticsInOrder } from '../../core/facts.ts';
import { type Entity, joiningRules, keyOf, longestCaseMs, openingRules } from './correlation.rules.ts';

export interface Candidate {
  id: number;
  at: number;
  ruleId: number;
  criticality: number;
  tactics: readonly string[];
  /** Its device, or for a service that all share its user; empty where it names none. */
  party: string;
  entities: readonly Entity[];
}

/** An alert of before that showed an entity. */
export interface Sighting {
  alertId: number;
  at: number;
  party: string;
  ruleId: number;
  criticality: number;
  tactics: readonly string[];
  /** Undefined: in no case. */
  caseId: number | undefined;
}

/** A case that can still take alerts in. */
export interface OpenCase {
  id: number;
  firstAt: number;
}

export interface Joined {
  alertId: number;
  /** Negative for cases that this judgement opens. */
  caseId: number;
  sentence: string;
}

export interface Opened {
  id: number;
  alertId: number;
}

/** `seen`: earlier sightings by `keyOf` of their entity; of `origin` and `host` only those of alerts in cases. `knownParties`: who showed it before. */
export function judge(
  alerts: readonly Candidate[],
  openCases: readonly OpenCase[],
  seen: ReadonlyMap<string, readonly Sighting[]>,
  knownParties: ReadonlyMap<string, readonly string[]> = new Map(),
): { joined: Joined[]; opened: Opened[] } {
  const cases = new Map(openCases.map((each) => [each.id, { ...each }]));
  const sightings = new Map<string, Sighting[]>([...seen].map(([key, list]) => [key, list.map((each) => ({ ...each }))]));
  const ordered = [...alerts].sort((a, b) => a.at - b.at || a.id - b.id);
  /** All sightings of one alert: they change their case together. */
  const ofAlert = new Map<number, Sighting[]>();
  const fresh = new Map(alerts.map((alert) => [alert.id, alert]));
  const parties = new Map<string, Set<string>>([...knownParties].map(([key, list]) => [key, new Set(list)]));
  const noteParty = (key: string, party: string) => {
    if (party === '') return;
    const known = parties.get(key);
    if (known) known.add(party);
    else parties.set(key, new Set([party]));
  };
  const isShared = (key: string, maxParties: number) => (parties.get(key)?.size ?? 0) > maxParties;
  for (const [key, list] of seen) for (const { party } of list) noteParty(key, party);
  const see = (key: string, sighting: Sighting) => {
    noteParty(key, sighting.party);
    const list = sightings.get(key);
    if (list) list.push(sighting);
    else sightings.set(key, [sighting]);
  };
  for (const list of sightings.values()) {
    for (const sighting of list) {
      const known = ofAlert.get(sighting.alertId);
      if (known) known.push(sighting);
      else ofAlert.set(sighting.alertId, [sighting]);
    }
  }
  for (const alert of ordered) {
    const sighting: Sighting = { ...alert, alertId: alert.id, caseId: undefined };
    ofAlert.set(alert.id, [sighting]);
    for (const entity of alert.entities) {
      if (!isOfCasesOnly(entity)) see(keyOf(entity), sighting);
    }
  }

  const joined: Joined[] = [];
  const opened: Opened[] = [];
  const put = (alertId: number, caseId: number, sentence: string) => {
    joined.push({ alertId, caseId, sentence });
    for (const sighting of ofAlert.get(alertId) ?? []) sighting.caseId = caseId;
    for (const entity of fresh.get(alertId)?.entities ?? [])
      if (isOfCasesOnly(entity)) see(keyOf(entity), ofAlert.get(alertId)![0]!);
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
        for (const { caseId, at } of sightings.get(key) ?? []) {
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

  /** Alerts without a case that share an entity with this one and happened within a window before it; itself included. */
  const waitingWith = (alert: Candidate, kind: Entity['kind'], windowMs: number, from: number): Sighting[][] =>
    alert.entities
      .filter((entity) => entity.kind === kind)
      .flatMap((entity) => {
        const key = keyOf(entity);
        if (kind === 'user' && isShared(key, userSpread)) return [];
        return [
          (sightings.get(key) ?? []).filter(
            (each) =>
              each.caseId === undefined && each.criticality >= from && each.at <= alert.at && alert.at - each.at <= windowMs,
          ),
        ];
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
      for (const list of waitingWith(alert, kind, leadUp.windowMs, kind === 'process' ? 1 : leadUp.from))
        for (const each of list) if (each.caseId === undefined) put(each.alertId, id, leadUp.sentence);
  };

  for (const alert of ordered) {
    // Taken in meanwhile by a case that it led up to.
    if (ofAlert.get(alert.id)?.[0]?.caseId !== undefined) continue;
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
    const chain = sequence.kinds
      .flatMap((kind) => waitingWith(alert, kind, sequence.windowMs, sequence.from))
      .find(
        (list) =>
          alert.criticality >= sequence.from &&
          list.filter((each) => each.criticality >= 3).length >= sequence.mediums &&
          new Set(list.map((each) => each.ruleId)).size >= sequence.rules &&
          tacticsInOrder(list) >= sequence.tactics,
      );
    const several = chain
      ? undefined
      : rules.kinds
          .flatMap((kind) => waitingWith(alert, kind, rules.windowMs, rules.from))
          .find((list) => alert.criticality >= rules.from && new Set(list.map((each) => each.ruleId)).size >= rules.rules);
    if (chain) open(alert, sequence.sentence, chain);
    else if (several) open(alert, rules.sentence, several);
  }
  return { joined, opened };
}

const userSpread = joiningRules.find((rule) => rule.kind === 'user')!.maxParties;

/** Inside addresses say something only of a device of a case: every network has the same ones. */
export const isOfCasesOnly = ({ kind }: Entity): boolean => kind === 'origin' || kind === 'host';
