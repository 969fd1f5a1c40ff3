/**
 * Normalises events to the Elastic Common Schema. One reader per shape fills its fields; this file dispatches and adds what
 * all share: time, device, user, related values, decoded commands and a summary. Runs once per event and modifies the document in place: ECS
 * fields are added, sent fields stay.
 */
import type { Document, Normalised, Shape } from '../event.ts';
import { fillAuditbeat, fillFilebeat, fillPacketbeat } from './beats.ts';
import { cloudServiceOf } from './cloud/cloud.ts';
import { unwrapRecord } from './cloud/wrapped.ts';
import { fillDecoded } from './decoded.ts';
import { ecsVersion, fill, first, hostNameOf, ip, isObject, known, nestDottedKeys, object, read, section, text } from './doc.ts';
import { fillEntra } from './entra.ts';
import { fillM365 } from './m365.ts';
import { shapeOf } from './shape.ts';
import { fillSyslog, type Reading } from './syslog.ts';
import { parseTime } from './time.ts';
import { envelope, eventId, fillFromEnvelope, fillFromFlat } from './windows/evtx.ts';
import { fillWindows, summariseWindows } from './windows/windows.ts';
import { fillFromWinEvent, isWinEvent } from './windows/winEvent.ts';
import { unwrapWindows } from './windows/wrapped.ts';
import { compact, oneLine, shownName } from './words.ts';

/**
 * Normalises an event’s document. Never throws, whatever the values.
 * @param document the parsed event; modified in place and returned
 * @param now milliseconds since 1970, for times without a year
 */
export function normalise(document: Document, now: number): Normalised {
  nestDottedKeys(document);
  const isOfShipper = unwrapWindows(document);
  const isWrapped = unwrapRecord(document);
  const shape = shapeOf(document);
  const reading = readShape(document, shape, now, isOfShipper);
  const summary = reading.line ?? text(first(document.message)) ?? summariseEcs(document);
  const line = oneLine(summary === undefined || summary.trim() === '' ? compact(document) : summary);
  const claimedAt = claimedTime(document, reading, now);
  const event = section(document, 'event');
  fill(event, 'kind', 'event');
  fill(section(document, 'ecs'), 'version', ecsVersion);
  const deviceName = nameDevice(document, isWrapped ? 'filebeat' : shape);
  const userName = nameUser(document);
  fillRelated(document);
  fillDecoded(document);
  dropEmpty(document);
  return { shape, claimedAt, document, deviceName, userName, text: line };
}

function readShape(document: Document, shape: Shape, now: number, isOfShipper: boolean): Reading {
  switch (shape) {
    case 'winlogbeat':
      return readWinlogbeat(document);
    case 'evtx': {
      const time = evtxTime(document);
      return {
        times: [time, document['@timestamp'], document.EventTime],
        line: fillWindows(document, isOfShipper) ?? summariseWindows(document),
        // The header of a syslog line has no zone, or the time at which it was forwarded.
        isOwnTime: read(document, 'log.syslog') !== undefined && parseTime(time, now) !== undefined,
      };
    }
    case 'auditbeat':
      return fillAuditbeat(document);
    case 'packetbeat':
      return fillPacketbeat(document);
    case 'filebeat':
      return fillFilebeat(document, now);
    case 'syslog':
      return fillSyslog(document, now);
    case 'm365':
      return fillM365(document);
    case 'entra':
      return fillEntra(document);
    default:
      return (
        cloudServiceOf(shape)?.fill(document) ?? {
          times: [document['@timestamp'], document.timestamp, document.time, document.eventTime, document.ts],
          line: undefined,
        }
      );
  }
}

/** Fills `winlog` from the converter’s form and returns the event’s own time. */
function evtxTime(document: Document): unknown {
  const event = envelope(document);
  if (event !== undefined) return fillFromEnvelope(document, event);
  return isWinEvent(document) ? fillFromWinEvent(document) : fillFromFlat(document);
}

function readWinlogbeat(document: Document): Reading {
  if (!isObject(document.winlog)) {
    // Winlogbeat 6 sent the same fields at the top level.
    document.winlog = {
      channel: document.log_name,
      event_id: eventId(document.event_id),
      provider_name: document.source_name,
      computer_name: document.computer_name,
      record_id: document.record_number,
      event_data: document.event_data,
      ...(isObject(document.user_data) ? { user_data: document.user_data } : {}),
    };
  }
  return {
    times: [document['@timestamp'], read(document, 'event.created')],
    line: fillWindows(document) ?? summariseWindows(document),
  };
}

