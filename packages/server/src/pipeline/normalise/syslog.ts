/**
 * Syslog documents: from the portal’s own listener, and the flat ones of rsyslog, syslog-ng, Logstash, Fluentd and journald,
 * each with its own names for the same eight fields.
 */
import type { Document } from '../event.ts';
import { parseSyslogLine } from '../syslog/parse.ts';
import { fillFromAppliance, undivided } from './appliances/appliances.ts';
import { fill, first, isObject, known, number, object, read, section, text } from './doc.ts';
import { fillFromLine, isReadProgram } from './linux/line.ts';
import { parseTime } from './time.ts';

/** Result of one shape’s reader for `normalise`. */
export interface Reading {
  /** Candidate times of the event, best first, unparsed. */
  times: unknown[];
  /** Summary; the message is used when undefined. */
  line: string | undefined;
  /** True for a time from inside the message, which is better than the shipper’s `@timestamp` (when the line was read). */
  isOwnTime?: boolean;
}

const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];
const facilities =
  'kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 local2 local3 local4 local5 local6 local7'.split(
    ' ',
  );
const spokenSeverities = new Map([
  ['emergency', 0],
  ['panic', 0],
  ['critical', 2],
  ['error', 3],
  ['warn', 4],
  ['informational', 6],
]);

/** True for a document created by a syslog daemon’s template. */
export function isSyslog(document: Document): boolean {
  if (isObject(document.log) && isObject(document.log.syslog)) return true;
  const hasMessage = typeof (document.message ?? document.msg ?? document.MESSAGE ?? document.Message) === 'string';
  if (!hasMessage) return false;
  return (
    document.syslogtag !== undefined ||
    document.programname !== undefined ||
    document['app-name'] !== undefined ||
    document.PROGRAM !== undefined ||
    document.SYSLOG_IDENTIFIER !== undefined ||
    document.syslogfacility !== undefined ||
    document['syslogfacility-text'] !== undefined ||
    ((document.facility !== undefined || document.facility_label !== undefined || document.FACILITY !== undefined) &&
      (document.severity !== undefined ||
        document.severity_label !== undefined ||
        document.PRIORITY !== undefined ||
        document.priority !== undefined)) ||
    (typeof document.tag === 'string' && (document.severity !== undefined || document.facility !== undefined)) ||
    (typeof document.program === 'string' &&
      (document.logsource !== undefined || document.severity !== undefined || document.host !== undefined)) ||
    (typeof document.ident === 'string' && document.host !== undefined)
  );
}

