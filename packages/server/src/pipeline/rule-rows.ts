/** The rules’ metadata, as the table `rules` keeps it for alerts, which outlive their rules. */
import { type RuleConfidence, type RuleGuidance, ruleConfidences } from '@parapet/contract/alerts.ts';
import { criticalityOf, type Severity } from '@parapet/contract/primitives.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { Correlation, SigmaRule } from '@parapet/sigma/rules.ts';
import { sql } from 'kysely';
import { publish } from '../core/bus.ts';
import { integerColumn, textColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { scoped } from '../core/db/scope.ts';
import type { RuleFacts } from '../core/db/tables.detection.ts';

/** The product as author of its rules: pages carry a partner’s brand, and do not name it. */
export const productAuthor = 'Parapet';

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
  /** Start of the SHA-256 of its text. */
  revision: string;
}

export const logSourceOf = ({ logsource: { product, category, service } }: SigmaRule): string =>
  [product, category, service].filter(Boolean).join(' / ');

export interface RuleRow extends Omit<KnownRule, 'id'> {
  facts: RuleFacts;
  /** Partner whose own rule it is. */
  organisationId: number | null;
}

export type RuleOrigin = Pick<RuleRow, 'revision' | 'organisationId'>;

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

/** A loaded rule does not change: most rows of a new state are those of the former. */
const rowsOfRules = new WeakMap<SigmaRule, RuleRow>();

export function ruleRow(rule: SigmaRule, origin: RuleOrigin): RuleRow {
  const former = rowsOfRules.get(rule);
  if (former?.revision === origin.revision && former.organisationId === origin.organisationId) return former;
  const made = row(
    rule,
    origin,
    {
      logSource: logSourceOf(rule),
      condition: rule.conditions.join(' | '),
    },
    rule.selections.reduce((sum, { alternatives }) => sum + Math.min(...alternatives.map((items) => items.length)), 0),
  );
  rowsOfRules.set(rule, made);
  return made;
}

const rowTexts = new WeakMap<RuleRow, string>();
/** JSON of a row, for the comparison of two states. */
export function rowText(row: RuleRow): string {
  const text = rowTexts.get(row) ?? JSON.stringify(row);
  rowTexts.set(row, text);
  return text;
}

export function correlationRow(
  correlation: Correlation,
  origin: RuleOrigin,
  beneath: readonly SigmaRule[],
  titles: readonly string[],
): RuleRow {
  const threshold = correlation.conditions.map(({ operator, number }) => `${operator} ${number}`).join(' and ');
  const counted = correlation.valueFields.length > 0 ? ` of ${correlation.valueFields.join(', ')}` : '';
  const group = correlation.groupBy.length > 0 ? ` by ${correlation.groupBy.join(', ')}` : '';
  return row(correlation, origin, {
    logSource: [...new Set(beneath.map(logSourceOf))].join('; '),
    condition: `${correlation.type}${counted} ${threshold} within ${correlation.timespanMs / 1000} s${group}, over ${titles.map((title) => `"${title}"`).join(', ')}`,
    countedFields: [...correlation.valueFields],
    groupFields: [...correlation.groupBy],
  });
}

function row(
  rule: SigmaRule | Correlation,
  origin: RuleOrigin,
  facts: Pick<RuleFacts, 'logSource' | 'condition' | 'countedFields' | 'groupFields'>,
  detail = 0,
): RuleRow {
  const confidence = confidenceOf(rule.custom);
  const level: Severity = severities.find((severity) => severity === rule.level) ?? 'medium';
  const tags = rule.tags.map((tag) => tag.toLowerCase()).filter((tag) => tag.startsWith('attack.'));
  return {
    ...origin,
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

/** Stores rules; those missing in `keys` count as former. */
export async function saveRules(
  db: Database,
  rows: readonly RuleRow[],
  keys: readonly string[],
): Promise<Map<string, KnownRule>> {
  const known = new Map<string, KnownRule>();
  const sorted = [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (let from = 0; from < sorted.length; from += 1000) {
    const part = sorted.slice(from, from + 1000);
    // Processes start at the same time with the same rules: unchanged rows are not rewritten. A row passes to no partner: others' alerts name it.
    const { rows: saved } = await scoped(db, 'system', async (tx) => {
      const { rows: changed } = await sql`
        insert into rules (key, title, category, criticality, facts, organisation_id, is_loaded)
        select r.key, r.title, r.category, r.criticality, r.facts::jsonb, nullif(r.organisation_id, 0), true from unnest(${textColumn(part.map((rule) => rule.key))}, ${textColumn(part.map((rule) => rule.title))},
          ${textColumn(part.map((rule) => rule.category))}, ${integerColumn(part.map((rule) => rule.criticality))},
          ${textColumn(part.map((rule) => JSON.stringify(rule.facts)))}, ${integerColumn(part.map((rule) => rule.organisationId ?? 0))})
          as r (key, title, category, criticality, facts, organisation_id)
        on conflict (key) do update set title = excluded.title, category = excluded.category, criticality = excluded.criticality, facts = excluded.facts,
          organisation_id = excluded.organisation_id, is_loaded = true
        where (rules.title, rules.category, rules.criticality, rules.facts, rules.organisation_id, rules.is_loaded)
          is distinct from (excluded.title, excluded.category, excluded.criticality, excluded.facts, excluded.organisation_id, true)
          and (excluded.organisation_id is null or excluded.organisation_id is not distinct from rules.organisation_id)
        returning id`.execute(tx);
      if (changed.length > 0) await publish(tx, 'rules.changed', {});
      return sql<{ id: number; key: string }>`
        select id, key from rules where key = any(${textColumn(part.map((rule) => rule.key))})`.execute(tx);
    });
    const ids = new Map(saved.map((rule) => [rule.key, rule.id]));
    for (const { facts: _, organisationId: __, ...rule } of part)
      known.set(rule.key, { id: ids.get(rule.key) as number, ...rule });
  }
  await scoped(db, 'system', (tx) =>
    tx
      .updateTable('rules')
      .set({ is_loaded: false })
      .where('is_loaded', '=', true)
      .where(sql<boolean>`key <> all(${textColumn(keys)})`)
      .execute(),
  );
  return known;
}
