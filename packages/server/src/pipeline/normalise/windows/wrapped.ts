/**
 * Windows events inside a text or a wrapper of another tool: XML (Splunk’s add-on, WEF, NXLog, Azure’s agents), JSON or Splunk’s text in a message, hits
 * exported from Elasticsearch and results from Splunk, EvtxECmd, Wazuh, Fluent Bit, Fluentd, OpenTelemetry's collector, GELF. Each becomes an envelope or a flat document, which
 * `evtx.ts` reads as any other; an event that is sent plainly costs a few reads.
 */
import type { Document } from '../../event.ts';
import { fill, hostNameOf, isObject, known, nestDottedKeys, object, objectIn, read, section, setOwn } from '../doc.ts';
import { checkLimits, cleanForStorage } from '../limits.ts';
import { isWinlogbeat, shapeOf } from '../shape.ts';
import { isSyslog } from '../syslog.ts';
import { content, envelope, eventId, isFlat } from './evtx.ts';
import { readRendered } from './rendered.ts';
import { readSnare } from './snare.ts';
import { namedValues } from './values.ts';
import { shortName } from './windows.ts';
import { readXml, readXmlFrom } from './xml.ts';

/**
 * Turns a wrapped Windows event into one that converters write; any other document stays as it is.
 * @returns true if the event came in a text whose shipper is known for no forwarding, so that the device stays the shipper's
 */
export function unwrapWindows(document: Document): boolean {
  if (isObject(document._source) && typeof document._index === 'string') lift(document, '_source');
  else if (isObject(document.result) && typeof document.result._raw === 'string') lift(document, 'result');
  if (unwrapCollector(document) || unwrapGelf(document)) return false;
  if (document.winlog !== undefined || isWinlogbeat(document) || unwrapWazuh(document)) return false;
  if (typeof document.Payload === 'string' && document.EventId !== undefined) unwrapEvtxECmd(document);
  else if (typeof document.EventData === 'string') unwrapEventData(document);
  else if (Array.isArray(document.StringInserts) && isFlat(document)) nameInserts(document, 'StringInserts');
  else if (hasTexts(document.EventData) && isFlat(document)) nameInserts(document, 'EventData');
  else return unwrapText(document);
  return false;
}

/** Puts the fields of an inner object beside those of the wrapper; the inner ones win. */
function lift(document: Document, key: string): void {
  const inner = document[key] as Document;
  delete document[key];
  for (const name of Object.keys(inner)) setOwn(document, name, inner[name]);
  nestDottedKeys(document);
}

/** Fields in which shippers send an event as text. */
export const textKeys = ['message', '_raw', 'xml', 'System'] as const;

function unwrapText(document: Document): boolean {
  if (isSyslog(document)) return unwrapLine(document);
  for (const key of textKeys) {
    const value = document[key];
    if (typeof value !== 'string') continue;
    const from = value.startsWith('\ufeff') ? value.slice(1) : value;
    // Few texts begin so; the other reads are for these alone.
    const reader = readerOf(from);
    if (reader === undefined) continue;
    if (isLog(document)) return false;
    const fields = reader(from);
    if (fields !== undefined && checkLimits(fields) === 'ok') return take(document, key, cleanForStorage(fields));
  }
  return false;
}

