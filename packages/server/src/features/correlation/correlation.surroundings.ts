/** Surroundings of a batch of alerts: identities of its names, frequency of its values and rules, earlier alerts and open cases. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type About, type EventFields, partyOf, sidOf } from './correlation.entities.ts';
import {
  defaultRules,
  insertIdentityRules,
  learnDomains,
  learnHosts,
  listIdentityRules,
} from './correlation.identities.store.ts';
import { hostNameOf, type Identities, type IdentityRule, notationOf, shortNameOf } from './correlation.identities.ts';
import { type Candidate, isOfCasesOnly, type OpenCase, type SeenParty, type Sighting } from './correlation.judge.ts';
import { listApart, listMerged } from './correlation.merges.ts';
import { isOfUsers, type Learnt } from './correlation.names.ts';
import { addParties, type PartySighting, partyKey, readHabits, readParties } from './correlation.parties.ts';
import {
  bounded,
  type Entity,
  type EntityKind,
  habits,
  joiningRules,
  keyOf,
  longestCaseMs,
  maxCaseDevices,
} from './correlation.rules.ts';
import * as store from './correlation.store.ts';

/** An alert with its names as they were reported. */
export interface Reported {
  alert: store.WaitingAlert;
  about: About;
  events: readonly EventFields[];
  isOnShared: boolean;
}

export interface Known {
  rules: Map<number, store.Rule>;
  identities: Identities;
}

/** Kinds whose parties are counted: a device or a process is a party itself. */
const countedKinds: readonly EntityKind[] = ['user', 'address', 'hash', 'origin', 'caller', 'reaches', 'host'];

/** Stores the names in the alerts, and the rules learnt from them. */
export async function learnNames(
  tx: Tx,
  organisationId: number,
  reported: readonly Reported[],
): Promise<{ rules: IdentityRule[]; learnt: Learnt }> {
  const sightings = reported.flatMap((each): PartySighting[] => {
    const { alert, events, isOnShared } = each;
    const at = alert.at.getTime();
    const user = notationOf(alert.userName, isOnShared ? null : alert.deviceName);
    const host = isOnShared ? '' : hostNameOf(alert.deviceName ?? '');
    return [
      ...(user && user.domain !== '' ? [{ kind: 'account' as const, value: user.account, party: user.domain, at }] : []),
      ...(host !== shortNameOf(host) ? [{ kind: 'name' as const, value: shortNameOf(host), party: host, at }] : []),
      ...events.flatMap((event): PartySighting[] => {
        const found = sidOf(event.user);
        const named = found && notationOf(found.name, alert.deviceName)?.value;
        if (!found || named === undefined || named === found.sid) return [];
        return [
          { kind: 'sid', value: found.sid, party: named, at },
          { kind: 'sids', value: named, party: found.sid, at },
        ];
      }),
    ].map((sighting) => ({ ...sighting, value: bounded(sighting.value), party: bounded(sighting.party) }));
  });
  const [rules, added] = await Promise.all([listIdentityRules(tx, organisationId), addParties(tx, organisationId, sightings)]);
  const newOf = (kind: string) => [...new Set(added.flatMap((each) => (each.kind === kind ? [each.party] : [])))];
  const learnt = [
    ...(rules.length === 0 ? defaultRules : []),
    ...(await learnDomains(tx, organisationId, rules, newOf('account'))),
    ...(await learnHosts(tx, organisationId, rules, newOf('name'))),
  ];
  const areRulesNew = await insertIdentityRules(tx, organisationId, learnt);
  return {
    rules: areRulesNew ? await listIdentityRules(tx, organisationId) : rules,
    learnt: {
      areRulesNew: areRulesNew && learnt.some(({ kind }) => isOfUsers(kind)),
      accounts: [...new Set(added.flatMap(({ kind, value }) => (kind === 'account' || kind === 'sid' ? [value] : [])))],
    },
  };
}

/** Counts the alerts' values and rules, and returns the alerts with their entities in the form that stands for all equal ones. */
export async function readCandidates(
  tx: Tx,
  organisationId: number,
  reported: readonly Reported[],
  { rules, identities }: Known,
): Promise<Candidate[]> {
  const parties = reported.map((each) => partyOf(each.alert, each.isOnShared, identities));
  await addParties(
    tx,
    organisationId,
    reported.flatMap(({ alert, about }, index): PartySighting[] => {
      const party = parties[index]!;
      const at = alert.at.getTime();
      if (party === '') return [];
      const counted = about.entities.filter(({ kind }) => countedKinds.includes(kind));
      return [
        ...counted.map(({ kind, value }) => ({ kind, value, party, at })),
        ...(alert.criticality <= criticalityOf.medium ? [{ kind: 'rule' as const, value: String(alert.ruleId), party, at }] : []),
      ];
    }),
  );
  const origins = reported.flatMap(({ about }) => about.entities.filter(({ kind }) => kind === 'origin'));
  const [usual, devices] = await Promise.all([
    readUsual(
      tx,
      organisationId,
      reported.map(({ alert }, index) => ({ ...alert, at: alert.at.getTime(), party: parties[index]! })),
    ),
    readParties(
      tx,
      organisationId,
      origins.map(({ value }) => ({ kind: 'host', value })),
    ),
  ]);
  return reported.map(({ alert, about }, index) => {
    const party = parties[index]!;
    // The device that reported an address as its own is where an event from there came from.
    const callers = about.entities.flatMap(({ kind, value }): Entity[] => {
      const [device, ...others] = kind === 'origin' ? (devices.get(partyKey('host', value)) ?? []) : [];
      return device && others.length === 0 && device.party !== party ? [{ kind: 'caller', value: device.party }] : [];
    });
    const entities = [...about.entities, ...callers].flatMap((entity) => identities.canonical(entity) ?? []);
    return {
      id: alert.id,
      at: alert.at.getTime(),
      ruleId: alert.ruleId,
      criticality: alert.criticality,
      tactics: [...new Set([alert.ruleId, ...alert.alsoRuleIds].flatMap((id) => rules.get(id)?.tactics ?? []))],
      party,
      isUsual: usual[index]!,
      entities: [...new Map(entities.map((entity) => [keyOf(entity), entity])).values()],
    };
  });
}

