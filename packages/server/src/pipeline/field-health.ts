/**
 * Rules in force that can raise nothing today, because no event of late has the fields that their condition needs. A rule is blocked for an
 * organisation only on evidence: events of its log source and code arrive, and for none of them can the condition hold.
 */
import {
  canMatch,
  correlatedFields,
  type EventKind,
  type FieldState,
  fieldsOf,
  isIdentified,
  judge,
  missingFields,
  neededRules,
  parseSource,
  type StateOf,
} from '@parapet/sigma/evidence.ts';
import type { Correlation, SigmaRule } from '@parapet/sigma/rules.ts';
import { accepts } from '@parapet/sigma/source.ts';
import type { Scope, Tx } from '../core/db/scope.ts';
import { shouldYield, yieldToEventLoop } from '../core/yielding.ts';
import { listKinds, readEvidence, type SightedKind } from '../domain/fieldSightings.ts';
import type { MissingField, RulesInForce } from '../domain/rulesInForce.ts';
import type { Detector } from './detector.ts';
import { overflow } from './field-register.ts';
import { logSourceOf } from './rule-rows.ts';
import type { RuleSet } from './rule-set.ts';

/** A field that would have to arrive, of the events of one kind. */
interface MissingHere {
  field: string;
  /** Log source of the rule. */
  logSource: string;
  kind: SightedKind;
}

interface BlockedRule {
  /** Organisations for which it can raise nothing. */
  organisationIds: ReadonlySet<number>;
  missing: MissingHere[];
}

/** Code, value and whether the events are identified, by rule; kinds share them by source and code. */
interface Judged {
  kind: EventKind;
  /** Rules whose log source and code fit. */
  rules: { rule: SigmaRule; fields: ReadonlySet<string>; isIdentified: boolean }[];
}

const maxKnown = 5_000;
const judgedBySet = new WeakMap<RuleSet, Map<string, Judged>>();

function judgedOf(set: RuleSet, { source, codeField, code }: SightedKind): Judged {
  const known = judgedBySet.get(set) ?? new Map<string, Judged>();
  judgedBySet.set(set, known);
  const key = JSON.stringify([source, codeField, code]);
  let judged = known.get(key);
  if (!judged) {
    if (known.size >= maxKnown) known.clear();
    const kind: EventKind = {
      source: parseSource(source),
      code: codeField === '' || code === '' ? undefined : { field: codeField, value: code },
    };
    const fitting = [...set.rules.values()].filter(
      (rule) => accepts(kind.source, rule.logsource) && judge(rule, kind, () => 'seen') !== 'other',
    );
    judged = { kind, rules: fitting.map((rule) => ({ rule, fields: fieldsOf(rule), isIdentified: isIdentified(kind, rule) })) };
    known.set(key, judged);
  }
  return judged;
}

/**
 * Fields of the kind, by whether its events are known to be of the rule’s log source: others are no evidence against it, so that unknown fields
 * count as missing there.
 */
function statesOf({ missing, unknown }: SightedKind): (isIdentified: boolean) => StateOf {
  const states = new Map<string, FieldState>();
  for (const field of unknown) states.set(field, 'unknown');
  for (const field of missing) states.set(field, 'missing');
  const identified: StateOf = (field) => states.get(field) ?? 'seen';
  const other: StateOf = (field) => (states.has(field) ? 'missing' : 'seen');
  return (isIdentified) => (isIdentified ? identified : other);
}

interface Evidence {
  /** Organisations with events that the rule could match. */
  possible: Set<number>;
  blockedBy: { kind: SightedKind; judged: EventKind; stateOf: StateOf }[];
}