function readerOf(from: string): ((from: string) => Document | undefined) | undefined {
  if (from.startsWith('<')) return /^<(?:\?xml[^>]{0,200}>\s*<)?Event[\s>]/.test(from) ? fieldsOfXml : undefined;
  if (from.startsWith('{')) return from.includes('"Event') ? fieldsOfJson : undefined;
  return isDigit(from.charCodeAt(0)) ? readRendered : undefined;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** A program of Windows forwarders may be before the event. */
const beforeXml = /^(?:[\w(). /-]{1,128}(?:\[\d{1,10}\])?: )?(?=<Event[\s>])/;

/** The event of a whole line, in XML or Snare's form, and the host that the line has beside its header. */
function eventOfLine(line: string): { fields: Document; host?: string | undefined; time?: string | undefined } | undefined {
  if (line.includes('MSWinEventLog')) return readSnare(line);
  const start = line.includes('<Event') ? beforeXml.exec(line) : null;
  if (start === null) return undefined;
  const xml = line.slice(start[0].length).trimEnd();
  const read = readXmlFrom(xml, 0);
  const fields = read?.end === xml.length ? fieldsOfRoot(read.root) : undefined;
  return fields && { fields };
}

/**
 * A syslog line of NXLog, Snare and other forwarders. A program may write anything into its line, so an event is read only if its computer is the host
 * that the header names.
 */
function unwrapLine(document: Document): boolean {
  const { message } = document;
  const found = typeof message === 'string' ? eventOfLine(message) : undefined;
  if (found === undefined || hasMarks(document) || checkLimits(found.fields) !== 'ok') return false;
  const fields = cleanForStorage(found.fields);
  const computer = known(content(read(fields, 'Event.System.Computer') ?? fields.Computer));
  const host = hostNameOf(document) ?? found.host;
  if (computer === undefined || host === undefined || shortName(computer) !== shortName(host)) return false;
  if (document['@timestamp'] === undefined && found.time !== undefined) fields.EventTime = found.time;
  return take(document, 'message', fields);
}

/** Marks of lines of a file, a journal or a container, which have whatever a program wrote there. */
const logMarks =
  'journald systemd _TRANSPORT _SYSTEMD_UNIT _HOSTNAME _PID __REALTIME_TIMESTAMP kubernetes container container_id container_name docker stream file filename path fileset input'.split(
    ' ',
  );

/** True for a document of any known shape, or with a mark of a line that a program wrote: no event of Windows is in its text. */
export const isLog = (document: Document): boolean => hasMarks(document) || shapeOf(document) !== 'unknown';

const hasMarks = (document: Document): boolean =>
  logMarks.some((name) => document[name] !== undefined) || read(document, 'log.file') !== undefined;

const fieldsOfXml = (xml: string): Document | undefined => fieldsOfRoot(readXml(xml));

function fieldsOfRoot(root: Document | undefined): Document | undefined {
  const event = object(root?.Event);
  if (event === undefined || envelope({ Event: event }) === undefined) return undefined;
  const message = read(event, 'RenderingInfo.Message');
  return { Event: event, ...(typeof message === 'string' && { message }) };
}

const partsOfEnvelope = ['System', 'EventData', 'UserData', 'Message'] as const;

/** Flat documents have these besides scalars. */
const partsOfFlat: ReadonlySet<string> = new Set(['EventID', 'EventId', 'Provider', 'EventData', 'UserData']);

/** Names of a shipper's own fields begin with a small letter; those of an event do not, or are in its data. */
function fieldsOfJson(json: string): Document | undefined {
  const inner = objectIn(json);
  if (inner === undefined) return undefined;
  const event = envelope(inner);
  if (event !== undefined && event !== inner) return { Event: event };
  if (event !== undefined)
    return Object.fromEntries(partsOfEnvelope.flatMap((name) => (name in inner ? [[name, inner[name]]] : [])));
  if (!isFlat(inner)) return undefined;
  const isPart = (name: string) => /^[A-Z]/.test(name) && (partsOfFlat.has(name) || typeof inner[name] !== 'object');
  return Object.fromEntries(Object.entries(inner).filter(([name]) => isPart(name)));
}

/** The text moves to `event.original`, or stays where the shipper has another there; the shipper keeps every field and its name. */
function take(document: Document, key: string, fields: Document): boolean {
  const event = section(document, 'event');
  if (event.original === undefined || event.original === document[key]) {
    event.original = document[key];
    delete document[key];
  }
  const shipper = hostNameOf(document);
  if (shipper !== undefined) fill(section(document, 'host'), 'name', shipper);
  for (const name of Object.keys(fields)) if (document[name] === undefined) setOwn(document, name, fields[name]);
  return shipper !== undefined && !isForwarder(document);
}

/** True for Splunk's types of Windows events, which its forwarders set, and for NXLog's modules. */
const isForwarder = (document: Document): boolean =>
  ['splunk.sourcetype', 'splunk.source', 'sourcetype', 'source', 'SourceModuleType'].some((path) =>
    /^(?:xml)?wineventlog\b|^im_(?:msvistalog|wseventing)$/i.test(String(read(document, path))),
  );

/** An envelope, so that the wrapper’s own fields do not pass for values of the event. */
function envelop(document: Document, system: Document, parts: Document): void {
  document.Event = { System: system, ...parts };
}

/** EvtxECmd has the event’s data as JSON in `Payload`, and its own columns beside. */
function unwrapEvtxECmd(document: Document): void {
  const data = objectIn(document.Payload as string);
  if (data === undefined || checkLimits(data) !== 'ok') return;
  cleanForStorage(data);
  const { EventId, Channel, Provider, Computer, EventRecordId, TimeCreated, Keywords } = document;
  const system = {
    EventID: EventId,
    Channel,
    Provider: { '@Name': Provider },
    Computer,
    EventRecordID: EventRecordId,
    TimeCreated,
    Keywords,
  };
  envelop(document, system, { EventData: data.EventData, UserData: data.UserData });
}

/** Azure has the event’s data as XML or JSON in `EventData`, in the tables Event and WindowsEvent. */
function unwrapEventData(document: Document): void {
  const value = document.EventData as string;
  const inner = value.startsWith('{') ? { EventData: objectIn(value) } : value.startsWith('<') ? dataIn(value) : undefined;
  const data = object(inner);
  if (data === undefined || (data.EventData === undefined && data.UserData === undefined) || checkLimits(data) !== 'ok') return;
  cleanForStorage(data);
  const system = {
    EventID: document.EventID,
    Channel: document.Channel ?? document.EventLog,
    Provider: { '@Name': document.Provider ?? document.Source ?? document.EventSourceName },
    Computer: document.Computer,
    TimeCreated: document.TimeGenerated,
  };
  envelop(document, system, { EventData: data.EventData, UserData: data.UserData });
  if (typeof document.RenderedDescription === 'string') fill(document, 'message', document.RenderedDescription);
}

function dataIn(xml: string): Document | undefined {
  const root = readXml(xml);
  return object(root?.DataItem) ?? root;
}

/** Wazuh writes names with a small first letter and doubles backslashes. */
function unwrapWazuh(document: Document): boolean {
  const win = read(document, 'data.win');
  const system = object(read(win, 'system'));
  if (system === undefined || system.eventID === undefined) return false;
  const data: Document = {};
  for (const [name, value] of Object.entries(object(read(win, 'eventdata')) ?? {}))
    setOwn(data, /^param\d/.test(name) ? name : name.charAt(0).toUpperCase() + name.slice(1), single(value));
  const { eventID, channel, providerName, computer, systemTime, eventRecordID, message } = system;
  const head = {
    EventID: eventID,
    Channel: channel,
    Provider: { '@Name': providerName },
    Computer: computer,
    EventRecordID: eventRecordID,
  };
  envelop(document, { ...head, TimeCreated: systemTime }, { EventData: data });
  if (typeof message === 'string') fill(document, 'message', message.replace(/^"|"$/g, ''));
  return true;
}

/** Backslashes as the event had them, if all are doubled. */
function single(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('\\\\')) return value;
  const isDoubled = (value.match(/\\+/g) ?? []).every(({ length }) => length % 2 === 0);
  return isDoubled ? value.replaceAll('\\\\', '\\') : value;
}

