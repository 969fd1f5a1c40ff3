/**
 * Loads and compiles the product’s detection rules once. A rule that fails to compile is logged and skipped; the others
 * still load.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type RuleConfidence, type RuleGuidance, ruleConfidences } from '@parapet/contract/alerts.ts';
import { criticalityOf, type Severity } from '@parapet/contract/primitives.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { classify, newView } from '@parapet/sigma/logsource.ts';
import { compileRules, type Explanation } from '@parapet/sigma/matcher.ts';
import { type Correlation, type Loaded, type LoadFault, loadRules, type SigmaRule } from '@parapet/sigma/rules.ts';
import type { Source } from '@parapet/sigma/source.ts';
import { sql } from 'kysely';
import { publish } from '../core/bus.ts';
import { integerColumn, textColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { scoped } from '../core/db/scope.ts';
import type { RuleFacts } from '../core/db/tables.detection.ts';
import type { Document } from './event.ts';
import { openRuleCache } from './rule-cache.ts';

/** A rule’s metadata as shown with alerts. */
export interface KnownRule {
  /** Primary key in the table `rules`. */
  id: number;
  key: string;
  title: string;
  category: string;
  criticality: number;
  /** 1 low … 3 high: how often an alert is the attack that it names. */
  confidence: number;
  /** Number of fields that the rule compares; 0 for a correlation. Of two rules for one event the more special compares more. */
  detail: number;
}

export interface Detector {
  /** Builds the indexes of the usual log sources, which otherwise the first event of each would build. */
  prepare(): void;
  /** Matches an event against all single-event rules. Rules of the log source `portal` match only the portal’s own events. */
  match(document: Document, isPortals?: boolean): readonly SigmaRule[];
  explain(rule: SigmaRule, document: Document): Explanation;
  known(key: string): KnownRule;
  /** Correlations that read the matches of this rule or correlation. */
  correlationsOf(key: string): readonly Correlation[];
  /** Finds a rule by key; for a correlation, the first rule beneath it. */
  ruleOf(key: string): SigmaRule | undefined;
  /** 0 for a correlation that reads only rules, otherwise one above the highest that it reads. */
  levelOf(correlation: Correlation): number;
  /** Longest window of any correlation, in milliseconds. */
  readonly longestWindowMs: number;
  readonly faults: readonly LoadFault[];
  readonly ruleCount: number;
  /** False for rules that exist only in the table `rules`. */
  isLoaded(key: string): boolean;
  /** Log sources of the rules that an event feeds; excludes those that its shape does not identify. */
  sourcesOf(document: Document): readonly string[];
}

export async function readRuleFiles(folder: string): Promise<{ file: string; text: string }[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.ya?ml$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      file: relative(process.cwd(), join(folder, name)),
      text: await readFile(join(folder, name), 'utf8'),
    })),
  );
}

/** Loads the rules of a folder; without `cacheDir` they are parsed at every start. Needs no database. */
export async function readRules(rulesDir: string, cacheDir?: string): Promise<Loaded> {
  const files = await readRuleFiles(rulesDir);
  if (!cacheDir) return loadRules(files);
  const cache = await openRuleCache(cacheDir, rulesDir);
  await cache.prepare(files.map(({ text }) => text));
  const loaded = loadRules(files, { documentsOf: cache.documentsOf });
  await cache.save();
  return loaded;
}

export interface DetectorDeps {
  db: Database;
  rulesDir: string;
  /** Of `readRules`; read here by default. */
  loaded?: Loaded;
}

