/** A sample as the intake would map and normalise it. */
import type { EventMapping, MappingPreview } from '@parapet/contract/eventMapping.ts';
import { problem } from '@parapet/contract/problem.ts';
import { mappingTargets } from '@parapet/contract/rules/eventMapping.ts';
import { isObject } from '../normalise/doc.ts';
import { cleanForStorage } from '../normalise/limits.ts';
import { normalise } from '../normalise/normalise.ts';
import { arrivalOf } from './arrivals.ts';
import { mapRecord } from './mapped.ts';
import { type BodyRecord, recordsIn, UnreadableBody } from './records.ts';

const shownEvents = 5;
const shownRefusals = 20;
const longestDocument = 20_000;

export function previewOf(sample: string, mapping: EventMapping, source: string, now: number): MappingPreview {
  try {
    return previewOfRecords(recordsIn(sample, mapping.records), mapping, source, now);
  } catch (error) {
    if (error instanceof UnreadableBody) throw problem.invalid({ sample: [error.message] }, error.message);
    throw error;
  }
}

export function previewOfRecords(
  records: Iterable<BodyRecord>,
  mapping: EventMapping,
  source: string,
  now: number,
): MappingPreview {
  const preview: MappingPreview = { results: [], total: 0, refused: [] };
  const context = { mapping, receivedAt: now, requestId: 'preview', index: 'preview', source, met: new Map<string, number>() };
  for (const record of records) {
    const item = arrivalOf(record, preview.total++, context);
    if (item.kind === 'fault') {
      if (preview.refused.length < shownRefusals) preview.refused.push(`Record ${preview.total}: ${item.why}`);
      continue;
    }
    if (preview.results.length >= shownEvents || !('value' in record) || !isObject(record.value)) continue;
    const { document, unread } = mapRecord(record.value, mapping, now);
    const event = normalise(cleanForStorage(document), now);
    preview.results.push({
      at: event.claimedAt === undefined ? null : new Date(event.claimedAt).toISOString(),
      device: item.arrival.deviceName ?? event.deviceName ?? source,
      user: event.userName ?? null,
      text: event.text,
      document: JSON.stringify(event.document, null, 2).slice(0, longestDocument),
      unread: unread.map((path) => mappingTargets[path].label),
    });
  }
  return preview;
}
