/**
 * Reads bodies of Splunk’s HTTP Event Collector: JSON objects one after the other, with or without separators, or lines of
 * text. An invalid event becomes a dead letter and the events around it are stored; Splunk itself stops at the first.
 */
import { isIP } from 'node:net';
import type { Document } from '../../pipeline/event.ts';
import { checkLimits } from '../../pipeline/normalise/limits.ts';
import { readXml } from '../../pipeline/normalise/windows/xml.ts';
import type { DeadReason } from '../../pipeline/result.ts';
import { maxEventBytes } from '../../pipeline/steps/parse.ts';
import type { Item } from './intake.ts';
import { documentOf, isObject, isoTime } from './payload.ts';

/** Splunk’s codes of an invalid event. */
export type EventFault = 'invalid-format' | 'event-required' | 'event-blank';
export type HecItem = Item & { fault?: EventFault };

export interface HecContext {
  /** Milliseconds since 1970. */
  receivedAt: number;
  /** Names the request in ids of events without a time. */
  requestId: string;
}

/** Metadata of an event, or of all lines of a raw request. */
interface Metadata {
  time?: unknown;
  host?: unknown;
  source?: unknown;
  sourcetype?: unknown;
  index?: unknown;
  fields?: unknown;
}

const maxInvalidText = 64 * 1024;
const [quote, backslash, newline, open, close, listOpen, listClose] = [...'"\\\n{}[]'].map((each) => each.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === newline || byte === 13 || byte === 9;

/** Reads concatenated event objects. */
export function* readEvents(body: Buffer, context: HecContext): Generator<HecItem, void> {
  let number = -1;
  for (const { from, to, isWhole } of segmentsOf(body)) {
    number++;
    if (to - from > maxEventBytes) {
      yield invalid('too-large', 'invalid-format', body, from, to);
      continue;
    }
    const value = isWhole ? parsed(body.toString('utf8', from, to)) : undefined;
    if (!isObject(value)) {
      yield invalid('not-json', 'invalid-format', body, from, to);
      continue;
    }
    const fault = faultOf(value);
    if (fault !== undefined) {
      yield invalid(fault === 'invalid-format' ? 'not-json' : 'not-an-object', fault, body, from, to);
      continue;
    }
    const item = itemOf(value, context, `${context.requestId}-${number}`, to - from);
    yield typeof item === 'string' ? invalid(item, 'invalid-format', body, from, to) : item;
  }
}

function itemOf(value: Document, context: HecContext, id: string, length: number): HecItem | DeadReason {
  const document = documentOf(value.event, context.receivedAt, isSyslog(value));
  addMetadata(document, value);
  const violation = checkLimits(document);
  return violation === 'ok' ? event(document, value.time !== undefined, id, length) : violation;
}

const xmlEvent = '<Event ';
const endOfEvent = '</Event>';

/**
 * Finds the place behind a Windows event in XML, whose values may have several lines; undefined for a line that only begins so. Of several
 * beginnings before an end the last is taken, so each end is searched and each block read once.
 */
function xmlEnds(body: Buffer): (from: number) => number | undefined {
  let end = -1;
  let begin = -1;
  return (from) => {
    if (end <= from) {
      const at = body.indexOf(endOfEvent, from);
      end = at < 0 ? Number.POSITIVE_INFINITY : at + endOfEvent.length;
      begin = at < 0 ? -1 : body.lastIndexOf(xmlEvent, at);
    }
    if (begin !== from || end - from > maxEventBytes) return undefined;
    return readXml(body.toString('utf8', from, end)) === undefined ? undefined : end;
  };
}

/** Reads lines, one event each, or Windows events in XML; the metadata of the address holds for all. */
export function* readLines(body: Buffer, metadata: Metadata, context: HecContext): Generator<HecItem, void> {
  let number = 0;
  const endOfXml = xmlEnds(body);
  for (let position = startOf(body); position < body.length; ) {
    const from = position;
    let end = body.indexOf(newline, from);
    if (end === -1) end = body.length;
    const isXml = body.toString('latin1', from, from + xmlEvent.length) === xmlEvent;
    const xmlEnd = isXml ? endOfXml(from) : undefined;
    if (xmlEnd !== undefined) end = xmlEnd;
    position = xmlEnd ?? end + 1;
    const text = end - from > maxEventBytes ? undefined : body.toString('utf8', from, end).trimEnd();
    if (text === '') continue;
    const document = text === undefined ? undefined : documentOf(text, context.receivedAt, isSyslog(metadata));
    if (document !== undefined) addMetadata(document, metadata);
    const violation = document === undefined ? 'too-large' : checkLimits(document);
    if (document === undefined || violation !== 'ok') yield invalid(violation as DeadReason, 'invalid-format', body, from, end);
    else yield event(document, metadata.time !== undefined, `${context.requestId}-${number}`, end - from);
    number++;
  }
}

/** Number of objects, valid or not, so that a request with too many is refused before any is stored. */
export function countEvents(body: Buffer): number {
  let count = 0;
  for (const _ of segmentsOf(body)) count++;
  return count;
}

/** Number of lines, empty ones included. */
export function countLines(body: Buffer): number {
  let count = 1;
  for (let at = body.indexOf(newline); at !== -1; at = body.indexOf(newline, at + 1)) count++;
  return count;
}

/** True for metadata of Splunk’s types. */
export function isMetadata({ time, host, source, sourcetype, index, fields }: Metadata): boolean {
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  const isTime = time === undefined || time === null || timeOf(time) !== undefined;
  return (
    isTime && [host, source, sourcetype, index].every(isText) && (fields === undefined || fields === null || isObject(fields))
  );
}

function faultOf(value: Document): EventFault | undefined {
  const { event } = value;
  if (event === undefined || event === null) return 'event-required';
  if (event === '' || (typeof event === 'string' && event.trim() === '')) return 'event-blank';
  if (isObject(event) && Object.keys(event).length === 0) return 'event-blank';
  return isMetadata(value) ? undefined : 'invalid-format';
}

/** True for the sources of Splunk’s syslog inputs and the source types that its add-ons give to syslog and firewalls. */
const isSyslog = ({ source, sourcetype }: Metadata): boolean =>
  (typeof source === 'string' && /^(?:udp|tcp):\d+$/.test(source)) ||
  (typeof sourcetype === 'string' &&
    /^(?:syslog|linux_secure|cisco:(?:asa|ftd)|pan:|fgt_|fortigate|fortinet|sonicwall|cef|leef)/i.test(sourcetype));

/** Epoch seconds with decimals, as number or text. */
function timeOf(time: unknown): string | undefined {
  const [, seconds, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(String(time)) ?? [];
  if (seconds === undefined || typeof time === 'object' || typeof time === 'boolean') return undefined;
  return isoTime(Number(seconds), fraction);
}

/** Adds what the event itself lacks; `splunk` keeps what ECS has no place for. */
function addMetadata(document: Document, { time, host, source, sourcetype, index, fields }: Metadata): void {
  const at = time === undefined || time === null ? undefined : timeOf(time);
  if (at !== undefined) document['@timestamp'] ??= at;
  if (host) {
    // Metadata of the shipper are better than a host read from the line.
    if (isObject(document.host) && isObject(document.log)) document.host = undefined;
    document.host ??= { name: host, ...(isIP(host as string) ? { ip: [host] } : {}) };
  }
  const splunk = { ...(source ? { source } : {}), ...(sourcetype ? { sourcetype } : {}), ...(index ? { index } : {}) };
  if (Object.keys(splunk).length > 0) document.splunk ??= splunk;
  if (typeof source === 'string' && /^(?:\/|[A-Za-z]:\\)/.test(source)) document['log.file.path'] ??= source;
  if (isObject(fields) && Object.keys(fields).length > 0) document.labels ??= fields;
}

/**
 * Without a time, equal events of two requests are two, so each gets an id; with one, an event sent again is recognised by its
 * content.
 */
const event = (document: Document, hasTime: boolean, id: string, length: number): HecItem => ({
  kind: 'event',
  arrival: { raw: document, index: 'hec', documentId: hasTime ? undefined : id },
  length,
});

const invalid = (reason: DeadReason, fault: EventFault, body: Buffer, from: number, to: number): HecItem => ({
  kind: 'fault',
  raw: body.toString('utf8', from, Math.min(to, from + maxInvalidText)).trimEnd(),
  reason,
  fault,
});

const startOf = (body: Buffer): number => (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Segment {
  from: number;
  to: number;
  /** True for an object whose brackets close; false for garbage up to a line that begins with one. */
  isWhole: boolean;
}

/**
 * Splits at the ends of objects. Behind one that does not end, objects must end on their line: each byte is scanned at most
 * twice, whatever the body.
 */
function* segmentsOf(body: Buffer): Generator<Segment, void> {
  let isByLine = false;
  let limit = body.length;
  for (let at = startOf(body); ; ) {
    while (isSpace(body[at])) at++;
    if (at >= body.length) return;
    const from = at;
    if (isByLine && from >= limit) limit = endOfLine(body, from);
    const end = body[from] === open ? endOfObject(body, from, limit) : undefined;
    if (end === undefined && body[from] === open) isByLine = true;
    if (end === undefined && isByLine) limit = 0;
    at = end ?? nextObject(body, from);
    yield { from, to: at, isWhole: end !== undefined };
  }
}

function endOfLine(body: Buffer, from: number): number {
  const end = body.indexOf(newline, from);
  return end === -1 ? body.length : end;
}

/** Position behind the object that begins at `from`; undefined for one that does not end before `limit`. */
function endOfObject(body: Buffer, from: number, limit: number): number | undefined {
  let depth = 0;
  for (let at = from; at < limit; at++) {
    const byte = body[at];
    if (byte === quote) {
      for (at++; at < limit && body[at] !== quote; at++) if (body[at] === backslash) at++;
    } else if (byte === open || byte === listOpen) depth++;
    else if ((byte === close || byte === listClose) && --depth === 0) return at + 1;
  }
  return undefined;
}

/** Start of the next object that begins a line, where reading continues behind garbage. */
function nextObject(body: Buffer, from: number): number {
  for (let at = body.indexOf(newline, from); at !== -1; at = body.indexOf(newline, at + 1)) {
    let next = at + 1;
    while (isSpace(body[next])) next++;
    if (body[next] === open) return next;
    at = Math.max(at, next - 1);
  }
  return body.length;
}
