/** Citations: a sentence of a verdict is written and shown only while the stored event has the cited value and the sentence speaks of it. */
import type { Evidence } from '@parapet/contract/caseDetail.ts';
import { sql } from 'kysely';
import { integerColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { MatchExplanation } from '../../core/db/tables.detection.ts';
import { within } from '../../core/db/within.ts';
import { type AlertRef, readAlertEvents } from '../../domain/alertEvents.ts';
import { valueAt } from '../../domain/events/fields.ts';
import { maxField, type PlacedValue, pathsOf, valuesAt, valuesOf } from '../../domain/field-places.ts';
import { quote } from '../../domain/quote.ts';
import { speaksOf } from './decisioning.check.ts';

/** Most informative fields of an event, for events without the rule's own fields. */
const tellingFields = [
  'process.command_line',
  'winlog.event_data.ScriptBlockText',
  'process.executable',
  'url.original',
  'dns.question.name',
  'file.path',
  'registry.path',
  'user_agent.original',
  'source.ip',
  'destination.ip',
  'event.action',
  'event.code',
  'message',
  '@timestamp',
];

/** Fields of an event's kind, not of its content; cited only where nothing else is left. */
const framing =
  /^(?:event\.(?:outcome|kind|category|type|dataset|module|provider|code|id)|winlog\.(?:channel|provider_name|event_id|computer_name|api|opcode)|log\.|agent\.|ecs\.|input\.|service\.type|Workload|RecordType|category|host\.name$)/;

/** Field and value of an event that best explain a rule match; undefined without one. */
export function citationOf(document: unknown, why: MatchExplanation | undefined): PlacedValue | undefined {
  const fields = (Array.isArray(why?.items) ? why.items : []).flatMap(({ field }) =>
    typeof field === 'string' && field.length <= maxField ? [field] : [],
  );
  // Numbers and short words explain little: prefer the longest value of the rule's fields, then the most informative field.
  const own = [...new Set(fields)]
    .filter((field) => !framing.test(field))
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

/** Sentences of one case, with the version of the model that wrote them. */
export interface Sentences {
  caseId: number;
  evidence: readonly Evidence[];
}

/** Of each alert. */
const maxEvents = 50;

/** Valid sentences of each case: the alert is in the case and one of its stored events has the value in the field. */
export async function verifySentences(tx: Tx, scope: Scope, cases: readonly Sentences[]): Promise<Evidence[][]> {
  const lookups = cases.flatMap(({ caseId, evidence }, place) =>
    evidence.flatMap((sentence, index) =>
      sentence.alertID === null || sentence.field === null
        ? []
        : pathsOf(sentence.field).map((path) => ({
            place,
            caseId,
            index,
            alertId: sentence.alertID!,
            path,
          })),
    ),
  );
  const held = new Set<string>();
  if (lookups.length > 0) {
    const { rows } = await sql<AlertRef & { caseId: number }>`
      select distinct c.case_id as "caseId", c.alert_id as id, c.alert_at as at
      from unnest(${integerColumn(lookups.map((each) => each.caseId))}, ${integerColumn(lookups.map((each) => each.alertId))}) as q (case_id, alert_id)
      join case_alerts c on c.case_id = q.case_id and c.alert_id = q.alert_id and ${within('c.organisation_id', scope)}`.execute(
      tx,
    );
    const inCase = new Set(rows.map(({ caseId, id }) => `${caseId} ${id}`));
    const events = await readAlertEvents(tx, scope, rows, { most: maxEvents });
    for (const { place, caseId, index, alertId, path } of lookups) {
      if (!inCase.has(`${caseId} ${alertId}`)) continue;
      const value = cases[place]!.evidence[index]!.value ?? '';
      if (events.get(alertId)?.some(({ document }) => valuesOf(valueAt(document, ...path)).includes(value)))
        held.add(`${place} ${index}`);
    }
  }
  return cases.map(({ evidence }, place) =>
    evidence.filter(
      (sentence, index) => (sentence.factor === 'silence' && sentence.alertID === null) || held.has(`${place} ${index}`),
    ),
  );
}

/**
 * Valid sentences of a stored verdict. Since version 2 of the model each sentence quotes its value or a part of it, and a sentence about a silent source
 * names a device of the case; older verdicts stay as judged.
 */
export async function verifiedEvidence(
  tx: Tx,
  scope: Scope,
  record: { id: number; evidence: readonly Evidence[]; model: string; device_names: readonly string[] },
): Promise<Evidence[]> {
  const [held] = await verifySentences(tx, scope, [{ caseId: record.id, evidence: record.evidence }]);
  if (record.model === 'additive-log-odds 1') return held!;
  const devices = record.device_names.map((name) => quote(name).toLowerCase());
  return held!.filter(({ text, value, factor }) =>
    factor === 'silence' ? devices.some((name) => text.toLowerCase().includes(name)) : value !== null && speaksOf(text, value),
  );
}
