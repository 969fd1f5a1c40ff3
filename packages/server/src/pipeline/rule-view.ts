/** The rules of one organisation: the common ones, with what its provider, partner and itself have changed. */
import type { Explanation } from '@parapet/sigma/matcher.ts';
import type { Correlation, SigmaRule } from '@parapet/sigma/rules.ts';
import { systemClock } from '../core/clock.ts';
import type { Document, ShadowMatch } from './event.ts';
import type { KnownRule } from './rule-rows.ts';
import type { BuiltIn, RuleSet, RuleSetting } from './rule-set.ts';

export interface OrganisationRules {
  /**
   * Matches an event against all single-event rules. Rules of the log source `portal` match only the portal’s own events. `onHidden` gets the
   * exception that hides a match.
   */
  match(document: Document, isPortals?: boolean, onHidden?: (exceptionId: number) => void): readonly SigmaRule[];
  /** Versions in shadow that the event matches. */
  matchShadow(document: Document): readonly ShadowMatch[];
  explain(rule: SigmaRule, document: Document): Explanation;
  known(key: string): KnownRule;
  /** Correlations that read the matches of this rule or correlation. */
  correlationsOf(key: string): readonly Correlation[];
  /** Finds a rule by key; for a correlation, the first rule beneath it. */
  ruleOf(key: string): SigmaRule | undefined;
  /** 0 for a correlation that reads only rules, otherwise one above the highest that it reads. */
  levelOf(correlation: Correlation): number;
}

interface ViewDeps {
  builtIn: BuiltIn;
  set: RuleSet;
  known: ReadonlyMap<string, KnownRule>;
  organisationId: number;
}

const none: readonly never[] = [];
const isOfPortal = (rule: SigmaRule): boolean => rule.logsource.product?.toLowerCase() === 'portal';

export function rulesOf({ builtIn, set, known, organisationId }: ViewDeps): OrganisationRules {
  const settings = set.settingsOf(organisationId);
  const chain = new Set(set.chainOf(organisationId));
  const isMine = (key: string): boolean => {
    const owner = set.owners.get(key);
    return owner === undefined || chain.has(owner);
  };
  const knownHere = new Map<string, KnownRule>();
  const levelled = (rule: KnownRule, setting: RuleSetting | undefined): KnownRule => {
    if (setting?.criticality === undefined) return rule;
    // One object for a rule: alerts compare them.
    const own = knownHere.get(rule.key) ?? { ...rule, criticality: setting.criticality };
    knownHere.set(rule.key, own);
    return own;
  };
  const isRaised = (rule: SigmaRule, document: Document, onHidden?: (exceptionId: number) => void): boolean => {
    const setting = settings.get(rule.id);
    if (!setting) return true;
    if (!setting.isOn) return false;
    const now = systemClock.now();
    const hiding = setting.exceptions.find(({ rule: narrow, endsAt }) => endsAt > now && !set.check(narrow, document));
    if (hiding) onHidden?.(hiding.id);
    return !hiding;
  };
  return {
    match(document, isPortals = false, onHidden = undefined) {
      let matches = builtIn.matcher.match(document);
      if (matches.length > 0 && set.replaced.size > 0) matches = matches.filter(({ id }) => !set.replaced.has(id));
      const more = set.extra?.match(document) ?? [];
      if (more.length > 0) matches = [...matches, ...more.filter(({ id }) => isMine(id))];
      if (!isPortals && matches.some(isOfPortal)) matches = matches.filter((rule) => !isOfPortal(rule));
      return settings.size === 0 || matches.length === 0 ? matches : matches.filter((rule) => isRaised(rule, document, onHidden));
    },
    matchShadow(document) {
      const matches = set.shadow?.match(document) ?? none;
      return matches.length === 0
        ? none
        : matches.flatMap(({ id }) => {
            const version = set.shadowVersions.get(id);
            return version && isMine(id) && settings.get(id)?.isOn !== false ? [{ key: id, version: version.version }] : [];
          });
    },
    explain: (rule, document) => builtIn.matcher.explain(rule, document),
    known(key) {
      const rule = known.get(key);
      if (!rule) throw new Error(`rule ${key} is not known`);
      return levelled(rule, settings.get(key));
    },
    correlationsOf: (key) => set.readersOf(key).filter(({ id }) => isMine(id) && settings.get(id)?.isOn !== false),
    ruleOf: (key) => set.rulesBeneath(key)[0],
    levelOf: set.levelOf,
  };
}
