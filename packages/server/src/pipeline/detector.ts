/**
 * The rules of the product, loaded and compiled once: which of them an event fulfils, and what is known of each. A rule that does not
 * compile is told and left out; it never stops the others.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { criticalityOf, type Severity, severities } from '@parapet/contract/primitives.ts';
import { type Correlation, type LoadFault, loadRules, type SigmaRule } from '@parapet/sigma/rules.ts';
import { compileRules, type Explanation } from '@parapet/sigma/matcher.ts';
import type { Database } from '../core/db/connect.ts';
import { scoped } from '../core/db/scope.ts';
import { integerColumn, jsonColumn, textColumn } from '../core/db/bulk.ts';
import type { RuleFacts } from '../core/db/tables.ts';
import type { Document } from './event.ts';
import { sql } from 'kysely';

/** A rule as alerts know it. */
export interface KnownRule {
  /** Its row in the table `rules`. */
  id: number;
  key: string;
  title: string;
  category: string;
  criticality: number;
}

export interface Detector {
  match(document: Document): readonly SigmaRule[];
  explain(rule: SigmaRule, document: Document): Explanation;
  known(key: string): KnownRule;
  /** Correlations that read this rule's matches. */
  correlationsOf(rule: SigmaRule): readonly Correlation[];
  /** False for a rule that only feeds a correlation. */
  raisesAlerts(rule: SigmaRule): boolean;
  readonly correlations: readonly Correlation[];
  /** The longest window of any correlation. */
  readonly longestWindowMs: number;
  readonly faults: readonly LoadFault[];
  readonly ruleCount: number;
}

export async function readRuleFiles(folder: string): Promise<{ file: string; text: string }[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.ya?ml$/.test(name)).sort();
  return Promise.all(names.map(async (name) => ({ file: relative(process.cwd(), join(folder, name)), text: await readFile(join(folder, name), 'utf8') })));
}

/** Loads the rules of a folder and writes what alerts show of them to the table `rules`. */
export async function createDetector({ db, rulesDir }: { db: Database; rulesDir: string }): Promise<Detector> {
  const { rules, correlations, faults } = loadRules(await readRuleFiles(rulesDir));
  const matcher = compileRules(rules);
  const ids = await saveRules(db, [...rules.map(ruleRow), ...correlations.map((correlation) => correlationRow(correlation, rules))]);

  const readersOf = new Map<string, Correlation[]>();
  const silenced = new Set<string>();
  for (const correlation of correlations) {
    for (const rule of rules) {
      if (!refersTo(correlation, rule)) continue;
      readersOf.set(rule.id, [...(readersOf.get(rule.id) ?? []), correlation]);
      if (!correlation.generate) silenced.add(rule.id);
    }
  }

  return {
    match: (document) => matcher.match(document),
    explain: (rule, document) => matcher.explain(rule, document),
    known(key) {
      const rule = ids.get(key);
      if (!rule) throw new Error(`rule ${key} is not known`);
      return rule;
    },
    correlationsOf: (rule) => readersOf.get(rule.id) ?? [],
    raisesAlerts: (rule) => !silenced.has(rule.id),
    correlations,
    longestWindowMs: Math.max(0, ...correlations.map((correlation) => correlation.timespanMs)),
    faults,
    ruleCount: rules.length + correlations.length,
  };
}
