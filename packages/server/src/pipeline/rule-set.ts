/**
 * One state of all rules: the built-in ones, compiled once, beside the versions that replace or extend them, and for each organisation what differs.
 * Differences are applied to matches, so that hundreds of organisations share the compiled rules. Immutable: a batch is judged by one state.
 */
import { hash } from 'node:crypto';
import { providerId } from '@parapet/contract/access.ts';
import { filterOf, narrowed } from '@parapet/sigma/filters.ts';
import { type Matcher, ruleChecker } from '@parapet/sigma/matcher.ts';
import type { Correlation, Loaded, LoadFault, SigmaRule } from '@parapet/sigma/rules.ts';
import type { RuleOrigin } from './rule-rows.ts';
import type { RuleSettings, StoredVersion } from './rule-settings.ts';
import { byOwner, type StoredMatcher, type StoredRules } from './stored-rules.ts';

/** Rules of the product’s files. */
export interface BuiltIn extends Loaded {
  matcher: Matcher;
  /** Text of each rule. */
  texts: ReadonlyMap<string, string>;
}

/** Difference of one rule for an organisation. */
export interface RuleSetting {
  isOn: boolean;
  criticality?: number;
  /** The rule joined with each exception, until its end. */
  exceptions: { id: number; rule: SigmaRule; endsAt: number }[];
}

/** Start of the text’s SHA-256. */
export const revisionOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 16);

const revisions = new WeakMap<BuiltIn['texts'], Map<string, string>>();
/** Computed once: every state has most of the built-in rules. */
function builtInRevision(texts: BuiltIn['texts'], key: string): string {
  const known = revisions.get(texts) ?? new Map<string, string>();
  revisions.set(texts, known);
  const revision = known.get(key) ?? revisionOf(texts.get(key) ?? '');
  known.set(key, revision);
  return revision;
}

export interface RuleSet {
  rules: ReadonlyMap<string, SigmaRule>;
  correlations: ReadonlyMap<string, Correlation>;
  /** Built-in rules that a version replaces. */
  replaced: ReadonlySet<string>;
  /** Compiled at its first use, as `shadow`. */
  readonly extra: StoredMatcher | undefined;
  readonly shadow: StoredMatcher | undefined;
  /** Rules of the database in force, and in shadow. */
  stored: Record<'live' | 'shadow', readonly SigmaRule[]>;
  /** By rule. */
  shadowVersions: ReadonlyMap<string, StoredVersion>;
  /** Partner of each rule of its own. */
  owners: ReadonlyMap<string, number>;
  faults: readonly LoadFault[];
  /** Fault of a live version that is not in force, and its owner; undefined if it is in force. */
  faultOf(key: string): { reason: string; organisationId: number } | undefined;
  originOf(key: string): RuleOrigin;
  /** The provider, its partner and the organisation itself: whose settings hold for it, the nearest last. */
  chainOf(organisationId: number): readonly number[];
  settingsOf(organisationId: number): ReadonlyMap<string, RuleSetting>;
  readersOf(key: string): readonly Correlation[];
  levelOf(correlation: Correlation): number;
  rulesBeneath(key: string): SigmaRule[];
  /** Test of single rules; not re-entrant. */
  check: ReturnType<typeof ruleChecker>;
}

export function ruleSetOf(builtIn: BuiltIn, settings: RuleSettings, storedRules: StoredRules): RuleSet {
  const versions = settings.versions.filter(({ isShadow }) => !isShadow);
  const inShadow = settings.versions.filter(({ isShadow }) => isShadow);
  const live = load(versions, builtIn, storedRules);
  const shadow = load(inShadow, builtIn, storedRules);
  // A version that does not load leaves the built-in rule in force.
  const loadedKeys = new Set([...live.rules, ...live.correlations].map(({ id }) => id));
  const replaced = new Set([...builtIn.rules, ...builtIn.correlations].map(({ id }) => id).filter((id) => loadedKeys.has(id)));
  const isKept = ({ id }: { id: string }) => !replaced.has(id);
  const rules = new Map([...builtIn.rules.filter(isKept), ...live.rules].map((rule) => [rule.id, rule]));
  const correlations = new Map([...builtIn.correlations.filter(isKept), ...live.correlations].map((each) => [each.id, each]));
  const versionOf = new Map(versions.map((version) => [version.key, version]));
  const faults = [...builtIn.faults, ...live.faults, ...shadow.faults];
  const chainOf = (organisationId: number): number[] => {
    const parent = settings.parents.get(organisationId);
    return [...new Set([providerId, ...(parent === undefined ? [] : [parent]), organisationId])];
  };
  const extra = once(() => storedRules.compile(live.rules, 'live'));
  const shadowMatcher = once(() => storedRules.compile(shadow.rules, 'shadow'));
  return {
    rules,
    correlations,
    replaced,
    get extra() {
      return extra();
    },
    get shadow() {
      return shadowMatcher();
    },
    stored: { live: live.rules, shadow: shadow.rules },
    shadowVersions: new Map(inShadow.map((version) => [version.key, version])),
    owners: new Map(
      settings.versions
        .filter(({ organisationId, key }) => organisationId !== providerId && !builtIn.texts.has(key))
        .map((each) => [each.key, each.organisationId]),
    ),
    faults,
    faultOf(key) {
      const version = versionOf.get(key);
      const fault = version && live.faults.find(({ file }) => file === key);
      return fault && { reason: fault.reason, organisationId: version.organisationId };
    },
    originOf(key) {
      const version = loadedKeys.has(key) ? versionOf.get(key) : undefined;
      if (!version) return { revision: builtInRevision(builtIn.texts, key), organisationId: null };
      return {
        revision: version.revision,
        organisationId: version.organisationId === providerId ? null : version.organisationId,
      };
    },
    chainOf,
    settingsOf: settingsBy(settings, rules, chainOf, faults),
    ...graphOf(rules, correlations),
    check: ruleChecker(),
  };
}

