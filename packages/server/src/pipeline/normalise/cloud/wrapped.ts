/**
 * Records of cloud services that Filebeat and the Elastic Agent post as JSON text in `message`, because Elasticsearch’s ingest
 * pipelines parse them there. Source: the pipelines of Filebeat’s modules `aws`, `okta`, `google_workspace`, `o365` and `azure`.
 */
import type { Document } from '../../event.ts';
import { fill, objectIn, read, text } from '../doc.ts';
import { isEntra } from '../entra.ts';
import { checkLimits, cleanForStorage, needsCleaning } from '../limits.ts';
import { isM365 } from '../m365.ts';
import { cloudShapeOf } from './cloud.ts';

const modules = /^(?:aws|okta|google_workspace|github|o365|azure)(?:\.|$)/;

/** Adds the fields of a record in `message` to the document; fields of the shipper stay. True when there is such a record. */
export function unwrapRecord(document: Document): boolean {
  const { message } = document;
  // Few messages begin so; the other reads are for these alone.
  if (typeof message !== 'string' || !message.startsWith('{') || !isOfModule(document)) return false;
  const record = objectIn(message);
  if (record === undefined || checkLimits(record) !== 'ok') return false;
  if (cloudShapeOf(record) === undefined && !isM365(record) && !isEntra(record)) return false;
  if (needsCleaning(message)) cleanForStorage(record);
  for (const key of Object.keys(record)) if (key !== '__proto__') fill(document, key, record[key]);
  return true;
}

const isOfModule = (document: Document): boolean => {
  const dataset = read(document, 'event.dataset') ?? read(document, 'data_stream.dataset') ?? read(document, 'event.module');
  return modules.test(text(dataset) ?? '');
};
