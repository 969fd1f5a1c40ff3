/** Surroundings of a batch of alerts: identities of its names, frequency of its values and rules, earlier alerts and open cases. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { CommonKind } from '@parapet/contract/rules/grouping.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type About, type EventFields, partyOf, sidOf } from './correlation.entities.ts';
import {
  defaultRules,
  insertIdentityRules,
  learnDomains,
  learnHosts,
  listIdentityRules,
} from './correlation.identities.store.ts';
import {
  accountPart,
  hostNameOf,
  type Identities,
  type IdentityRule,
  notationOf,
  shortNameOf,
} from './correlation.identities.ts';
import {
  type Candidate,
  isOfCasesOnly,
  type Judgement,
  judge,
  type OpenCase,
  type SeenParty,
  type Sighting,
} from './correlation.judge.ts';
import type { Memory } from './correlation.memory.ts';
import { isOfUsers, type Learnt } from './correlation.names.ts';
import { addParties, type PartySighting, partyKey } from './correlation.parties.ts';
import { bounded, type Entity, type EntityKind, type Grouping, keyOf, lookedUpKinds } from './correlation.rules.ts';
import type { Rule, WaitingAlert } from './correlation.store.ts';

/** An alert with its names as they were reported. */
export interface Reported {
  alert: WaitingAlert;
  about: About;
  events: readonly EventFields[];
  isOnShared: boolean;
}

