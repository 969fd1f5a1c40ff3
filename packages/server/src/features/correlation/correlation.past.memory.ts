/** Memory of correlation for past alerts that a set judges: as the database keeps it, in memory and without work of people. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { dateOf } from '../../domain/ranges.ts';
import { type Candidate, canLeadUp, isOfCasesOnly, type Judgement, type OpenCase, type Sighting } from './correlation.judge.ts';
import type { Memory } from './correlation.memory.ts';
import { type Habit, maxParties, mergedSightings, type Party, type PartySighting, partyKey } from './correlation.parties.ts';
import { type Entity, keptMs, keyOf } from './correlation.rules.ts';
import { maxSightings, type Rule } from './correlation.store.ts';
import type { Reported } from './correlation.surroundings.ts';

export interface PastCase {
  id: number;
  /** Time of raising of the alert that opened it. */
  openedAt: number;
  firstAt: number;
  /** In the order in which they joined. */
  alertIds: number[];
  devices: Set<string>;
}

interface KnownParty {
  firstAt: number;
  lastAt: number;
  days: number;
}

type StoredSighting = Omit<Sighting, 'caseId' | 'tactics' | 'isUsual'>;

export type SeedParty = KnownParty & Pick<PartySighting, 'kind' | 'value' | 'party'>;

export class PastMemory implements Memory {
  readonly cases = new Map<number, PastCase>();
  readonly caseOf = new Map<number, number>();
  readonly #rules: ReadonlyMap<number, Rule>;
  readonly #parties = new Map<string, Map<string, KnownParty>>();
  readonly #sightings = new Map<string, StoredSighting[]>();
  readonly #facts = new Map<number, { at: number; device: string | null }>();
  readonly #into = new Map<number, number>();
  /** Earlier entries are forgotten. */
  #floor = -Infinity;
  #lastId = 0;

  constructor(rules: ReadonlyMap<number, Rule>, parties: readonly SeedParty[] = []) {
    this.#rules = rules;
    for (const { kind, value, party, ...known } of parties) this.#partiesOf(partyKey(kind, value)).set(party, known);
  }