/** Fluent Bit and Fluentd have the values without names. */
function nameInserts(document: Document, key: 'StringInserts' | 'EventData'): void {
  const provider = known(document.ProviderName);
  const values = document[key];
  delete document[key];
  document.Message ??= document.Description;
  document.EventData = namedValues(provider, eventId(document.EventID), values, document.Message);
}

const hasTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((each) => !isObject(each));

/** OpenTelemetry's collector has the values as a map, or as a list of maps with one name each. */
function unwrapCollector(document: Document): boolean {
  const { event_id: id, provider, event_data: values, channel, computer, record_id, system_time, keywords } = document;
  if (!isObject(id) || id.id === undefined || !isObject(provider) || typeof channel !== 'string') return false;
  const listed = object(values)?.data;
  const data: Document = {};
  for (const part of Array.isArray(listed) ? listed : [values])
    if (isObject(part)) for (const name of Object.keys(part)) setOwn(data, name || 'Data', part[name]);
  const head = { EventID: id.id, Channel: channel, Provider: { '@Name': provider.name, '@Guid': provider.guid } };
  envelop(
    document,
    { ...head, Computer: computer, EventRecordID: record_id, TimeCreated: system_time, Keywords: keywords },
    { EventData: data },
  );
  return true;
}

/** GELF has an underscore before the names of an event, which NXLog and Graylog's collectors send so. */
function unwrapGelf(document: Document): boolean {
  if (typeof document.short_message !== 'string' || document._EventID === undefined) return false;
  for (const name of Object.keys(document)) {
    if (!/^_[A-Za-z]/.test(name) || document[name.slice(1)] !== undefined) continue;
    setOwn(document, name.slice(1), document[name]);
    delete document[name];
  }
  document.Message ??= document.full_message ?? document.short_message;
  document.Hostname ??= document.host;
  return true;
}
