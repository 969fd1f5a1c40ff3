/**
 * Parses one syslog message: RFC 5424, RFC 3164 or neither. Nothing is rejected: text that is no valid header stays in the
 * message, because a broken line may be the evidence of an intrusion. Parsed by position rather than by one large
 * expression, because frames are untrusted.
 */
import type { Document } from '../event.ts';
import { parseTime } from '../normalise/time.ts';

const longestHeaderPart = 255;

/**
 * Parses a frame of a syslog stream.
 * @param frame the message without its framing
 * @param receivedAt milliseconds since 1970; the year of an RFC 3164 time is chosen near it
 * @returns `@timestamp` (when the message has a readable time), `host`, `log.syslog.*`, `process` and `message`
 */
export function parseSyslog(frame: string, receivedAt: number): Document {
  let line = frame;
  if (line.includes('\0')) line = line.replaceAll('\0', '\ufffd');
  let end = line.length;
  while (end > 0 && (line.charCodeAt(end - 1) === 10 || line.charCodeAt(end - 1) === 13)) end--;
  if (end < line.length) line = line.slice(0, end);
  const syslog: Document = {};
  const document: Document = { log: { syslog } };
  const start = readPriority(line, syslog);
  if (line.charCodeAt(start) === 49 && line.charCodeAt(start + 1) === 32 && start > 0) {
    if (read5424(document, syslog, line, start + 2, receivedAt)) return document;
  }
  read3164(document, syslog, line, start, receivedAt);
  return document;
}

/** Parts of a raw line of a syslog file (usually without priority), for shippers that send the line as it is. */
export interface SyslogLine {
  time: string | undefined;
  hostname: string | undefined;
  program: string | undefined;
  pid: number | undefined;
  message: string;
}

/** `<34>` → facility and severity. Returns the position after it, 0 without a valid priority. */
function readPriority(line: string, syslog: Document): number {
  if (line.charCodeAt(0) !== 60) return 0;
  let value = 0;
  for (let at = 1; at <= 4; at++) {
    const code = line.charCodeAt(at);
    if (code === 62 && at > 1) {
      if (value > 191) return 0;
      syslog.priority = value;
      syslog.facility = { code: value >> 3 };
      syslog.severity = { code: value & 7 };
      return at + 1;
    }
    if (!(code >= 48 && code <= 57)) return 0;
    value = value * 10 + code - 48;
  }
  return 0;
}

/** Reads the RFC 5424 header after `<PRI>1 `. Returns false for any other. */
function read5424(document: Document, syslog: Document, line: string, from: number, now: number): boolean {
  const parts: string[] = [];
  let at = from;
  for (let part = 0; part < 5; part++) {
    const space = line.indexOf(' ', at);
    const end = space < 0 ? line.length : space;
    if (end === at || end - at > longestHeaderPart || (space < 0 && part < 4)) return false;
    parts.push(line.slice(at, end));
    at = end + 1;
  }
  const [stamp, hostname, appname, procid, msgid] = parts as [string, string, string, string, string];
  const time = stamp === '-' ? undefined : parseTime(stamp, now);
  if (stamp !== '-' && time === undefined) return false;
  syslog.version = '1';
  let message: string;
  if (line[at] === '[') {
    const data: Document = {};
    const end = readStructuredData(line, at, data);
    if (end < 0) message = line.slice(at);
    else {
      syslog.structured_data = data;
      message = line.slice(line.charCodeAt(end) === 32 ? end + 1 : end);
    }
  } else if (line[at] === '-' && (at + 1 >= line.length || line[at + 1] === ' ')) message = line.slice(at + 2);
  else message = line.slice(at);
  if (message.charCodeAt(0) === 0xfeff) message = message.slice(1);
  setTime(document, time);
  setNames(document, syslog, nil(hostname), nil(appname), nil(procid));
  const id = nil(msgid);
  if (id !== undefined) syslog.msgid = id;
  document.message = message;
  return true;
}

function nil(value: string): string | undefined {
  return value === '-' ? undefined : value;
}

