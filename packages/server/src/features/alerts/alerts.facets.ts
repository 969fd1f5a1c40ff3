/** Filter values of a timeframe’s alerts with counts, read from the rollups, however long the timeframe. */
import { severities } from '@parapet/contract/rules/values.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { type Counted, type Horizon, listCounts } from '../../domain/figures.ts';
import type { Range } from '../../domain/ranges.ts';
import type { Catalogue, KnownRule } from './alerts.catalogue.ts';

export interface Facet {
  value: string;
  label: string;
  count: number;
}

export interface Facets {
  severity: Facet[];
  status: Facet[];
  category: Facet[];
  rule: Facet[];
  device: Facet[];
  user: Facet[];
}

const maxNames = 50;
const maxRules = 500;

type RuleCount = KnownRule & { count: number };

async function listRuleCounts(tx: Tx, scope: Scope, catalogue: Catalogue, range: Range, horizon: Horizon): Promise<RuleCount[]> {
  const counts = await listCounts<number>(tx, scope, 'rule', range, horizon);
  let { byId } = await catalogue.rules(tx);
  if (counts.some(({ key }) => !byId.has(key))) ({ byId } = await catalogue.renewed(tx));
  return counts.flatMap(({ key, count }) => {
    const rule = byId.get(key);
    return rule ? [{ ...rule, count }] : [];
  });
}

export async function listFacets(tx: Tx, scope: Scope, catalogue: Catalogue, range: Range, horizon: Horizon): Promise<Facets> {
  const bySeverity = await listCounts<number>(tx, scope, 'severity', range, horizon);
  const bySeverityNew = await listCounts<number>(tx, scope, 'newSeverity', range, horizon);
  const rules = await listRuleCounts(tx, scope, catalogue, range, horizon);
  const devices = await listCounts<string>(tx, scope, 'device', range, horizon, { limit: maxNames });
  const users = await listCounts<string>(tx, scope, 'user', range, horizon, { limit: maxNames });

  const total = sumOf(bySeverity);
  const fresh = sumOf(bySeverityNew);
  const categories = new Map<string, number>();
  for (const { category, count } of rules) categories.set(category, (categories.get(category) ?? 0) + count);
  return {
    // Critical first; includes those without alerts, so that filter choices are stable.
    severity: severities.map((severity, index) => ({
      value: severity,
      label: `${severity[0]!.toUpperCase()}${severity.slice(1)}`,
      count: bySeverity.find(({ key }) => key === severities.length - index)?.count ?? 0,
    })),
    status: [
      { value: 'new', label: 'New', count: fresh },
      { value: 'seen', label: 'Seen', count: total - fresh },
    ],
    category: [...categories]
      .map(([category, count]) => ({ value: category.slice(0, 100), label: category, count }))
      .sort((a, b) => b.count - a.count)
      .slice(0, maxRules),
    rule: rules.slice(0, maxRules).map(({ key, title, count }) => ({ value: key, label: title.slice(0, 2000), count })),
    device: named(devices),
    user: named(users),
  };
}

const sumOf = (counts: readonly Counted<unknown>[]): number => counts.reduce((sum, { count }) => sum + count, 0);
const named = (counts: readonly Counted<string>[]): Facet[] =>
  counts.map(({ key, count }) => ({ value: key.slice(0, 2000), label: key.slice(0, 2000), count }));

/** Sorted by title. */
export async function listRuleNames(tx: Tx, scope: Scope, catalogue: Catalogue, range: Range, horizon: Horizon) {
  const rules = await listRuleCounts(tx, scope, catalogue, range, horizon);
  const results = rules.map(({ key, title, count }) => ({ ruleID: key, rule: title.slice(0, 2000), count }));
  results.sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0));
  return { results: results.slice(0, 10_000), total: results.length };
}