/**
 * Versions by owner, the provider’s first: names and references of a partner reach its own rules and the common ones, never another
 * partner’s. A partner’s version with the ID of a built-in rule, which an upgrade may bring, is left out.
 */
function load(versions: readonly StoredVersion[], builtIn: BuiltIn, storedRules: StoredRules): Loaded {
  const builtInIds = new Set([...builtIn.rules, ...builtIn.correlations].map(({ id }) => id));
  const all: Loaded = { rules: [], correlations: [], faults: [] };
  let common: Pick<Loaded, 'rules' | 'correlations'> = builtIn;
  for (const [owner, own] of byOwner(versions)) {
    const isProvider = owner === providerId;
    const clashes = isProvider ? [] : own.filter(({ key }) => builtInIds.has(key));
    for (const { key } of clashes)
      all.faults.push({ file: key, line: 1, id: key, reason: 'a built-in rule has the same id; save the rule under another' });
    const loaded = storedRules.load(clashes.length === 0 ? own : own.filter((version) => !clashes.includes(version)), common);
    for (const part of ['rules', 'correlations', 'faults'] as const) all[part].push(...(loaded[part] as never[]));
    if (!isProvider) continue;
    const replaced = new Set([...loaded.rules, ...loaded.correlations].map(({ id }) => id));
    const isKept = ({ id }: { id: string }) => !replaced.has(id);
    common = {
      rules: [...builtIn.rules.filter(isKept), ...loaded.rules],
      correlations: [...builtIn.correlations.filter(isKept), ...loaded.correlations],
    };
  }
  return all;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Correlations by what they read. */
function graphOf(rules: ReadonlyMap<string, SigmaRule>, correlations: ReadonlyMap<string, Correlation>) {
  const readers = new Map<string, Correlation[]>();
  for (const correlation of correlations.values())
    for (const base of new Set(correlation.rules)) readers.set(base, [...(readers.get(base) ?? []), correlation]);
  const levels = new Map<string, number>();
  // The loader rejects cycles; two versions may still form one, whose second half then counts as a rule.
  const levelOf = ({ id, rules: bases }: Correlation): number => {
    const known = levels.get(id);
    if (known !== undefined) return known;
    levels.set(id, 0);
    const level = Math.max(-1, ...bases.flatMap((base) => correlations.get(base) ?? []).map(levelOf)) + 1;
    levels.set(id, level);
    return level;
  };
  const beneath = (key: string, path: ReadonlySet<string>): SigmaRule[] => {
    const rule = rules.get(key);
    if (rule) return [rule];
    if (path.has(key)) return [];
    return (correlations.get(key)?.rules ?? []).flatMap((base) => beneath(base, new Set([...path, key])));
  };
  return {
    readersOf: (key: string) => readers.get(key) ?? [],
    levelOf,
    rulesBeneath: (key: string) => beneath(key, new Set()),
  };
}

function settingsBy(
  { overrides, exceptions }: RuleSettings,
  rules: ReadonlyMap<string, SigmaRule>,
  chainOf: RuleSet['chainOf'],
  faults: LoadFault[],
): RuleSet['settingsOf'] {
  const byOrganisation = new Map<number, ((settings: Map<string, RuleSetting>) => void)[]>();
  const add = (organisationId: number, key: string, change: (setting: RuleSetting) => void) => {
    const changes = byOrganisation.get(organisationId) ?? [];
    byOrganisation.set(organisationId, changes);
    changes.push((settings) => {
      const setting = settings.get(key) ?? { isOn: true, exceptions: [] };
      settings.set(key, setting);
      change(setting);
    });
  };
  for (const { organisationId, key, isOn, criticality } of overrides)
    add(organisationId, key, (setting) => {
      if (isOn !== null) setting.isOn = isOn;
      if (criticality !== null) setting.criticality = criticality;
    });
  for (const { id, organisationId, key, yaml, endsAt } of exceptions) {
    const rule = rules.get(key);
    if (!rule) continue;
    try {
      const exception = { id, rule: narrowed(rule, filterOf(yaml)), endsAt: endsAt.getTime() };
      add(organisationId, key, (setting) => setting.exceptions.push(exception));
    } catch (error) {
      faults.push({ file: `exception ${id}`, line: 1, reason: (error as Error).message, id: key });
    }
  }
  const known = new Map<string, ReadonlyMap<string, RuleSetting>>();
  return (organisationId) => {
    const chain = chainOf(organisationId).filter((each) => byOrganisation.has(each));
    // Organisations without settings of their own share their parent’s.
    const key = chain.join();
    const settings = known.get(key) ?? new Map<string, RuleSetting>();
    if (!known.has(key)) {
      known.set(key, settings);
      for (const each of chain) for (const change of byOrganisation.get(each)!) change(settings as Map<string, RuleSetting>);
    }
    return settings;
  };
}
