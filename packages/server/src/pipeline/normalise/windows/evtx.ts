/**
 * Windows events as converters of EVTX files write them. Every converter spells XML attributes its own way (`#attributes`,
 * `@Name`, `$`, `…_attributes`, or flattened), and some omit the envelope; this file builds a Winlogbeat-shaped `winlog`
 * section from all of them and leaves the original in place.
 */
import type { Document } from '../../event.ts';
import { fill, first, isObject, known, number, object, section, setOwn, text } from '../doc.ts';
import { valuesInMessage } from './message.ts';

/** Returns the text of an XML element: the value itself, or the converter’s content field. */
export function content(value: unknown): unknown {
  const single = first(value);
  if (!isObject(single)) return single;
  return first(single['#text'] ?? single._ ?? single.Value ?? single.$t ?? single['#content'] ?? single._text ?? single.text);
}

/** Returns an attribute of an element, under any converter’s spelling. */
function attribute(parent: Document, element: string, name: string): unknown {
  const beside = parent[`${element}_attributes`];
  if (isObject(beside) && beside[name] !== undefined) return beside[name];
  const value = first(parent[element]);
  if (!isObject(value)) return undefined;
  const inner =
    object(value['#attributes']) ??
    object(value.$) ??
    object(value['@attributes']) ??
    object(value._attributes) ??
    object(value.attributes);
  return inner?.[name] ?? value[`@${name}`] ?? value[name] ?? value[`-${name}`] ?? value[`_${name}`];
}

/** Returns the envelope of an event: `{ Event: { System, EventData } }`, also without `Event`. */
export function envelope(document: Document): Document | undefined {
  const event = object(document.Event);
  if (event !== undefined && isObject(first(event.System))) return event;
  return isObject(document.System) &&
    (document.EventData !== undefined || document.UserData !== undefined || document.System.EventID !== undefined)
    ? document
    : undefined;
}

/** Builds `winlog` from an envelope and returns the event’s own time, unparsed. */
export function fillFromEnvelope(document: Document, event: Document): unknown {
  const system = object(first(event.System)) ?? {};
  const winlog = section(document, 'winlog');
  fill(winlog, 'channel', known(content(system.Channel)));
  fill(winlog, 'event_id', eventId(system.EventID));
  fill(winlog, 'provider_name', known(attribute(system, 'Provider', 'Name')) ?? known(content(system.Provider)));
  fill(winlog, 'provider_guid', known(attribute(system, 'Provider', 'Guid')));
  fill(winlog, 'computer_name', known(content(system.Computer)));
  fill(winlog, 'record_id', text(content(system.EventRecordID)));
  fill(winlog, 'version', number(content(system.Version)));
  fill(winlog, 'keywords', keywords(content(system.Keywords)));
  fill(winlog, 'level', text(content(system.Level)));
  fill(winlog, 'opcode', text(content(system.Opcode)));
  fill(winlog, 'task', text(content(system.Task)));
  const pid = number(attribute(system, 'Execution', 'ProcessID'));
  if (pid !== undefined) {
    const process = section(winlog, 'process');
    fill(process, 'pid', pid);
    const thread = number(attribute(system, 'Execution', 'ThreadID'));
    if (thread !== undefined) fill(section(process, 'thread'), 'id', thread);
  }
  const sid = known(attribute(system, 'Security', 'UserID'));
  if (sid !== undefined) fill(section(winlog, 'user'), 'identifier', sid);
  const activity = known(attribute(system, 'Correlation', 'ActivityID'));
  if (activity !== undefined) fill(winlog, 'activity_id', activity);

  const data = eventData(event.EventData);
  const user = userData(event.UserData);
  if (user !== undefined) fill(winlog, 'user_data', user);
  fill(winlog, 'event_data', data ?? user);
  return attribute(system, 'TimeCreated', 'SystemTime') ?? content(system.TimeCreated);
}

/** Formats a bit mask as `0x8020000000000000`, also from the decimal number that some converters write. */
function keywords(value: unknown): string | undefined {
  if (typeof value === 'string') return /^-?\d{10,20}$/.test(value) ? keywordsOf(value) : known(value);
  if (typeof value === 'number' && Number.isInteger(value)) return keywordsOf(BigInt(value));
  return undefined;
}