const rawLine =
  /^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]{5,18}\S{0,6}) \S{1,255} [^\s[:]{1,64}(?:\[\d{1,10}\]|:| )/;

/** True for a Linux program’s message from any shipper: it names a supported program, or is a whole line. */
export function carriesSyslog(document: Document): boolean {
  const message = first(document.message);
  if (typeof message !== 'string') return false;
  const program = known(object(document.process)?.name);
  return program === undefined ? rawLine.test(message.slice(0, 500)) : isReadProgram(program);
}

/** Fills ECS from a syslog document. */
export function fillSyslog(document: Document, now: number): Reading {
  const syslog = section(section(document, 'log'), 'syslog');
  let program =
    known(syslog.appname) ??
    known(document.programname) ??
    known(document['app-name']) ??
    known(document.appname) ??
    known(document.PROGRAM) ??
    known(document.SYSLOG_IDENTIFIER) ??
    known(document.program) ??
    known(document.ident) ??
    known(object(document.process)?.name);
  let pid =
    known(syslog.procid) ??
    known(document.procid) ??
    known(document.PID) ??
    known(document.pid) ??
    known(document._PID) ??
    known(document.SYSLOG_PID);
  const tag = known(document.syslogtag) ?? known(document.tag);
  if (tag !== undefined && tag.length <= 300) {
    const parts = /^([^[:\s]{1,128})(?:\[(\d{1,10})\])?:?$/.exec(tag);
    program ??= parts?.[1];
    pid ??= parts?.[2];
  }
  fillHost(document, syslog);
  let message =
    text(first(document.message)) ??
    text(document.msg) ??
    text(document.MESSAGE) ??
    text(document.Message) ??
    text(document.rawmsg);
  let times = [
    document['@timestamp'],
    document.timestamp,
    document.timereported,
    document.ISODATE,
    document.DATE,
    document.__REALTIME_TIMESTAMP,
    document.time,
  ];
  if (program === undefined && message !== undefined) {
    const line = parseSyslogLine(message, now, message.startsWith('<') ? message.indexOf('>') + 1 : 0);
    if (line?.program !== undefined) {
      program = line.program;
      pid ??= line.pid === undefined ? undefined : String(line.pid);
      message = line.message;
      if (line.hostname !== undefined) fill(section(document, 'host'), 'name', line.hostname);
      times = [document['@timestamp'], line.time];
    }
  }
  fillCodes(document, syslog);
  fill(syslog, 'appname', program);
  fill(syslog, 'procid', pid);
  if (message === undefined) return { times, line: undefined };
  fill(document, 'message', message.trimStart());
  const appliance = fillFromAppliance(document, undivided(tag ?? program, message).trimStart());
  if (appliance !== undefined) {
    const { times: own = [], localTimes = [], line } = appliance;
    return { times: [...own, ...times, ...localTimes], line, isOwnTime: own.some((time) => parseTime(time, now) !== undefined) };
  }
  const line = fillFromLine(document, program, message);
  fillProgram(document, program, pid);
  return { times, line: line ?? prefixWithProgram(program, message) };
}

/**
 * Fills `process.name` and `.pid` of the program that wrote the line, even when the line is about another process (a sudo or
 * cron command).
 */
export function fillProgram(document: Document, program: string | undefined, pid: unknown): void {
  if (program === undefined) return;
  const process = section(document, 'process');
  fill(process, 'name', program);
  fill(process, 'pid', number(pid));
  const event = section(document, 'event');
  fill(event, 'dataset', 'system.syslog');
}

/** `sshd: message`; the message alone when it already names its program or none is given. */
export function prefixWithProgram(program: string | undefined, message: string): string {
  const text = message.trimStart();
  return program === undefined || text.toLowerCase().startsWith(program.toLowerCase()) ? text : `${program}: ${text}`;
}

function fillHost(document: Document, syslog: Document): void {
  const name =
    known(read(document, 'host.name')) ??
    known(read(document, 'host.hostname')) ??
    known(syslog.hostname) ??
    known(document.host) ??
    known(document.hostname) ??
    known(document.HOST) ??
    known(document._HOSTNAME) ??
    known(document.source_host) ??
    known(document.logsource) ??
    known(document.sysloghost) ??
    known(document.fromhost) ??
    known(document['fromhost-ip']);
  if (name === undefined) return;
  const host = section(document, 'host');
  fill(host, 'name', name);
  fill(host, 'hostname', name);
}

function fillCodes(document: Document, syslog: Document): void {
  const priority = number(document.pri) ?? number(syslog.priority);
  let severity = codeOf(
    document.severity ??
      document.syslogseverity ??
      document['syslogseverity-text'] ??
      document.severity_label ??
      document.PRIORITY ??
      document.syslog_severity,
    severities,
  );
  let facility = codeOf(
    document.facility ??
      document.syslogfacility ??
      document['syslogfacility-text'] ??
      document.facility_label ??
      document.FACILITY,
    facilities,
  );
  if (priority !== undefined && priority >= 0 && priority <= 191) {
    severity ??= priority & 7;
    facility ??= priority >> 3;
  }
  place(syslog, 'severity', severity, severities);
  place(syslog, 'facility', facility, facilities);
  const code = number(object(syslog.severity)?.code);
  if (code !== undefined) fill(section(document, 'log'), 'level', severities[code]);
}

function place(syslog: Document, key: string, code: number | undefined, names: readonly string[]): void {
  const present = object(syslog[key]);
  const known = code ?? number(present?.code);
  if (known === undefined) return;
  const target = section(syslog, key);
  fill(target, 'code', known);
  fill(target, 'name', names[known]);
}

function codeOf(value: unknown, names: readonly string[]): number | undefined {
  const code = number(value);
  if (code !== undefined) return Number.isInteger(code) && code >= 0 && code < names.length ? code : undefined;
  if (typeof value !== 'string' || value.length > 20) return undefined;
  const name = value.toLowerCase();
  const at = names.indexOf(name);
  return at >= 0 ? at : names === severities ? spokenSeverities.get(name) : undefined;
}

const zoneOffset = /^[+-]\d{2}:?\d{2}$/;

/**
 * Time of a file’s line: its year is near the time the shipper read it, its zone the one Filebeat names in `event.timezone`.
 */
function lineTime(document: Document, time: string | undefined, now: number): number | undefined {
  if (time === undefined) return undefined;
  const zone = text(read(document, 'event.timezone'));
  const hasZone = zone !== undefined && zoneOffset.test(zone) && /^[A-Za-z]/.test(time);
  return parseTime(hasZone ? `${time} ${zone}` : time, parseTime(document['@timestamp'], now) ?? now);
}

/** Fills ECS from a raw line of a syslog file in `message`, as Filebeat sends it. Returns undefined for other lines. */
export function fillRawSyslog(document: Document, raw: string, now: number): Reading | undefined {
  const line = parseSyslogLine(raw, now, raw.startsWith('<') ? raw.indexOf('>') + 1 : 0);
  if (line === undefined) return undefined;
  const syslog = section(section(document, 'log'), 'syslog');
  fill(syslog, 'appname', line.program);
  if (line.pid !== undefined) fill(syslog, 'procid', String(line.pid));
  if (line.hostname !== undefined) {
    fill(syslog, 'hostname', line.hostname);
    fill(section(document, 'host'), 'hostname', line.hostname);
  }
  const filled = fillFromLine(document, line.program, line.message);
  fillProgram(document, line.program, line.pid);
  return {
    times: [lineTime(document, line.time, now), document['@timestamp']],
    line: filled ?? prefixWithProgram(line.program, line.message),
    isOwnTime: true,
  };
}