/** Kinds of events that each rule reads. */
async function kindsByRule(
  set: RuleSet,
  kinds: readonly SightedKind[],
  wanted: ReadonlySet<string> | undefined,
): Promise<Map<string, KindOfRule[]>> {
  const byRule = new Map<string, KindOfRule[]>();
  for (const kind of kinds) {
    if (shouldYield()) await yieldToEventLoop();
    const { kind: judged, rules } = judgedOf(set, kind);
    const reading = wanted ? rules.filter(({ rule }) => wanted.has(rule.id)) : rules;
    if (reading.length === 0) continue;
    const states = statesOf(kind);
    for (const { rule, fields, isIdentified } of reading) {
      const those = byRule.get(rule.id) ?? [];
      byRule.set(rule.id, those);
      those.push({ kind, judged, fields, isIdentified, stateOf: states(isIdentified) });
    }
  }
  return byRule;
}

interface KindOfRule {
  kind: SightedKind;
  judged: EventKind;
  /** Of the rule. */
  fields: ReadonlySet<string>;
  isIdentified: boolean;
  stateOf: StateOf;
}

function evidenceOf(rule: SigmaRule, kinds: readonly KindOfRule[], needed: readonly string[]): Evidence {
  const evidence: Evidence = { possible: new Set(), blockedBy: [] };
  for (const { kind, judged, fields, isIdentified, stateOf } of kinds) {
    // Most rules lack nothing in most kinds.
    const lacks = [...fields, ...needed].some((field) => stateOf(field) === 'missing');
    if (!lacks || canMatch(rule, judged, stateOf, needed)) for (const id of kind.organisationIds) evidence.possible.add(id);
    else if (isIdentified) evidence.blockedBy.push({ kind, judged, stateOf });
  }
  return evidence;
}

function blockedRule(rule: SigmaRule, kinds: readonly KindOfRule[], needed: readonly string[]): BlockedRule | undefined {
  const { possible, blockedBy } = evidenceOf(rule, kinds, needed);
  const organisationIds = new Set(
    blockedBy.flatMap(({ kind }) => kind.organisationIds.filter((organisationId) => !possible.has(organisationId))),
  );
  if (organisationIds.size === 0) return undefined;
  const logSource = logSourceOf(rule);
  const missing = blockedBy
    .filter(({ kind }) => kind.organisationIds.some((organisationId) => organisationIds.has(organisationId)))
    .flatMap(({ kind, judged, stateOf }) =>
      missingFields(rule, judged, stateOf, needed).map((field) => ({ field, logSource, kind })),
    );
  return { organisationIds, missing };
}

const maxDepth = 10;