/** Compiles the rules of a folder and stores their metadata in the table `rules`. */
export async function createDetector({ db, rulesDir, loaded }: DetectorDeps): Promise<Detector> {
  const { rules, correlations, faults } = loaded ?? (await readRules(rulesDir));
  const matcher = compileRules(rules);
  const rulesById = new Map(rules.map((rule) => [rule.id, rule]));
  const correlationsById = new Map(correlations.map((correlation) => [correlation.id, correlation]));
  const rulesBeneath = (key: string): SigmaRule[] => {
    const rule = rulesById.get(key);
    return rule ? [rule] : (correlationsById.get(key)?.rules ?? []).flatMap(rulesBeneath);
  };
  const titleOf = (key: string): string => (rulesById.get(key) ?? correlationsById.get(key))?.title ?? key;
  const known = await saveRules(db, [
    ...rules.map(ruleRow),
    ...correlations.map((correlation) =>
      correlationRow(correlation, rulesBeneath(correlation.id), correlation.rules.map(titleOf)),
    ),
  ]);

  const readers = new Map<string, Correlation[]>();
  for (const correlation of correlations) {
    for (const base of new Set(correlation.rules)) readers.set(base, [...(readers.get(base) ?? []), correlation]);
  }

  const levels = new Map<string, number>();
  // The loader rejects cycles.
  const levelOf = ({ id, rules: bases }: Correlation): number => {
    const known = levels.get(id);
    if (known !== undefined) return known;
    const beneath = bases.flatMap((base) => correlationsById.get(base) ?? []);
    const level = Math.max(-1, ...beneath.map(levelOf)) + 1;
    levels.set(id, level);
    return level;
  };
  correlations.forEach(levelOf);

  return {
    prepare: () => matcher.prepare(),
    match(document, isPortals = false) {
      const matches = matcher.match(document);
      return isPortals || !matches.some(isOfPortal) ? matches : matches.filter((rule) => !isOfPortal(rule));
    },
    explain: (rule, document) => matcher.explain(rule, document),
    known(key) {
      const rule = known.get(key);
      if (!rule) throw new Error(`rule ${key} is not known`);
      return rule;
    },
    correlationsOf: (key) => readers.get(key) ?? [],
    ruleOf: (key) => rulesBeneath(key)[0],
    levelOf: (correlation) => levels.get(correlation.id) ?? 0,
    longestWindowMs: Math.max(0, ...correlations.map((correlation) => correlation.timespanMs)),
    faults,
    ruleCount: rules.length + correlations.length,
    isLoaded: (key) => rulesById.has(key) || correlationsById.has(key),
    sourcesOf: sourcesOf(rules),
  };
}

/** Computed once per kind of event. */
function sourcesOf(rules: readonly SigmaRule[]): Detector['sourcesOf'] {
  const logSources = new Map(rules.map((rule) => [logSourceOf(rule), rule.logsource]));
  const known = new Map<Source, string[]>();
  const view = newView();
  const includes = (wanted: string | undefined, named: readonly string[] | undefined) =>
    wanted === undefined || named?.includes(wanted) === true;
  return (document) => {
    const source = classify(document, view);
    let names = known.get(source);
    if (!names) {
      names = [...logSources].flatMap(([name, { product, service, category }]) =>
        includes(product, source.products) && includes(service, source.services) && includes(category, source.categories)
          ? [name]
          : [],
      );
      known.set(source, names);
    }
    return names;
  };
}

const logSourceOf = ({ logsource: { product, category, service } }: SigmaRule): string =>
  [product, category, service].filter(Boolean).join(' / ');

const isOfPortal = (rule: SigmaRule): boolean => rule.logsource.product?.toLowerCase() === 'portal';

interface Row extends Omit<KnownRule, 'id'> {
  facts: RuleFacts;
}

/** Attribute in `custom`, or at the top level of the rule. */
function attributeOf(custom: Record<string, unknown>, name: string): unknown {
  const inner = custom.custom;
  const named = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined;
  return named ?? custom[name];
}

function categoryOf(custom: Record<string, unknown>): string {
  const category = attributeOf(custom, 'category');
  return typeof category === 'string' && category.trim() !== '' ? category.trim().slice(0, 100) : 'Other';
}

/** Undefined without a reason and steps. */
function guidanceOf(custom: Record<string, unknown>): RuleGuidance | undefined {
  const [why, check] = [attributeOf(custom, 'why'), attributeOf(custom, 'check')];
  const whyItMatters = typeof why === 'string' ? why.trim().slice(0, 2000) : '';
  const checkFirst = (Array.isArray(check) ? check : [])
    .filter((step) => typeof step === 'string')
    .map((step) => step.trim().slice(0, 2000))
    .filter((step) => step !== '')
    .slice(0, 10);
  if (whyItMatters === '' && checkFirst.length === 0) return undefined;
  return { confidence: confidenceOf(custom) ?? null, whyItMatters, checkFirst };
}

/** Undefined for a rule without one. */
const confidenceOf = (custom: Record<string, unknown>): RuleConfidence | undefined =>
  ruleConfidences.find((each) => each === attributeOf(custom, 'confidence'));