export interface Known {
  rules: Map<number, Rule>;
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

/** Counts the alerts' values and rules. Returns their parties. */
export async function countParties(memory: Memory, reported: readonly Reported[], identities: Identities): Promise<string[]> {
  const parties = reported.map((each) => partyOf(each.alert, each.isOnShared, identities));
  await memory.addParties(
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
  return parties;
}

/** The alerts with their entities in the form that stands for all equal ones; their parties are counted. */
async function readCandidates(
  memory: Memory,
  reported: readonly Reported[],
  parties: readonly string[],
  { rules, identities }: Known,
  set: Grouping,
): Promise<Candidate[]> {
  const origins = reported.flatMap(({ about }) => about.entities.filter(({ kind }) => kind === 'origin'));
  const [usual, devices] = await Promise.all([
    readUsual(
      memory,
      reported.map(({ alert }, index) => ({ ...alert, at: alert.at.getTime(), party: parties[index]! })),
      set,
    ),
    // Each once: of an address that two alerts came from, the device would count twice.
    memory.readParties([...new Set(origins.map(({ value }) => value))].map((value) => ({ kind: 'host', value }))),
  ]);
  return reported.map(({ alert, about }, index) => {
    const party = parties[index]!;
    // The device that reported an address as its own is where an event from there came from.
    const callers = about.entities.flatMap(({ kind, value }): Entity[] => {
      const [device, ...others] = kind === 'origin' ? (devices.get(partyKey('host', value)) ?? []) : [];
      return device && others.length === 0 && device.party !== party ? [{ kind: 'caller', value: device.party }] : [];
    });
    const entities = [...about.entities, ...callers].flatMap((entity) => {
      const found = identities.canonical(entity);
      return found && !isCommon(set, entity, found) ? found : [];
    });
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

/** Kind under which a set names entities of another kind. */
const namedAs: Partial<Record<EntityKind, CommonKind>> = {
  user: 'user',
  device: 'device',
  caller: 'device',
  reaches: 'device',
  address: 'address',
  origin: 'address',
  host: 'address',
  hash: 'hash',
};

/** True for an entity that joins nothing by the set; a user without a domain stands for the account in every domain. */
function isCommon({ common }: Grouping, ...forms: readonly Entity[]): boolean {
  if (common.size === 0) return false;
  return forms.some(({ kind, value }) => {
    const named = namedAs[kind];
    if (!named) return false;
    return (
      common.has(keyOf({ kind: named, value })) || (kind === 'user' && common.has(keyOf({ kind, value: accountPart(value) })))
    );
  });
}

/** True for each alert up to Medium that is usual for its party or a fleet. */
async function readUsual(
  memory: Memory,
  alerts: readonly { ruleId: number; party: string; at: number; criticality: number }[],
  { limits: { habits } }: Grouping,
): Promise<boolean[]> {
  const subjects = alerts.filter(({ party, criticality }) => party !== '' && criticality <= criticalityOf.medium);
  const found = await memory.readHabits(subjects, habits.fleet, habits.fleetMs);
  const usual = new Map(subjects.map((alert, index) => [alert, found[index]!]));
  return alerts.map((alert) => {
    const habit = usual.get(alert);
    return habit !== undefined && (habit.days >= habits.days || habit.fleet >= habits.fleet);
  });
}

/** Judges alerts, whose parties are counted, by a set. */
export async function judgeAlerts(
  memory: Memory,
  reported: readonly Reported[],
  partiesOf: readonly string[],
  known: Known,
  set: Grouping,
): Promise<{ candidates: Candidate[]; sightings: Sighting[]; judgement: Judgement }> {
  const candidates = await readCandidates(memory, reported, partiesOf, known, set);
  const { seen, parties, sightings, openCases } = await readSurroundings(memory, candidates, known, set);
  return { candidates, sightings, judgement: judge(candidates, openCases, seen, parties, set) };
}

/** Earlier sightings around the alerts, with their parties and the open cases among them. */
async function readSurroundings(memory: Memory, candidates: readonly Candidate[], { rules, identities }: Known, set: Grouping) {
  const { longestCaseMs, maxCaseDevices } = set.limits;
  const ranges = rangesOf(candidates);
  const spelt = ranges.flatMap((range) =>
    identities.spellings(range.entity).map((value) => ({ ...range, spelling: { kind: range.entity.kind, value } })),
  );
  const found = await memory.readParties(
    spelt.flatMap(({ spelling }) => (countedKinds.includes(spelling.kind) ? [spelling] : [])),
  );
  const parties = new Map<string, SeenParty[]>();
  for (const { entity, spelling } of spelt)
    parties.set(keyOf(entity), [
      ...(parties.get(keyOf(entity)) ?? []),
      ...(found.get(partyKey(spelling.kind, spelling.value)) ?? []),
    ]);
  const wanted = spelt.filter(({ entity, isMet }) => isMet && (parties.get(keyOf(entity))?.length ?? 0) <= maxCaseDevices);
  const raw = await memory.readSightings(
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
  const openCases = await completeSightings(memory, sightings, rules, set);
  return { seen, parties, sightings, openCases };
}

/** Adds tactics and habits to earlier alerts. Returns the open cases among them. */
async function completeSightings(
  memory: Memory,
  sightings: readonly Sighting[],
  rules: Known['rules'],
  set: Grouping,
): Promise<OpenCase[]> {
  const idsOfCases = () => [...new Set(sightings.flatMap(({ caseId }) => caseId ?? []))];
  const merged = await memory.listMerged(idsOfCases());
  for (const sighting of sightings) sighting.caseId = merged.get(sighting.caseId!) ?? sighting.caseId;
  const caseIds = idsOfCases();
  const missing = [...new Set(sightings.map(({ ruleId }) => ruleId))].filter((id) => !rules.has(id));
  const waiting = sightings.filter(({ caseId }) => caseId === undefined);
  const [earlier, openCases, usual] = await Promise.all([
    memory.readRules(missing),
    memory.listOpenCases(caseIds),
    readUsual(memory, waiting, set),
  ]);
  for (const sighting of sightings)
    sighting.tactics = (rules.get(sighting.ruleId) ?? earlier.get(sighting.ruleId))?.tactics ?? [];
  for (const [index, sighting] of waiting.entries()) sighting.isUsual = usual[index]!;
  return openCases;
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