/**
 * Returns the first readable time. One from inside the message replaces `@timestamp`, which was only when the shipper read
 * the line.
 */
function claimedTime(document: Document, reading: Reading, now: number): number | undefined {
  for (const value of reading.times) {
    const time = parseTime(first(value), now);
    if (time === undefined) continue;
    if (reading.isOwnTime === true && document['@timestamp'] !== undefined) {
      fill(section(document, 'event'), 'created', document['@timestamp']);
      document['@timestamp'] = new Date(time).toISOString();
    } else if (document['@timestamp'] === undefined) document['@timestamp'] = new Date(time).toISOString();
    return time;
  }
  return undefined;
}

/** Summary from ECS fields, for documents without a message: `ssh_login by oracle from 203.0.113.9 (failure)`. */
function summariseEcs(document: Document): string | undefined {
  const action = text(first(read(document, 'event.action')));
  if (action === undefined) return undefined;
  const user = known(read(document, 'user.name'));
  const from = text(first(read(document, 'source.ip')));
  const outcome = text(read(document, 'event.outcome'));
  const about =
    text(read(document, 'process.command_line')) ?? text(read(document, 'file.path')) ?? text(read(document, 'url.original'));
  return `${action}${user === undefined ? '' : ` by ${user}`}${from === undefined ? '' : ` from ${from}`}${outcome === undefined ? '' : ` (${outcome})`}${about === undefined ? '' : `: ${about}`}`;
}

function nameDevice(document: Document, shape: Shape): string | undefined {
  if (shape === 'm365') return 'Microsoft 365';
  if (shape === 'entra') return 'Microsoft Entra ID';
  const service = cloudServiceOf(shape);
  if (service?.device) return service.device;
  const name = shownName(hostNameOf(document));
  if (name !== undefined) fill(section(document, 'host'), 'name', name);
  return name;
}

function nameUser(document: Document): string | undefined {
  const present = document.user;
  if (typeof present === 'string' && present !== '') section(document, 'user');
  const user = object(document.user);
  if (user === undefined) return undefined;
  const email = known(user.email);
  if (email !== undefined) return shownName(email);
  const name = known(first(user.name)) ?? known(read(user, 'target.name'));
  if (name === undefined) return undefined;
  const domain = known(first(user.domain));
  return shownName(domain === undefined || name.includes('\\') || name.includes('@') ? name : `${domain}\\${name}`);
}

const addressed = ['source', 'destination', 'client', 'server'] as const;

/** Fills `related.ip`, `.user` and `.hash`, which searches use. */
function fillRelated(document: Document): void {
  const addresses: string[] = [];
  for (const end of addressed) {
    const place = document[end];
    if (!isObject(place)) continue;
    const address = ip(first(place.ip));
    if (address !== undefined && !addresses.includes(address)) addresses.push(address);
  }
  const users: string[] = [];
  const { user } = document;
  if (isObject(user)) {
    addName(users, user.name);
    if (isObject(user.effective)) addName(users, user.effective.name);
    if (isObject(user.target)) addName(users, user.target.name);
  }
  const hashes: string[] = [];
  for (const place of [document.process, document.file, document.dll]) {
    if (!isObject(place) || !isObject(place.hash)) continue;
    for (const algorithm in place.hash) addName(hashes, place.hash[algorithm]);
  }
  if (addresses.length + users.length + hashes.length === 0) return;
  const related = section(document, 'related');
  if (addresses.length > 0) fill(related, 'ip', addresses);
  if (users.length > 0) fill(related, 'user', users);
  if (hashes.length > 0) fill(related, 'hash', hashes);
}

function addName(names: string[], value: unknown): void {
  const name = known(first(value));
  if (name !== undefined && names.length < 20 && !names.includes(name)) names.push(name);
}

const mayBeEmpty = [
  'user',
  'process',
  'source',
  'destination',
  'network',
  'file',
  'service',
  'host',
  'dns',
  'powershell',
  'dll',
  'url',
] as const;

/** Removes sections that were created but stayed empty. */
function dropEmpty(document: Document): void {
  for (const name of mayBeEmpty) {
    const place = document[name];
    if (isObject(place) && isEmpty(place)) delete document[name];
  }
}

function isEmpty(place: Document, depth = 0): boolean {
  for (const key in place) {
    const value = place[key];
    if (depth > 4 || !isObject(value) || !isEmpty(value, depth + 1)) return false;
  }
  return true;
}
