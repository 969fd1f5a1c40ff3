/** Stores records of a file slice by slice through the intake, with their own times, and counts the outcomes. */
import type { Clock } from '../../core/clock.ts';
import type { Arrival } from '../../pipeline/event.ts';
import { type ArrivalContext, arrivalOf, faultTexts } from '../../pipeline/mapping/arrivals.ts';
import type { DeadReason } from '../../pipeline/result.ts';
import type { IngestService, RequestState, UnparseableInput } from '../ingest/ingest.service.ts';
import type { FileRecord } from './imports.read.ts';
import type { ImportRow, Progress } from './imports.store.ts';

/** Events of a slice, which is one transaction. */
const eventsPerBatch = 2_500;
/** Characters of a slice: parsed, events take many times that. */
const maxSlice = 4 * 1024 * 1024;
const maxRefusals = 100;
/** Event ids are by content, so that a file imported twice stores nothing again; without times of their own, within an hour. */
const index = 'import';

interface Waiting {
  line: number;
  arrival: Arrival;
}

export function createImportWriter(
  { ingest, clock }: { ingest: Pick<IngestService, 'take' | 'inTurn'>; clock: Clock },
  { organisationId, mapping, source, format }: Pick<ImportRow, 'organisationId' | 'mapping' | 'source' | 'format'>,
) {
  const progress: Progress = { bytes: 0, records: 0, stored: 0, retimed: 0, duplicates: 0, refused: 0, refusals: [] };
  const context: ArrivalContext | undefined = mapping
    ? { mapping, receivedAt: clock.now(), index, source: source ?? '', met: new Map() }
    : undefined;
  const state: RequestState = { ids: new Set(), contents: new Map() };
  let waiting: Waiting[] = [];
  let unparseable: UnparseableInput[] = [];
  let length = 0;

  const refuse = (line: number, error: string) => {
    progress.refused++;
    if (progress.refusals.length < maxRefusals) progress.refusals.push({ line, error: error.slice(0, 500) });
  };
  const refuseRaw = (line: number, raw: string, reason: DeadReason, error: string) => {
    refuse(line, error);
    unparseable.push({ raw, reason, step: 'read' });
  };

  const take = (record: FileRecord): void => {
    const { line, text, row, fault, raw = '' } = record;
    progress.records++;
    if (fault !== undefined) {
      refuseRaw(line, raw, 'not-json', fault);
      return;
    }
    length += text?.length ?? 0;
    if (context) {
      const item = arrivalOf(bodyRecordOf(text, row), line, context);
      if (item.kind === 'fault') refuseRaw(line, item.raw, item.reason, item.why);
      else {
        length += item.length;
        waiting.push({ line, arrival: item.arrival });
      }
      return;
    }
    // As a shipper’s; without a name in the event, the data source is the one that the person named.
    const arrival = {
      raw: text ?? '',
      index,
      documentId: undefined,
      ...(source && format === 'ndjson' && { deviceName: source }),
    };
    waiting.push({ line, arrival });
  };

  const flush = async (): Promise<void> => {
    if (waiting.length + unparseable.length === 0) return;
    const [slice, errors] = [waiting, unparseable];
    [waiting, unparseable, length] = [[], [], 0];
    // The database recognises what earlier slices stored.
    state.ids.clear();
    const arrivals = slice.map(({ arrival }) => arrival);
    const results = await ingest.inTurn(() => ingest.take(organisationId, arrivals, errors, state), organisationId);
    for (const [at, result] of results.entries()) {
      if (result.kind === 'dead') refuse(slice[at]!.line, faultTexts[result.reason] ?? result.text);
      else if (result.kind === 'duplicate') progress.duplicates++;
      else {
        progress.stored++;
        if (result.isRetimed) progress.retimed++;
      }
    }
  };

  return {
    progress,
    flush,
    /** Returns true when a slice was stored. */
    async add(records: readonly FileRecord[]): Promise<boolean> {
      let isStored = false;
      for (const record of records) {
        take(record);
        if (waiting.length < eventsPerBatch && unparseable.length < eventsPerBatch && length < maxSlice) continue;
        await flush();
        isStored = true;
      }
      return isStored;
    },
  };
}

function bodyRecordOf(text: string | undefined, row: FileRecord['row']) {
  if (row) return { value: row };
  try {
    return { value: JSON.parse(text ?? '') as unknown };
  } catch (error) {
    return { fault: `This object is not JSON: ${(error as Error).message.slice(0, 200)}`, raw: text ?? '' };
  }
}