function keywordsOf(value: string | bigint): string {
  return `0x${BigInt.asUintN(64, BigInt(value)).toString(16)}`;
}

/** Returns an event id as text, without the qualifiers in the upper half that classic providers add. */
export function eventId(value: unknown): string | undefined {
  const found = number(content(value));
  if (found === undefined || !Number.isInteger(found) || found < 0) return undefined;
  return String(found > 0xffff ? found & 0xffff : found);
}

function isAttributeKey(key: string): boolean {
  const mark = key.charCodeAt(0);
  return (
    mark === 35 ||
    mark === 64 ||
    key === '$' ||
    key === '_attributes' ||
    key === 'attributes' ||
    key === 'xmlns' ||
    key.endsWith('_attributes')
  );
}

/**
 * Returns named values of `EventData`; the same object when it is already a flat map of names to scalars, to avoid copying.
 */
function eventData(value: unknown): Document | undefined {
  const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (Array.isArray(single)) return fromList(single, {});
  if (!isObject(single)) {
    const only = known(single);
    return only === undefined ? undefined : { Data: only, param1: only };
  }
  for (const key in single) {
    const part = single[key];
    if (key === 'Data' || isAttributeKey(key) || (typeof part === 'object' && part !== null)) return flattened(single);
  }
  return single;
}

function flattened(data: Document): Document {
  const flat: Document = {};
  for (const key in data) {
    if (key !== 'Data') {
      if (!isAttributeKey(key)) setOwn(flat, key, flatValue(data[key]));
      continue;
    }
    fromData(data.Data, flat);
  }
  return flat;
}

function fromData(inner: unknown, into: Document): void {
  const texts = isObject(inner) && Array.isArray(inner['#text']) ? inner['#text'] : inner;
  if (Array.isArray(texts)) fromList(texts, into);
  else if (isObject(inner) && nameOf(inner) !== undefined) fromList([inner], into);
  else if (isObject(inner) && content(inner) === undefined) {
    for (const name in inner) if (!isAttributeKey(name)) setOwn(into, name, flatValue(inner[name]));
  } else {
    const only = content(inner);
    if (only !== undefined && only !== null) {
      into.Data = only;
      into.param1 = only;
    }
  }
}

function flatValue(value: unknown): unknown {
  return isObject(value) ? (content(value) ?? value) : value;
}

function nameOf(item: Document): string | undefined {
  const inner =
    object(item['#attributes']) ??
    object(item.$) ??
    object(item['@attributes']) ??
    object(item._attributes) ??
    object(item.attributes);
  return text(inner?.Name ?? item['@Name'] ?? item.Name ?? item['-Name'] ?? item._Name ?? item.name);
}

/**
 * Converts `[{ '@Name': 'Image', '#text': '…' }]` by name; `['a', 'b']` as Winlogbeat does: `param1`, `param2`, and all of
 * them as `Data`.
 */
function fromList(list: unknown[], into: Document): Document {
  const unnamed: unknown[] = [];
  for (const item of list) {
    const name = isObject(item) ? nameOf(item) : undefined;
    if (name !== undefined) setOwn(into, name, content(item) ?? '');
    else {
      const value = content(item);
      if (value !== undefined && value !== null && typeof value !== 'object') unnamed.push(value);
    }
  }
  if (unnamed.length > 0) {
    for (let at = 0; at < unnamed.length && at < 200; at++) fill(into, `param${at + 1}`, unnamed[at]);
    fill(into, 'Data', unnamed.length === 1 ? unnamed[0] : unnamed);
  }
  return into;
}

/** Returns the fields inside the single element of `UserData` (`LogFileCleared`, `EventXML`, …). */
function userData(value: unknown): Document | undefined {
  const outer = object(first(value));
  if (outer === undefined) return undefined;
  for (const key in outer) {
    if (isAttributeKey(key)) continue;
    const inner = object(first(outer[key]));
    if (inner === undefined) return flattened(outer);
    const flat = flattened(inner);
    fill(flat, 'xml_name', key);
    return flat;
  }
  return undefined;
}