/** True for each alert up to Medium that is usual for its party or a fleet. */
async function readUsual(
  tx: Tx,
  organisationId: number,
  alerts: readonly { ruleId: number; party: string; at: number; criticality: number }[],
): Promise<boolean[]> {
  const asked = alerts.filter(({ party, criticality }) => party !== '' && criticality <= criticalityOf.medium);
  const found = await readHabits(tx, organisationId, asked, habits.fleet);
  const usual = new Map(asked.map((alert, index) => [alert, found[index]!]));
  return alerts.map((alert) => {
    const habit = usual.get(alert);
    return habit !== undefined && (habit.days >= habits.days || habit.fleet >= habits.fleet);
  });
}

/** Kinds that are looked up for an entity: its own, and those of earlier alerts that joining rules compare it with. */
const lookedUpKinds = new Map<EntityKind, EntityKind[]>(
  joiningRules.map(({ kind }) => [
    kind,
    [...new Set([kind, ...joiningRules.flatMap((rule) => (rule.kind === kind ? (rule.meets ?? kind) : []))])],
  ]),
);

/** Earlier sightings around the alerts, with their parties and the open cases among them. */
export async function readSurroundings(
  tx: Tx,
  organisationId: number,
  candidates: readonly Candidate[],
  { rules, identities }: Known,
) {
  const ranges = rangesOf(candidates);
  const spelt = ranges.flatMap((range) =>
    identities.spellings(range.entity).map((value) => ({ ...range, spelling: { kind: range.entity.kind, value } })),
  );
  const found = await readParties(
    tx,
    organisationId,
    spelt.flatMap(({ spelling }) => (countedKinds.includes(spelling.kind) ? [spelling] : [])),
  );
  const parties = new Map<string, SeenParty[]>();
  for (const { entity, spelling } of spelt)
    parties.set(keyOf(entity), [
      ...(parties.get(keyOf(entity)) ?? []),
      ...(found.get(partyKey(spelling.kind, spelling.value)) ?? []),
    ]);
  const wanted = spelt.filter(({ entity, isMet }) => isMet && (parties.get(keyOf(entity))?.length ?? 0) <= maxCaseDevices);
  const raw = await store.readSightings(
    tx,
    organisationId,
    wanted.map(({ spelling, from, to }) => ({ entity: spelling, from: from - longestCaseMs, to: to + longestCaseMs })),
  );
  const seen = new Map<string, Sighting[]>();
  for (const { entity, spelling } of wanted) {
    const list = raw.get(keyOf(spelling));
    if (!list) continue;
    const known = seen.get(keyOf(entity));
    seen.set(keyOf(entity), known ? [...known, ...list] : list);
  }
  const sightings = [...new Set([...seen.values()].flat())];
  const openCases = await completeSightings(tx, organisationId, sightings, rules);
  return { seen, parties, sightings, openCases };
}

/** Adds tactics and habits to earlier alerts. Returns the open cases among them. */
async function completeSightings(
  tx: Tx,
  organisationId: number,
  sightings: readonly Sighting[],
  rules: Known['rules'],
): Promise<OpenCase[]> {
  const idsOfCases = () => [...new Set(sightings.flatMap(({ caseId }) => caseId ?? []))];
  const merged = await listMerged(tx, organisationId, idsOfCases());
  for (const sighting of sightings) sighting.caseId = merged.get(sighting.caseId!) ?? sighting.caseId;
  const caseIds = idsOfCases();
  const missing = [...new Set(sightings.map(({ ruleId }) => ruleId))].filter((id) => !rules.has(id));
  const waiting = sightings.filter(({ caseId }) => caseId === undefined);
  const [earlier, openCases, apart, usual] = await Promise.all([
    store.readRules(tx, missing),
    store.listOpenCases(tx, organisationId, caseIds),
    listApart(tx, organisationId, caseIds),
    readUsual(tx, organisationId, waiting),
  ]);
  for (const sighting of sightings)
    sighting.tactics = (rules.get(sighting.ruleId) ?? earlier.get(sighting.ruleId))?.tactics ?? [];
  for (const [index, sighting] of waiting.entries()) sighting.isUsual = usual[index]!;
  return openCases.map((each) => ({ ...each, apartFrom: apart.get(each.id) ?? [] }));
}

interface Range {
  entity: Entity;
  from: number;
  to: number;
  /** Compared with earlier alerts; of others only the parties count. */
  isMet: boolean;
}

/** Entities to look up, each with the times of its first and last alert. */
function rangesOf(candidates: readonly Candidate[]): Range[] {
  const ranges = new Map<string, Range>();
  for (const { at, entities } of candidates)
    for (const { kind: own, value } of entities)
      for (const kind of lookedUpKinds.get(own)!) {
        const key = keyOf({ kind, value });
        const range = ranges.get(key);
        if (range) {
          range.from = Math.min(range.from, at);
          range.to = Math.max(range.to, at);
        } else ranges.set(key, { entity: { kind, value }, from: at, to: at, isMet: false });
        if (kind !== own || !isOfCasesOnly({ kind })) ranges.get(key)!.isMet = true;
      }
  return [...ranges.values()];
}