/** Blocked where fewer of its rules than it needs are left. */
function blockedCorrelation(
  set: RuleSet,
  correlation: Correlation,
  byRule: ReadonlyMap<string, KindOfRule[]>,
  depth = 0,
): BlockedRule | undefined {
  const bases = [...new Set(correlation.rules)];
  const blocked = bases.flatMap((key) => {
    const rule = set.rules.get(key);
    if (rule) return blockedRule(rule, byRule.get(key) ?? [], correlatedFields(correlation, key)) ?? [];
    const inner = set.correlations.get(key);
    return (inner && depth < maxDepth && blockedCorrelation(set, inner, byRule, depth + 1)) || [];
  });
  const spare = bases.length - neededRules(correlation);
  const counts = new Map<number, number>();
  for (const { organisationIds } of blocked) for (const id of organisationIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const organisationIds = new Set([...counts].flatMap(([id, count]) => (count > spare ? [id] : [])));
  if (organisationIds.size === 0) return undefined;
  return { organisationIds, missing: blocked.flatMap(({ missing }) => missing) };
}

/** By key; of `only`, or of all rules in force. */
async function findBlocked(tx: Tx, scope: Scope, now: number, set: RuleSet, only?: string): Promise<Map<string, BlockedRule>> {
  const kinds = await listKinds(tx, scope, now);
  const unclear = new Set(kinds.filter(({ source }) => source === overflow).flatMap(({ organisationIds }) => organisationIds));
  const followed = kinds.flatMap((kind) => {
    const organisationIds = kind.organisationIds.filter((id) => !unclear.has(id));
    return organisationIds.length > 0 ? [{ ...kind, organisationIds }] : [];
  });
  const beneath = only === undefined ? undefined : new Set(set.rulesBeneath(only).map(({ id }) => id));
  const byRule = await kindsByRule(set, followed, beneath);
  const blocked = new Map<string, BlockedRule>();
  for (const key of only === undefined ? [...set.rules.keys(), ...set.correlations.keys()] : [only]) {
    if (shouldYield()) await yieldToEventLoop();
    const [rule, correlation] = [set.rules.get(key), set.correlations.get(key)];
    const found = rule
      ? blockedRule(rule, byRule.get(key) ?? [], [])
      : correlation && blockedCorrelation(set, correlation, byRule);
    if (found) blocked.set(key, found);
  }
  return blocked;
}

const maxNamed = 200;

/** Missing fields of blocked rules, those of most rules first, with the evidence. */
async function nameFields(tx: Tx, scope: Scope, blocked: ReadonlyMap<string, BlockedRule>): Promise<MissingField[]> {
  const found = new Map<string, { of: MissingHere; keys: Set<string>; ids: Set<number> }>();
  for (const [key, { missing, organisationIds }] of blocked)
    for (const of of missing) {
      if (!of.kind.organisationIds.some((organisation) => organisationIds.has(organisation))) continue;
      const { source, codeField, code } = of.kind;
      const id = JSON.stringify([of.field, of.logSource, source, codeField, code]);
      const each = found.get(id) ?? { of, keys: new Set(), ids: new Set() };
      found.set(id, each);
      each.keys.add(key);
      for (const organisation of of.kind.organisationIds) if (organisationIds.has(organisation)) each.ids.add(organisation);
    }
  const most = [...found.values()].sort((a, b) => b.keys.size - a.keys.size).slice(0, maxNamed);
  const named: MissingField[] = [];
  for (const [, same] of Map.groupBy(most, ({ of: { kind } }) => JSON.stringify([kind.source, kind.codeField, kind.code]))) {
    const [{ of }] = same as [(typeof same)[number]];
    const own: Scope = { organisationIds: [...new Set(same.flatMap(({ ids }) => [...ids]))] };
    const evidence = await readEvidence(tx, within(scope, own), of.kind, [...new Set(same.map((each) => each.of.field))]);
    for (const { of, keys } of same) {
      const each = evidence.find(({ field }) => field === of.field);
      if (!each) continue;
      named.push({
        field: of.field,
        logSource: of.logSource,
        code: of.kind.code || null,
        lastSeenTime: each.lastSeenAt?.toISOString() ?? null,
        events: each.events,
        sinceTime: each.firstAt.toISOString(),
        ruleKeys: [...keys],
      });
    }
  }
  return named.sort((a, b) => b.ruleKeys.length - a.ruleKeys.length || (a.field < b.field ? -1 : 1));
}

export function rulesInForce(detector: Pick<Detector, 'isLoaded' | 'current'>): RulesInForce {
  const isInForce = (key: string, organisationId: number): boolean => {
    const set = detector.current();
    const owner = set.owners.get(key);
    if (!detector.isLoaded(key) || (owner !== undefined && !set.chainOf(organisationId).includes(owner))) return false;
    return set.settingsOf(organisationId).get(key)?.isOn !== false;
  };
  return {
    isInForce,
    async listBlocked(tx, scope, now, key) {
      const found = await findBlocked(tx, scope, now, detector.current(), key);
      const blocked = new Map<string, BlockedRule>();
      for (const [each, { organisationIds, missing }] of found) {
        const ids = [...organisationIds].filter((id) => isInForce(each, id));
        if (ids.length > 0) blocked.set(each, { organisationIds: new Set(ids), missing });
      }
      return {
        organisations: new Map([...blocked].map(([each, { organisationIds }]) => [each, organisationIds])),
        nameFields: (keys) => nameFields(tx, scope, new Map([...blocked].filter(([each]) => keys.has(each)))),
      };
    },
  };
}

/** Organisations of both. */
const within = (scope: Scope, own: Exclude<Scope, 'system'>): Scope =>
  scope === 'system' ? own : { ...own, organisationIds: own.organisationIds.filter((id) => scope.organisationIds.includes(id)) };
