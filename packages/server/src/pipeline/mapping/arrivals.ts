/** Records of a sender as arrivals of the pipeline, with ids by which a record sent again is recognised. */
import { hash } from 'node:crypto';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { Arrival, Document } from '../event.ts';
import { isObject, read, text } from '../normalise/doc.ts';
import { checkLimits, greatestDepth, maxFields } from '../normalise/limits.ts';
import type { DeadReason } from '../result.ts';
import { maxEventBytes } from '../steps/parse.ts';
import { mapRecord } from './mapped.ts';
import type { BodyRecord } from './records.ts';

export type MappedItem =
  | { kind: 'event'; arrival: Arrival; length: number }
  | { kind: 'fault'; raw: string; reason: DeadReason; why: string };

export interface ArrivalContext {
  mapping: EventMapping;
  /** Milliseconds since 1970. */
  receivedAt: number;
  /** Names the request in ids of events without id and time; without it, equal records are recognised whatever they hold. */
  requestId?: string;
  /** Part of the identity of event ids. */
  index: string;
  /** Data source of events that name no host. */
  source: string;
  /** Equal records so far: in one request they are events of their own. */
  met: Map<string, number>;
}

export const faultTexts: Partial<Record<DeadReason, string>> = {
  'not-an-object': 'This record is not an object.',
  'too-large': `This record is larger than ${maxEventBytes / 1024} KiB.`,
  'too-many-fields': `This record has more than ${maxFields} fields.`,
  'too-deep': `This record is nested more than ${greatestDepth - 1} levels deep.`,
};

export function arrivalOf(part: BodyRecord, number: number, context: ArrivalContext): MappedItem {
  if ('fault' in part) return { kind: 'fault', raw: part.raw.slice(0, maxInvalidText), reason: 'not-json', why: part.fault };
  const raw = JSON.stringify(part.value);
  if (!isObject(part.value)) return fault('not-an-object', raw);
  if (raw.length > maxEventBytes) return fault('too-large', raw);
  const { mapping, receivedAt, source, index } = context;
  const { document } = mapRecord(part.value, mapping, receivedAt);
  const violation = checkLimits(document);
  if (violation !== 'ok') return fault(violation, raw);
  const documentId = idOf(document, raw, number, context);
  const namesHost = text(read(document, 'host.name')) !== undefined;
  return {
    kind: 'event',
    arrival: { raw: document, index, documentId, ...(!namesHost && { deviceName: source }) },
    length: raw.length,
  };
}

/** The sender’s id; else the content when it has a time; else each record is an event of its own. */
function idOf(document: Document, raw: string, number: number, { requestId, met }: ArrivalContext): string {
  const own = text(read(document, 'event.id'));
  if (own !== undefined) return own.length <= 512 ? own : hash('sha256', own, 'hex');
  if (requestId !== undefined && document['@timestamp'] === undefined) return `${requestId}-${number}`;
  const content = hash('sha256', raw, 'hex');
  const before = met.get(content) ?? 0;
  met.set(content, before + 1);
  return `${content}-${before}`;
}

const maxInvalidText = 64 * 1024;
const fault = (reason: DeadReason, raw: string): MappedItem => ({
  kind: 'fault',
  raw: raw.slice(0, maxInvalidText),
  reason,
  why: faultTexts[reason] ?? reason,
});
