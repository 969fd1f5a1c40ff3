/** Life of a version: draft → tested → shadow → live → retired. */

import { providerId } from '@parapet/contract/access.ts';
import type { RuleState } from '@parapet/contract/detectionRules.ts';
import { type RuleTest, testsOf } from '@parapet/sigma/ruleTests.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { isSingleOperator, pairFault } from '../../domain/approvers.ts';
import type { Detector } from '../../pipeline/detector.ts';
import type { Document } from '../../pipeline/event.ts';
import { checkRule, eventTest, isCorrelation } from '../../pipeline/rule-check.ts';
import type { RuleSet } from '../../pipeline/rule-set.ts';
import { summariesOf } from './rules.catalogue.ts';
import type { TestRow, VersionRow } from './rules.store.ts';

const following: Record<RuleState, readonly RuleState[]> = {
  draft: ['tested', 'retired'],
  tested: ['shadow', 'live', 'retired'],
  shadow: ['live', 'tested', 'retired'],
  live: ['retired'],
  retired: ['draft'],
};
const critical = 5;

export const mayFollow = (from: RuleState, to: RuleState): boolean => following[from].includes(to);

/** Organisation that owns a rule: the provider for built-in ones; undefined for one that does not exist. */
export const ownerOf = (
  { builtIn }: Pick<Detector, 'builtIn'>,
  key: string,
  newest: Pick<VersionRow, 'organisationId'> | undefined,
): number | undefined => newest?.organisationId ?? (builtIn.texts.has(key) ? providerId : undefined);

type Subject = Pick<VersionRow, 'key' | 'state' | 'criticality' | 'authorId' | 'yaml'>;

/** States that can follow, each with the reason why this actor cannot set it. */
export async function nextStates(tx: Tx, actor: Actor, set: RuleSet, version: Subject, now: Date) {
  const next: { state: RuleState; refusal: string | null }[] = [];
  for (const state of following[version.state])
    next.push({ state, refusal: (await refusalOf(tx, actor, set, version, state, now)) ?? null });
  return next;
}

/** Reason why the actor cannot set this state; tests aside. */
export async function refusalOf(
  tx: Tx,
  actor: Actor,
  set: RuleSet,
  { key, criticality, authorId, yaml }: Subject,
  to: RuleState,
  now: Date,
): Promise<string | undefined> {
  if (to === 'shadow') {
    const { rule } = checkRule(yaml, set);
    if (rule && isCorrelation(rule)) return 'Correlations can’t run in shadow: their hits belong to live alerts.';
  }
  if (to !== 'live') return undefined;
  const inForce = summariesOf(set).get(key)?.criticality ?? 0;
  if (Math.max(criticality, inForce) < critical || (await isSingleOperator(tx))) return undefined;
  const fault = await pairFault(tx, actor, authorId, { action: 'wrote the rule', now });
  return fault && `Critical rules need a second person. ${fault}`;
}

/** First failure of the tests, of those that were added and those of the text; undefined if all pass. Texts of a pack need none. */
export function testFault(
  yaml: string,
  set: Pick<RuleSet, 'rules' | 'correlations'>,
  tests: readonly TestRow[],
  isOfPack: boolean,
): string | undefined {
  const { rule, faults } = checkRule(yaml, set);
  const [error] = faults.filter(({ severity }) => severity === 'error');
  if (!rule) return `The rule doesn’t load. Line ${error?.line ?? 1}: ${error?.text ?? ''}`;
  if (isCorrelation(rule)) return undefined;
  const added = tests.map(({ name, isMatch, document }) => ({
    name,
    matches: isMatch,
    events: [JSON.parse(document) as Document],
  }));
  let all: RuleTest[];
  try {
    all = [...added, ...testsOf(rule)];
  } catch (fault) {
    return (fault as Error).message;
  }
  if (!isOfPack && !all.some(({ matches }) => matches)) return 'Add a test with an event that the rule must match.';
  const isMatch = eventTest(rule);
  for (const { name, matches, events } of all)
    if (events.some(isMatch) !== matches)
      return `The test “${name}” fails: the rule ${matches ? 'doesn’t match its event' : 'matches its event'}.`;
  return undefined;
}
