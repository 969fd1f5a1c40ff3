/** Citations: a sentence of a verdict is shown only while the stored event still has the cited value. */
import type { Evidence } from '@parapet/contract/caseDetail.ts';
import { sql } from 'kysely';
import { integerColumn, textColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { MatchExplanation } from '../../core/db/tables.detection.ts';
import { within } from '../../core/db/within.ts';

/** Length up to which a value is cited and compared. */
const maxValue = 500;
const maxField = 200;
const maxParts = 6;

/** Paths of `a.b.c` in a document: nested, dotted, or nested with a dotted end or beginning. */
export function pathsOf(field: string): string[][] {
  const parts = field.split('.');
  if (parts.length === 1 || parts.length > maxParts) return [[field]];
  const paths: string[][] = [];
  for (let cuts = (1 << (parts.length - 1)) - 1; cuts >= 0; cuts--) {
    const path = [parts[0]!];
    for (let i = 1; i < parts.length; i++) {
      if (cuts & (1 << (i - 1))) path.push(parts[i]!);
      else path[path.length - 1] += `.${parts[i]}`;
    }
    paths.push(path);
  }
  return paths;
}

const cited = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).slice(0, maxValue)
    : undefined;

/** Citable strings of a value: itself, or the first strings of a list. */
const valuesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.slice(0, 50) : [value])
    .map(cited)
    .filter((text): text is string => text !== undefined && text !== '');

export function valuesAt(document: unknown, field: string): string[] {
  return pathsOf(field).flatMap((path) => {
    let at: unknown = document;
    for (const part of path) {
      if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, part)) return [];
      at = (at as Record<string, unknown>)[part];
    }
    return valuesOf(at);
  });
}

/** Most informative fields of an event, for events without the rule's own fields. */
const tellingFields = [
  'process.command_line',
  'winlog.event_data.ScriptBlockText',
  'process.executable',
  'url.original',
  'dns.question.name',
  'file.path',
  'user_agent.original',
  'source.ip',
  'destination.ip',
  'event.action',
  'event.code',
  'message',
  '@timestamp',
];

/** Field and value of an event that best explain a rule match; undefined without one. */
export function citationOf(document: unknown, why: MatchExplanation | undefined): { field: string; value: string } | undefined {
  const fields = (Array.isArray(why?.items) ? why.items : []).flatMap(({ field }) =>
    typeof field === 'string' && field.length <= maxField && field !== 'message' ? [field] : [],
  );
  // Numbers and short words explain little: prefer the longest value of the rule's fields, then the most informative field.
  const own = [...new Set(fields)]
    .flatMap((field) =>
      valuesAt(document, field)
        .slice(0, 1)
        .map((value) => ({ field, value })),
    )
    .filter(({ value }) => value.length > 4)
    .sort((a, b) => b.value.length - a.value.length || (a.field < b.field ? -1 : 1));
  if (own[0]) return own[0];
  for (const field of [...tellingFields, ...fields]) {
    const [value] = valuesAt(document, field);
    if (value !== undefined) return { field, value };
  }
  return undefined;
}

/** Valid citations: the alert is in the case and one of its stored events has the value in the field. */
export async function verifiedEvidence(tx: Tx, scope: Scope, caseId: number, evidence: readonly Evidence[]): Promise<Evidence[]> {
  const asked = evidence.flatMap((sentence, index) =>
    sentence.alertID === null || sentence.field === null
      ? []
      : pathsOf(sentence.field).map((path) => ({ index, alertId: sentence.alertID!, path: JSON.stringify(path) })),
  );
  const held = new Set<number>();
  if (asked.length > 0) {
    const { rows } = await sql<{ index: number; value: unknown }>`
      select q.index, e.document #> array(select jsonb_array_elements_text(q.path::jsonb)) as value
      from unnest(${integerColumn(asked.map((each) => each.index))}, ${integerColumn(asked.map((each) => each.alertId))},
        ${textColumn(asked.map((each) => each.path))}) as q (index, alert_id, path)
      join case_alerts c on c.case_id = ${caseId} and c.alert_id = q.alert_id and ${within('c.organisation_id', scope)}
      cross join lateral (
        select document from alert_events a where ${within('a.organisation_id', scope)} and a.alert_id = c.alert_id and a.alert_at = c.alert_at limit 50
      ) e`.execute(tx);
    for (const { index, value } of rows) if (valuesOf(value).includes(evidence[index]!.value ?? '')) held.add(index);
  }
  return evidence.filter((sentence, index) => (sentence.factor === 'silence' && sentence.alertID === null) || held.has(index));
}