/** Names of the envelope in flat documents (NXLog, OTRF); all others belong to the event’s own data. */
const flatEnvelope = new Set(
  (
    '@timestamp @version host tags message Message EventTime EventReceivedTime TimeCreated TimeGenerated SystemTime UtcEventTime Channel EventID EventId ' +
    'Hostname Computer ComputerName MachineName SourceName SourceModuleName SourceModuleType EventSourceName ProviderName Provider Provider_Name ProviderGuid Provider_Guid ' +
    'RecordNumber EventRecordID RecordId Severity SeverityValue Level LevelName Keywords Task Opcode OpcodeValue Version ExecutionProcessID ' +
    'ExecutionThreadID ThreadID ActivityID short_message full_message port event winlog ecs agent log input type Category EventData UserData Event System'
  ).split(' '),
);

/** True for a document with an event’s envelope and data side by side at the top level. */
export function isFlat(document: Document): boolean {
  const id = document.EventID ?? document.EventId;
  if (typeof id !== 'number' && typeof id !== 'string' && !isObject(id)) return false;
  return (
    typeof document.Channel === 'string' ||
    typeof document.SourceName === 'string' ||
    typeof document.ProviderName === 'string' ||
    typeof document.EventSourceName === 'string' ||
    typeof document.Provider_Name === 'string' ||
    isObject(document.Provider) ||
    isObject(document.EventData)
  );
}

/** NXLog's own `EventType` takes the place of Sysmon's, and values without names or in `UserData` come in the message alone. */
function fillFromMessage(document: Document, winlog: Document, data: Document): void {
  const message = document.Message ?? document.message;
  if (data.EventType === 'INFO' && typeof message === 'string') {
    const type = /^EventType: (\w{1,40})/m.exec(message.slice(0, 2_000))?.[1];
    if (type !== undefined) data.EventType = type;
  }
  const isMissing = data.param1 === undefined && data.Data === undefined;
  if (!isMissing || data.PossibleCause !== undefined || data.Param1 !== undefined || data.Address !== undefined) return;
  const found = valuesInMessage(text(winlog.provider_name), text(winlog.event_id), message);
  if (found !== undefined) for (const name of Object.keys(found)) fill(data, name, found[name]);
}

/** Builds `winlog` from a flat document and returns the event’s own time, unparsed. */
export function fillFromFlat(document: Document): unknown {
  const winlog = section(document, 'winlog');
  fill(winlog, 'channel', known(document.Channel));
  fill(winlog, 'event_id', eventId(document.EventID ?? document.EventId));
  fill(
    winlog,
    'provider_name',
    known(document.SourceName) ??
      known(document.ProviderName) ??
      known(document.EventSourceName) ??
      known(document.Provider_Name) ??
      known(attribute(document, 'Provider', 'Name')) ??
      known(document.Provider),
  );
  fill(winlog, 'provider_guid', known(document.ProviderGuid) ?? known(document.Provider_Guid));
  fill(
    winlog,
    'computer_name',
    known(document.Computer) ?? known(document.Hostname) ?? known(document.ComputerName) ?? known(document.MachineName),
  );
  fill(winlog, 'record_id', text(document.RecordNumber ?? document.EventRecordID ?? document.RecordId));
  fill(winlog, 'keywords', keywords(document.Keywords));
  fill(winlog, 'task', text(document.Task));
  const data = eventData(document.EventData) ?? {};
  const target = data === document.EventData ? { ...data } : data;
  for (const key in document) {
    if (flatEnvelope.has(key)) continue;
    const value = document[key];
    if (typeof value === 'object') continue;
    if (target[key] === undefined || !Object.hasOwn(target, key)) setOwn(target, key, value);
  }
  fillFromMessage(document, winlog, target);
  fill(winlog, 'event_data', target);
  if (typeof document.message !== 'string' && typeof document.Message === 'string') document.message = document.Message;
  return (
    document.UtcEventTime ??
    document['@timestamp'] ??
    document.TimeCreated ??
    // Of a shipper, with its zone; NXLog's own time has none.
    document.timestamp ??
    document.EventTime ??
    document.TimeGenerated ??
    document.SystemTime
  );
}