/** Reads `[id name="value" …][id …]`. Returns the position after it, -1 for broken data. Escapes are `\"`, `\\` and `\]`. */
function readStructuredData(line: string, from: number, into: Document): number {
  let at = from;
  let elements = 0;
  while (line.charCodeAt(at) === 91 && elements++ < 100) {
    const element: Document = {};
    let end = at + 1;
    while (end < line.length && line[end] !== ' ' && line[end] !== ']') end++;
    const id = line.slice(at + 1, end);
    if (id === '' || id.length > longestHeaderPart) return -1;
    at = end;
    while (line.charCodeAt(at) === 32) {
      at++;
      if (line[at] === ']') break;
      const equals = line.indexOf('="', at);
      if (equals < 0 || equals - at > longestHeaderPart) return -1;
      const name = line.slice(at, equals);
      let value = '';
      let start = equals + 2;
      for (at = start; ; at++) {
        const code = line.charCodeAt(at);
        if (Number.isNaN(code)) return -1;
        if (code === 34) break;
        if (code !== 92) continue;
        const next = line.charCodeAt(at + 1);
        if (next === 34 || next === 92 || next === 93) {
          value += line.slice(start, at);
          start = at + 1;
          at++;
        }
      }
      value += line.slice(start, at);
      at++;
      setField(element, name, value);
    }
    if (line[at] !== ']') return -1;
    at++;
    setField(into, id, element);
  }
  return at;
}

function setField(target: Document, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function setTime(document: Document, time: number | undefined): void {
  if (time !== undefined) document['@timestamp'] = new Date(time).toISOString();
}

function setNames(
  document: Document,
  syslog: Document,
  hostname: string | undefined,
  appname: string | undefined,
  procid: string | undefined,
): void {
  if (hostname !== undefined) {
    document.host = { hostname, name: hostname };
    syslog.hostname = hostname;
  }
  if (appname !== undefined) syslog.appname = appname;
  if (procid !== undefined) syslog.procid = procid;
}

function read3164(document: Document, syslog: Document, line: string, from: number, now: number): void {
  const read = parseSyslogLine(line, now, from);
  if (read === undefined) {
    document.message = from > 0 ? readTag(line.slice(from), document, syslog) : line;
    return;
  }
  setTime(document, parseTime(read.time, now));
  setNames(document, syslog, read.hostname, read.program, read.pid === undefined ? undefined : String(read.pid));
  document.message = read.message;
}

/** A message with a priority but no time: `<13>sshd[42]: text`. */
function readTag(rest: string, document: Document, syslog: Document): string {
  const tag = /^([A-Za-z_][\w./-]{0,60})(?:\[(\d{1,10})\])?:\s/.exec(rest);
  if (tag === null) return rest;
  setNames(document, syslog, undefined, tag[1], tag[2]);
  return rest.slice(tag[0].length);
}

const bsdTime = /^([A-Za-z]{3} {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?: |$)/;
const isoTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)(?: |$)/;
const tagPattern = /^([\w./@+()-]{1,128}?)(?:\[([^\]]{0,64})\])?:(?: |$)/;

/**
 * `Oct  7 10:00:00 web01 sshd[42]: text`, with or without the host, also with an ISO time as rsyslog writes files.
 * @returns undefined when the line does not begin with a time
 */
export function parseSyslogLine(line: string, now: number, from = 0): SyslogLine | undefined {
  const head = line.slice(from, from + 600);
  const time = bsdTime.exec(head) ?? isoTime.exec(head);
  if (time === null || parseTime(time[1], now) === undefined) return undefined;
  let at = time[0].length;
  let tag = tagPattern.exec(head.slice(at));
  let hostname: string | undefined;
  if (tag === null) {
    // The next word is the host, unless nothing after it reads as a tag and it is no valid host name.
    const space = head.indexOf(' ', at);
    const word = space < 0 ? '' : head.slice(at, space);
    if (word !== '' && word.length <= longestHeaderPart && /^[\w.:%-]+$/.test(word)) {
      tag = tagPattern.exec(head.slice(space + 1));
      if (tag !== null || /[.\d-]/.test(word)) {
        hostname = word;
        at = space + 1;
      }
    }
  }
  if (tag !== null) at += tag[0].length;
  const pid = tag?.[2];
  return {
    time: time[1],
    hostname,
    program: tag?.[1],
    pid: pid !== undefined && /^\d{1,10}$/.test(pid) ? Number(pid) : undefined,
    message: line.slice(from + at),
  };
}
