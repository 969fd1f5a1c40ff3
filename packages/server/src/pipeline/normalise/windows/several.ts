/**
 * Windows events in XML that stand in one text, one behind the other or in `<Events>`, as exports of logs and shippers that gather lines
 * send them. The reader of XML ends behind the first, so each becomes an arrival of its own with the shipper’s fields.
 */
import type { Arrival, Document } from '../../event.ts';
import { maxEventBytes } from '../../steps/parse.ts';
import { isObject, nestDottedKeys, objectIn } from '../doc.ts';
import { checkLimits } from '../limits.ts';
import { isLog, textKeys } from './wrapped.ts';
import { readXmlFrom } from './xml.ts';

/** Tag of an event in whose text others stand that were not read. */
const unreadTag = 'windows-events-not-read';

const end = /\/Events?(?:>|\\u003e)/gi;
/** A text of one event has one end, and `/EventData` is none. */
const hasSeveral = (text: string): boolean => text.includes('/Event') && (text.match(end)?.length ?? 0) > 1;

/** Copies of the shipper’s fields may make an arrival longer, by so many times its length and so many characters. */
const longestGrowth = 8;
const freeGrowth = 64 * 1024;

/**
 * Separates the events of an arrival.
 * @returns undefined for an arrival of one event; the arrival alone, tagged, if the fields beside the text are too long to be repeated
 */
export function separateEvents(arrival: Arrival): Arrival[] | undefined {
  const document = documentWithSeveral(arrival.raw);
  if (document === undefined || checkLimits(document) !== 'ok') return undefined;
  nestDottedKeys(document);
  const key = textKeys.find((each) => typeof document[each] === 'string' && hasSeveral(document[each]));
  if (key === undefined || isLog(document)) return undefined;
  const { [key]: text, ...rest } = document as Document & Record<typeof key, string>;
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  // Logstash repeats the text there.
  if (isObject(rest.event) && rest.event.original === text) delete rest.event.original;
  const repeated = JSON.stringify(rest).length * (parts.length - 1);
  if (repeated > freeGrowth + longestGrowth * text.length) return [{ ...arrival, raw: tagged(document) }];
  return parts.map((part, at) => ({
    ...arrival,
    raw: JSON.stringify({ ...rest, [key]: part }),
    documentId: at === 0 || arrival.documentId === undefined ? arrival.documentId : `${arrival.documentId}#${at}`,
  }));
}

/** A copy of an arrival’s document whose text may have several events. */
function documentWithSeveral(raw: Arrival['raw']): Document | undefined {
  if (typeof raw === 'string') return raw.length <= maxEventBytes && hasSeveral(raw) ? objectIn(raw) : undefined;
  const isCandidate = textKeys.some((key) => typeof raw[key] === 'string' && hasSeveral(raw[key]));
  return isCandidate ? structuredClone(raw) : undefined;
}

const opening = /^\ufeff?\s*(?:<\?xml[^>]{0,200}>\s*)?(<Events(?:\s[^>]{0,200})?>\s*)?(?=<Event[\s>])/;
const eventAt = /<Event[\s>]/y;
const separator = /(?:[\s,\0\ufeff]|<\?xml[^>]{0,200}>|<\/?Events(?:\s[^>]{0,200})?>)*/y;

/**
 * Texts of the events. What is no well-formed event is a text of its own with all behind it, so that nothing inside a broken value passes
 * for an event.
 */
function partsOf(text: string): string[] | undefined {
  const start = opening.exec(text);
  if (start === null) return undefined;
  const parts: string[] = [];
  for (let at = start[0].length; at < text.length; ) {
    eventAt.lastIndex = at;
    const read = eventAt.test(text) ? readXmlFrom(text, at) : undefined;
    const after = read?.end ?? text.length;
    const part = text.slice(at, after);
    if (read !== undefined || /<Event[\s>]/.test(part)) parts.push(part);
    else parts.push(`${parts.pop()}${part}`);
    separator.lastIndex = after;
    separator.test(text);
    at = separator.lastIndex;
  }
  return parts.length > 1 || start[1] !== undefined ? parts : undefined;
}

function tagged(document: Document): Document {
  const tags = Array.isArray(document.tags) ? document.tags : document.tags === undefined ? [] : [document.tags];
  return { ...document, tags: [...tags, unreadTag] };
}