function ruleRow(rule: SigmaRule): Row {
  return row(
    rule,
    {
      logSource: logSourceOf(rule),
      condition: rule.conditions.join(' | '),
    },
    rule.selections.reduce((sum, { alternatives }) => sum + Math.min(...alternatives.map((items) => items.length)), 0),
  );
}

function correlationRow(correlation: Correlation, beneath: readonly SigmaRule[], titles: readonly string[]): Row {
  const threshold = correlation.conditions.map(({ operator, number }) => `${operator} ${number}`).join(' and ');
  const counted = correlation.valueFields.length > 0 ? ` of ${correlation.valueFields.join(', ')}` : '';
  const group = correlation.groupBy.length > 0 ? ` by ${correlation.groupBy.join(', ')}` : '';
  return row(correlation, {
    logSource: [...new Set(beneath.map((rule) => ruleRow(rule).facts.logSource))].join('; '),
    condition: `${correlation.type}${counted} ${threshold} within ${correlation.timespanMs / 1000} s${group}, over ${titles.map((title) => `"${title}"`).join(', ')}`,
    countedFields: [...correlation.valueFields],
    groupFields: [...correlation.groupBy],
  });
}

function row(
  rule: SigmaRule | Correlation,
  facts: Pick<RuleFacts, 'logSource' | 'condition' | 'countedFields' | 'groupFields'>,
  detail = 0,
): Row {
  const confidence = confidenceOf(rule.custom);
  const level: Severity = severities.find((severity) => severity === rule.level) ?? 'medium';
  const tags = rule.tags.map((tag) => tag.toLowerCase()).filter((tag) => tag.startsWith('attack.'));
  return {
    key: rule.id,
    title: rule.title.slice(0, 500),
    category: categoryOf(rule.custom),
    criticality: criticalityOf[level],
    confidence: ruleConfidences.indexOf(confidence ?? 'medium') + 1,
    detail,
    facts: {
      ...facts,
      ...(confidence && { confidence }),
      description: rule.description ?? '',
      falsePositives: rule.falsepositives,
      guidance: guidanceOf(rule.custom),
      references: rule.references,
      techniques: tags.filter((tag) => /^attack\.t\d/.test(tag)).map((tag) => tag.slice(7).toUpperCase()),
      tactics: tags.filter((tag) => !/^attack\.[tgs]\d/.test(tag)).map((tag) => tag.slice(7).replaceAll('_', '-')),
    },
  };
}

async function saveRules(db: Database, rows: readonly Row[]): Promise<Map<string, KnownRule>> {
  const known = new Map<string, KnownRule>();
  const sorted = [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (let from = 0; from < sorted.length; from += 1000) {
    const part = sorted.slice(from, from + 1000);
    // Processes start at the same time with the same rules: unchanged rows are not rewritten.
    const { rows: saved } = await scoped(db, 'system', async (tx) => {
      const { rows: changed } = await sql`
        insert into rules (key, title, category, criticality, facts, is_loaded)
        select r.key, r.title, r.category, r.criticality, r.facts::jsonb, true from unnest(${textColumn(part.map((rule) => rule.key))}, ${textColumn(part.map((rule) => rule.title))},
          ${textColumn(part.map((rule) => rule.category))}, ${integerColumn(part.map((rule) => rule.criticality))},
          ${textColumn(part.map((rule) => JSON.stringify(rule.facts)))}) as r (key, title, category, criticality, facts)
        on conflict (key) do update set title = excluded.title, category = excluded.category, criticality = excluded.criticality, facts = excluded.facts, is_loaded = true
        where (rules.title, rules.category, rules.criticality, rules.facts, rules.is_loaded)
          is distinct from (excluded.title, excluded.category, excluded.criticality, excluded.facts, true)
        returning id`.execute(tx);
      if (changed.length > 0) await publish(tx, 'rules.changed', {});
      return sql<{ id: number; key: string }>`
        select id, key from rules where key = any(${textColumn(part.map((rule) => rule.key))})`.execute(tx);
    });
    const ids = new Map(saved.map((rule) => [rule.key, rule.id]));
    for (const { facts: _, ...rule } of part) known.set(rule.key, { id: ids.get(rule.key) as number, ...rule });
  }
  await scoped(db, 'system', (tx) =>
    tx
      .updateTable('rules')
      .set({ is_loaded: false })
      .where('is_loaded', '=', true)
      .where(sql<boolean>`key <> all(${textColumn(sorted.map(({ key }) => key))})`)
      .execute(),
  );
  return known;
}
