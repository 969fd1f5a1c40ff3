/**
 * Windows events inside a text or a wrapper of another tool: XML (Splunk’s add-on, WEF, NXLog, Azure’s agents), JSON or Splunk’s text in a message, hits
 * exported from Elasticsearch and results from Splunk, EvtxECmd, Wazuh, Fluent Bit. Each becomes an envelope or a flat document, which
 * `evtx.ts` reads as any other; an event that is sent plainly costs a few reads.
 */
import type { Document } from '../../event.ts';
import { fill, isObject, known, object, objectIn, read, section, setOwn } from '../doc.ts';
import { checkLimits, cleanForStorage } from '../limits.ts';
import { envelope, eventId, isFlat } from './evtx.ts';
import { readRendered } from './rendered.ts';
import { namedValues } from './values.ts';
import { readXml } from './xml.ts';

/** Turns a wrapped Windows event into one that converters write; any other document stays as it is. */
export function unwrapWindows(document: Document): void {
  if (document.winlog !== undefined) return;
  if (isObject(document._source) && typeof document._index === 'string') lift(document, '_source');
  else if (isObject(document.result) && typeof document.result._raw === 'string') lift(document, 'result');
  if (unwrapText(document) || unwrapWazuh(document)) return;
  if (typeof document.Payload === 'string' && document.EventId !== undefined) unwrapEvtxECmd(document);
  else if (typeof document.EventData === 'string') unwrapEventData(document);
  else if (Array.isArray(document.StringInserts) && isFlat(document)) nameInserts(document);
}

/** Puts the fields of an inner object beside those of the wrapper; the inner ones win. */
function lift(document: Document, key: string): void {
  const inner = document[key] as Document;
  delete document[key];
  for (const name of Object.keys(inner)) setOwn(document, name, inner[name]);
}

const textKeys = ['message', '_raw', 'xml'] as const;

function unwrapText(document: Document): boolean {
  for (const key of textKeys) {
    const value = document[key];
    if (typeof value !== 'string') continue;
    const from = value.startsWith('\ufeff') ? value.slice(1) : value;
    if (from.startsWith('<') && /^<(?:\?xml[^>]{0,200}>\s*<)?Event[\s>]/.test(from)) return takeXml(document, key, from);
    if (from.startsWith('{') && from.includes('"Event')) return takeJson(document, key, from);
    const rendered = isDigit(from.charCodeAt(0)) ? readRendered(from) : undefined;
    if (rendered === undefined) continue;
    take(document, key, rendered);
    return true;
  }
  return false;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function takeXml(document: Document, key: string, xml: string): boolean {
  const event = object(readXml(xml)?.Event);
  if (event === undefined || envelope({ Event: event }) === undefined) return false;
  const message = read(event, 'RenderingInfo.Message');
  take(document, key, { Event: event, ...(typeof message === 'string' && { message }) });
  return true;
}

function takeJson(document: Document, key: string, json: string): boolean {
  const inner = objectIn(json);
  if (inner === undefined || checkLimits(inner) !== 'ok' || (envelope(inner) === undefined && !isFlat(inner))) return false;
  take(document, key, cleanForStorage(inner));
  return true;
}

/** The text moves to `event.original`; the fields that were in it win over those of the shipper. */
function take(document: Document, key: string, fields: Document): void {
  const original = document[key];
  delete document[key];
  for (const name of Object.keys(fields)) setOwn(document, name, fields[name]);
  if (!isObject(document.event) || document.event.original === undefined) fill(section(document, 'event'), 'original', original);
}

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
    Provider: { '@Name': document.Provider ?? document.Source },
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

/** Fluent Bit has the values without names. */
function nameInserts(document: Document): void {
  const provider = known(document.ProviderName);
  document.EventData = namedValues(provider, eventId(document.EventID), document.StringInserts, document.Message);
  delete document.StringInserts;
}
