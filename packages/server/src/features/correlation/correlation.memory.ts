/** Earlier alerts as correlation reads them: the database's, or those that a preview has judged so far. */
import type { Tx } from '../../core/db/scope.ts';
import type { OpenCase, Sighting } from './correlation.judge.ts';
import { listApart, listMerged } from './correlation.merges.ts';
import { addParties, type Habit, type Party, type PartySighting, readHabits, readParties } from './correlation.parties.ts';
import type { Entity } from './correlation.rules.ts';
import { listOpenCases, type Rule, readRules, readSightings } from './correlation.store.ts';

export interface Memory {
  addParties(sightings: readonly PartySighting[]): Promise<unknown>;
  /** By `partyKey`. */
  readParties(wanted: readonly { kind: string; value: string }[]): Promise<Map<string, Party[]>>;
  /** In the order of the pairs; fleets are counted up to `maxFleet`, within `fleetMs`. */
  readHabits(
    pairs: readonly { ruleId: number; party: string; at: number }[],
    maxFleet: number,
    fleetMs: number,
  ): Promise<Habit[]>;
  /** By `keyOf` of the entity. */
  readSightings(wanted: readonly { entity: Entity; from: number; to: number }[]): Promise<Map<string, Sighting[]>>;
  readRules(ids: readonly number[]): Promise<ReadonlyMap<number, Rule>>;
  listOpenCases(ids: readonly number[]): Promise<OpenCase[]>;
  /** The case that each merged case is part of. */
  listMerged(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

export const databaseMemory = (tx: Tx, organisationId: number): Memory => ({
  addParties: (sightings) => addParties(tx, organisationId, sightings),
  readParties: (wanted) => readParties(tx, organisationId, wanted),
  readHabits: (pairs, maxFleet, fleetMs) => readHabits(tx, organisationId, pairs, maxFleet, fleetMs),
  readSightings: (wanted) => readSightings(tx, organisationId, wanted),
  readRules: (ids) => readRules(tx, ids),
  async listOpenCases(ids) {
    const [cases, apart] = await Promise.all([listOpenCases(tx, organisationId, ids), listApart(tx, organisationId, ids)]);
    return cases.map((each) => ({ ...each, apartFrom: apart.get(each.id) ?? [] }));
  },
  listMerged: (ids) => listMerged(tx, organisationId, ids),
});