  async addParties(sightings: readonly PartySighting[]): Promise<void> {
    for (const { kind, value, party, at, last } of mergedSightings(sightings).values()) {
      const parties = this.#partiesOf(partyKey(kind, value));
      const known = parties.get(party);
      if (!known || known.lastAt < this.#floor) parties.set(party, { firstAt: at, lastAt: last, days: 1 });
      else if (last > known.lastAt + hourMs || at < known.firstAt) {
        if (dateOf(last) > dateOf(known.lastAt)) known.days++;
        known.firstAt = Math.min(known.firstAt, at);
        known.lastAt = Math.max(known.lastAt, last);
      }
    }
  }

  async readParties(wanted: readonly { kind: string; value: string }[]): Promise<Map<string, Party[]>> {
    const found = new Map<string, Party[]>();
    for (const { kind, value } of wanted) {
      const key = partyKey(kind, value);
      const list = [...(this.#parties.get(key) ?? [])].filter(([, { lastAt }]) => lastAt >= this.#floor);
      if (list.length > maxParties) list.sort(([a], [b]) => (a < b ? -1 : 1));
      const parties = list.slice(0, maxParties).map(([party, { firstAt }]) => ({ party, firstAt }));
      if (parties.length > 0) found.set(key, parties);
    }
    return found;
  }

  async readHabits(
    pairs: readonly { ruleId: number; party: string; at: number }[],
    maxFleet: number,
    fleetMs: number,
  ): Promise<Habit[]> {
    const fleets = new Map<string, number>();
    return pairs.map(({ ruleId, party, at }) => {
      const end = Math.ceil(at / hourMs) * hourMs;
      const parties = this.#parties.get(partyKey('rule', String(ruleId)));
      const key = `${ruleId} ${end}`;
      if (!fleets.has(key)) {
        const isNear = ({ firstAt, lastAt }: KnownParty) => lastAt >= this.#floor && lastAt >= end - fleetMs && firstAt <= end;
        fleets.set(key, Math.min(maxFleet, [...(parties?.values() ?? [])].filter(isNear).length));
      }
      const own = parties?.get(party);
      return { days: own && own.lastAt >= this.#floor ? own.days : 0, fleet: fleets.get(key)! };
    });
  }

  async readSightings(wanted: readonly { entity: Entity; from: number; to: number }[]): Promise<Map<string, Sighting[]>> {
    const seen = new Map<string, Sighting[]>();
    // An alert is one object under all its entities.
    const objects = new Map<number, Sighting>();
    for (const { entity, from, to } of wanted) {
      const key = keyOf(entity);
      const list = this.#newest(key, Math.max(from, this.#floor), to).map((sighting) => {
        const known = objects.get(sighting.alertId) ?? { ...sighting, caseId: this.caseOf.get(sighting.alertId), tactics: [] };
        objects.set(sighting.alertId, known);
        return known;
      });
      const shown = ofCases(list);
      if (shown.length > 0) seen.set(key, shown);
    }
    return seen;
  }

  async readRules(): Promise<ReadonlyMap<number, Rule>> {
    return this.#rules;
  }

  async listOpenCases(ids: readonly number[]): Promise<OpenCase[]> {
    return ids.flatMap((id) => {
      const found = this.cases.get(id);
      if (!found) return [];
      // Cases list twenty devices.
      return {
        id,
        firstAt: found.firstAt,
        isAttended: false,
        alerts: found.alertIds.length,
        devices: Math.min(20, found.devices.size),
      };
    });
  }

  async listMerged(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return new Map(ids.flatMap((id) => (this.#into.has(id) ? [[id, this.#lastOf(id)]] : [])));
  }

  /** Keeps what a judgement decided. */
  keep(candidates: readonly Candidate[], reported: readonly Reported[], { joined, opened, bridges }: Judgement): void {
    const raisedAt = new Map(reported.map(({ alert }) => [alert.id, alert.raisedAt.getTime()]));
    for (const { alert } of reported) this.#facts.set(alert.id, { at: alert.at.getTime(), device: alert.deviceName });
    const ids = new Map(opened.map(({ id }) => [id, ++this.#lastId]));
    for (const { id, alertId } of opened)
      this.cases.set(ids.get(id)!, {
        id: ids.get(id)!,
        openedAt: raisedAt.get(alertId)!,
        firstAt: Infinity,
        alertIds: [],
        devices: new Set(),
      });
    for (const { alertId, caseId } of joined) this.#join(alertId, ids.get(caseId) ?? caseId);
    for (const { from, into } of bridges) this.#absorb(from, into);
    this.#store(candidates, reported);
  }

  #join(alertId: number, caseId: number): void {
    const [joined, { at, device }] = [this.cases.get(caseId)!, this.#facts.get(alertId)!];
    this.caseOf.set(alertId, caseId);
    joined.alertIds.push(alertId);
    joined.firstAt = Math.min(joined.firstAt, at);
    if (device !== null) joined.devices.add(device);
  }

  #absorb(from: number, into: number): void {
    const [lost, remaining] = [this.cases.get(from), this.cases.get(into)];
    if (!lost || !remaining) return;
    remaining.alertIds.push(...lost.alertIds);
    remaining.firstAt = Math.min(remaining.firstAt, lost.firstAt);
    for (const name of lost.devices) remaining.devices.add(name);
    this.cases.delete(from);
    this.#into.set(from, into);
  }

  #store(candidates: readonly Candidate[], reported: readonly Reported[]): void {
    for (const [index, candidate] of candidates.entries()) {
      const { id, at, ruleId, criticality, party } = candidate;
      const { about } = reported[index]!;
      const isPlaced = this.caseOf.has(id);
      if (!isPlaced && !canLeadUp(candidate)) continue;
      const sighting = { alertId: id, at, ruleId, criticality, party };
      for (const entity of about.entities) if (isPlaced || !isOfCasesOnly(entity)) this.#insert(keyOf(entity), sighting);
    }
    const lowest = candidates.reduce((least, { at }) => Math.min(least, at), Infinity);
    this.#floor = Math.max(this.#floor, lowest - keptMs);
  }

  #insert(key: string, sighting: StoredSighting): void {
    const list = this.#sightings.get(key);
    if (!list) {
      this.#sightings.set(key, [sighting]);
      return;
    }
    let place = list.length;
    while (place > 0 && isAfter(list[place - 1]!, sighting)) place--;
    list.splice(place, 0, sighting);
  }

  /** Newest first. */
  #newest(key: string, from: number, to: number): StoredSighting[] {
    const list = this.#sightings.get(key) ?? [];
    const found: StoredSighting[] = [];
    for (let place = list.length - 1; place >= 0 && found.length < maxSightings; place--) {
      const sighting = list[place]!;
      if (sighting.at < from) break;
      if (sighting.at <= to) found.push(sighting);
    }
    return found;
  }

  #partiesOf(key: string): Map<string, KnownParty> {
    const known = this.#parties.get(key) ?? new Map<string, KnownParty>();
    this.#parties.set(key, known);
    return known;
  }

  #lastOf(id: number): number {
    let last = id;
    while (this.#into.has(last)) last = this.#into.get(last)!;
    return last;
  }
}

const isAfter = (a: StoredSighting, b: StoredSighting): boolean => a.at > b.at || (a.at === b.at && a.alertId > b.alertId);

/** Of the alerts of a case the first two, the last two and the worst, as the store reads them; newest first. */
function ofCases(list: readonly Sighting[]): Sighting[] {
  const byCase = Map.groupBy(list, ({ caseId }) => caseId);
  const shown = new Set(byCase.get(undefined));
  for (const [caseId, own] of byCase) {
    if (caseId === undefined) continue;
    const worst = own.reduce((a, b) => (b.criticality > a.criticality ? b : a));
    for (const each of [...own.slice(0, 2), ...own.slice(-2), worst]) shown.add(each);
  }
  return list.filter((each) => shown.has(each));
}
