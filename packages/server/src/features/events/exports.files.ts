/** Files of exports. Lines are stored in parts, so that memory is bounded by one of them; a Parquet file is compressed and one part. */
import type { ExportFormat } from '@parapet/contract/eventExports.ts';
import { type Columns, csvLine, csvStart, csvType } from '../../core/csv.ts';
import { encodeArchive } from '../../domain/events/archiveFile.ts';
import type { StoredEvent } from '../../domain/events/eventStore.ts';

type Pages = AsyncIterable<readonly StoredEvent[]>;
/** Stores the next part of the file. */
type PutPart = (bytes: Buffer) => Promise<void>;

export const typeOf: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: csvType,
  parquet: 'application/vnd.apache.parquet',
};

const partBytes = 8 * 2 ** 20;

const time = (at: number) => new Date(at).toISOString();

function columnsOf(names: ReadonlyMap<number, string>): Columns<StoredEvent> {
  return [
    ['Time', ({ at }) => time(at)],
    ['Arrived', ({ receivedAt }) => time(receivedAt)],
    ['Client', ({ organisationId }) => names.get(organisationId) ?? ''],
    ['Device', ({ deviceName }) => deviceName],
    ['User', ({ userName }) => userName],
    ['Format', ({ shape }) => shape],
    ['Event', ({ text }) => text],
    ['ID', ({ id }) => id],
    ['Document', ({ json }) => json],
  ];
}

/** One event as a line of JSON, its document as it is stored. */
const jsonLine = (event: StoredEvent, names: ReadonlyMap<number, string>): string => {
  const { id, organisationId, at, receivedAt, shape, deviceName, userName, text, json } = event;
  const head = {
    id,
    clientOrganizationID: organisationId,
    clientOrganizationName: names.get(organisationId) ?? '',
    at: time(at),
    receivedAt: time(receivedAt),
    shape,
    deviceName,
    userName,
    text,
  };
  return `${JSON.stringify(head).slice(0, -1)},"document":${json}}\n`;
};

export async function writeFile(
  format: ExportFormat,
  pages: Pages,
  names: ReadonlyMap<number, string>,
  putPart: PutPart,
): Promise<void> {
  if (format === 'parquet') {
    const { bytes } = await encodeArchive(pages, ({ organisationId }) => organisationId);
    return putPart(bytes);
  }
  const columns = columnsOf(names);
  const lineOf = (event: StoredEvent) =>
    format === 'csv' ? csvLine(columns.map(([, cell]) => cell(event))) : jsonLine(event, names);
  let texts = format === 'csv' ? [csvStart(columns.map(([title]) => title))] : [];
  let length = 0;
  for await (const page of pages) {
    for (const event of page) {
      const line = lineOf(event);
      texts.push(line);
      length += line.length;
      if (length < partBytes) continue;
      await putPart(Buffer.from(texts.join('')));
      texts = [];
      length = 0;
    }
  }
  if (texts.length > 0) await putPart(Buffer.from(texts.join('')));
}
