/**
 * Auditbeat, Packetbeat and Filebeat. They send ECS; this file adds what Elasticsearch’s ingest pipelines would have added
 * (parsed raw lines, categories, command lines from argument lists), because no such pipeline runs before the portal.
 */
import type { Document } from '../event.ts';
import { fillAccess, fillUrl, kindOfStatus, readAccessLine, summariseAccess } from './access-log.ts';
import {
  baseName,
  categorise,
  fill,
  first,
  ip,
  isObject,
  type Kind,
  kind,
  known,
  number,
  object,
  read,
  section,
  text,
} from './doc.ts';
import { fillFromLine } from './linux/line.ts';
import { fillProgram, fillRawSyslog, prefixWithProgram, type Reading } from './syslog.ts';

const auditKinds = new Map<string, Kind>([
  ['executed', kind('process', 'start', 'executed')],
  ['process_started', kind('process', 'start', 'process_started')],
  ['process_stopped', kind('process', 'end', 'process_stopped')],
  ['existing_process', kind('process', 'info', 'existing_process')],
  ['connected-to', kind('network', 'connection start', 'connected-to')],
  ['accepted-connection-from', kind('network', 'connection start', 'accepted-connection-from')],
  ['bound-socket', kind('network', 'start', 'bound-socket')],
  ['network_flow', kind('network', 'connection info', 'network_flow')],
  ['opened-file', kind('file', 'access', 'opened-file')],
  ['created', kind('file', 'creation', 'created')],
  ['deleted', kind('file', 'deletion', 'deleted')],
  ['updated', kind('file', 'change', 'updated')],
  ['moved', kind('file', 'change', 'moved')],
  ['attributes_modified', kind('file', 'change', 'attributes_modified')],
  ['user_login', kind('authentication', 'start', 'user_login')],
  ['logged-in', kind('authentication', 'start', 'logged-in')],
  ['user_added', kind('iam', 'user creation', 'user_added')],
  ['user_removed', kind('iam', 'user deletion', 'user_removed')],
  ['user_changed', kind('iam', 'user change', 'user_changed')],
  ['password_changed', kind('iam', 'user change', 'password_changed')],
  ['added-user-account', kind('iam', 'user creation', 'added-user-account')],
  ['added-group-account-to', kind('iam', 'group creation', 'added-group-account-to')],
  ['changed-file-permissions-of', kind('file', 'change', 'changed-file-permissions-of')],
  ['changed-file-ownership-of', kind('file', 'change', 'changed-file-ownership-of')],
  ['loaded-kernel-module', kind('driver', 'start', 'loaded-kernel-module')],
  ['changed-audit-configuration', kind('configuration', 'change', 'changed-audit-configuration')],
]);

/** Joins the argument list that Auditbeat sends into a command line. */
function fillCommandLine(process: Document): void {
  if (process.command_line === undefined && Array.isArray(process.args)) {
    const words = process.args.slice(0, 1000).filter((part): part is string => typeof part === 'string');
    if (words.length > 0) process.command_line = words.join(' ');
  }
  fill(process, 'name', baseName(text(process.executable)));
}

/** Fills ECS from Auditbeat: auditd, file_integrity and system. */
export function fillAuditbeat(document: Document): Reading {
  const event = section(document, 'event');
  const action = text(first(event.action));
  const what = action === undefined ? undefined : auditKinds.get(action);
  if (what !== undefined) categorise(document, what);
  const process = object(document.process);
  if (process !== undefined) {
    fillCommandLine(process);
    if (isObject(process.parent)) fillCommandLine(process.parent);
  }
  const auditd = object(document.auditd);
  if (auditd !== undefined) {
    fill(section(section(document, 'host'), 'os'), 'type', 'linux');
    fill(event, 'module', 'auditd');
    fill(event, 'dataset', 'auditd');
    const result = text(auditd.result);
    if (result === 'success' || result === 'fail') fill(event, 'outcome', result === 'success' ? 'success' : 'failure');
  }
  return { times: [document['@timestamp'], document.timestamp], line: summariseAudit(document, action, auditd) };
}

function summariseAudit(document: Document, action: string | undefined, auditd: Document | undefined): string | undefined {
  const process = object(document.process);
  const user = known(read(document, 'user.name')) ?? known(read(document, 'user.id'));
  const command = text(process?.command_line);
  if (command !== undefined && (action === 'executed' || action === 'process_started')) {
    return `${text(process?.name) ?? 'A process'} started${user === undefined ? '' : ` by ${user}`}: ${command}`;
  }
  const path = text(read(document, 'file.path'));
  if (path !== undefined && auditd === undefined) return `File ${path} ${action?.replaceAll('_', ' ') ?? 'changed'}`;
  const message = text(document.message);
  if (message !== undefined) return message;
  const summary = object(auditd?.summary);
  const object_ = known(read(summary, 'object.primary'));
  const how = known(summary?.how);
  const actor = user ?? known(read(summary, 'actor.primary'));
  if (action === undefined && actor === undefined) return undefined;
  const failed = text(read(document, 'event.outcome')) === 'failure' ? ' (failed)' : '';
  return `${actor ?? 'Unknown user'} ${action?.replaceAll('-', ' ') ?? 'acted on'}${object_ === undefined ? '' : ` ${object_}`}${how === undefined ? '' : ` with ${how}`}${failed}`;
}

/** Fills ECS from Packetbeat: dns, http, tls, flows and database protocols. */
export function fillPacketbeat(document: Document): Reading {
  const event = section(document, 'event');
  const dataset = text(event.dataset);
  const type = text(document.type) ?? dataset?.slice(dataset.lastIndexOf('.') + 1);
  fill(event, 'dataset', type);
  categorise(
    document,
    kind('network', 'connection protocol', type === 'flow' ? 'network_flow' : `${type ?? 'network'}_transaction`),
  );
  fillEnd(document, 'source', 'client');
  fillEnd(document, 'destination', 'server');
  if (type !== undefined && type !== 'flow') fill(section(document, 'network'), 'protocol', type);
  const status = text(document.status);
  if (status !== undefined) fill(event, 'outcome', status === 'OK' ? 'success' : 'failure');
  if (type === 'dns') fill(section(section(document, 'dns'), 'question'), 'name', text(document.resource));
  return { times: [document['@timestamp'], event.start], line: summarisePacket(document, type) };
}

/** Fills one end of a connection from Packetbeat’s other name for it. */
function fillEnd(document: Document, end: string, other: string): void {
  const from = object(document[other]);
  if (from === undefined) return;
  const target = section(document, end);
  fill(target, 'ip', ip(from.ip));
  fill(target, 'port', number(from.port));
  fill(target, 'domain', text(from.domain));
}

function summarisePacket(document: Document, type: string | undefined): string | undefined {
  const end = (name: string): string => {
    const address = text(read(document, `${name}.ip`)) ?? '?';
    const number = text(read(document, `${name}.port`));
    return number === undefined ? address : `${address} port ${number}`;
  };
  const source = text(read(document, 'source.ip')) ?? 'Unknown source';
  const code = text(read(document, 'dns.response_code'));
  switch (type) {
    case 'dns':
      return `${source} looked up ${text(read(document, 'dns.question.name')) ?? '?'} (${text(read(document, 'dns.question.type')) ?? '?'})${code === undefined ? '' : `: ${code}`}`;
    case 'http': {
      const method = text(read(document, 'http.request.method'))?.toUpperCase() ?? 'Request';
      const url = text(read(document, 'url.full')) ?? text(read(document, 'url.path')) ?? '';
      return `${source}: ${method} ${url.slice(0, 700)} answered ${text(read(document, 'http.response.status_code')) ?? '?'}`;
    }
    case 'tls': {
      const name = text(read(document, 'tls.client.server_name')) ?? text(read(document, 'destination.domain'));
      return `TLS from ${end('source')} to ${end('destination')}${name === undefined ? '' : ` (${name})`}`;
    }
    default: {
      const bytes = text(read(document, 'network.bytes'));
      return `${type === 'flow' ? 'Flow' : (type ?? 'Connection')} from ${end('source')} to ${end('destination')}${bytes === undefined ? '' : `, ${bytes} bytes`}`;
    }
  }
}

const accessFile = /access[^/\\]{0,80}$/i;
const authFile = /(?:^|[/\\])(?:auth\.log|secure|syslog|messages|sudo\.log|cron|kern\.log|ufw\.log)(?:[.-][\w.-]{0,40})?$/i;
const looksLikeAccess = /^\S{1,300} \S{1,300} [^[]{1,300}\[\d{1,2}\/[A-Za-z]{3}\/\d{4}:/;

/** Fills ECS from Filebeat: system and web-server logs, parsed or raw, and any other content. */
export function fillFilebeat(document: Document, now: number): Reading {
  const event = section(document, 'event');
  const module = text(event.module) ?? text(read(document, 'fileset.module')) ?? text(read(document, 'service.type'));
  const fileset = text(read(document, 'fileset.name'));
  const dataset =
    text(event.dataset) ??
    (module !== undefined && fileset !== undefined ? `${module}.${fileset}` : undefined) ??
    text(read(document, 'data_stream.dataset'));
  fill(event, 'dataset', dataset);
  fill(event, 'module', module ?? dataset?.split('.', 1)[0]);
  const path = text(read(document, 'log.file.path')) ?? text(document.source);
  const message = text(first(document.message)) ?? text(read(document, 'event.original'));
  const times = [document['@timestamp'], document.timestamp];

  if (
    dataset?.endsWith('.access') ||
    read(document, 'http.response.status_code') !== undefined ||
    (path !== undefined && accessFile.test(path))
  ) {
    return fillWeb(document, message, dataset, path) ?? { times, line: message };
  }
  if (
    message !== undefined &&
    (dataset === 'system.auth' || dataset === 'system.syslog' || (path !== undefined && authFile.test(path)))
  ) {
    return fillSystem(document, message, now);
  }
  const program = known(read(document, 'log.syslog.appname')) ?? known(read(document, 'syslog.identifier'));
  if (message !== undefined && program !== undefined) return fillSystem(document, message, now);
  if (message !== undefined && dataset === undefined) {
    if (looksLikeAccess.test(message.slice(0, 1000)))
      return fillWeb(document, message, dataset, path) ?? { times, line: message };
    const raw = fillRawSyslog(document, message, now);
    if (raw !== undefined) return raw;
  }
  return { times, line: message };
}

function fillSystem(document: Document, message: string, now: number): Reading {
  const raw = fillRawSyslog(document, message, now);
  if (raw !== undefined) return raw;
  const program =
    known(read(document, 'log.syslog.appname')) ??
    known(read(document, 'syslog.identifier')) ??
    known(read(document, 'process.name'));
  const line = fillFromLine(document, program, message);
  fillProgram(document, program, read(document, 'process.pid') ?? read(document, 'log.syslog.procid'));
  return { times: [document['@timestamp'], document.timestamp], line: line ?? prefixWithProgram(program, message) };
}

function fillWeb(
  document: Document,
  message: string | undefined,
  dataset: string | undefined,
  path: string | undefined,
): Reading | undefined {
  const line = message === undefined ? undefined : readAccessLine(message);
  const event = section(document, 'event');
  if (dataset === undefined) {
    const server = path !== undefined && /nginx/i.test(path) ? 'nginx' : 'apache';
    fill(event, 'dataset', `${server}.access`);
    fill(event, 'module', server);
  }
  if (line !== undefined) {
    fillAccess(document, line);
    categorise(document, kindOfStatus(line.status));
    return { times: [line.time, document['@timestamp']], line: summariseAccess(line), isOwnTime: true };
  }
  const status = number(read(document, 'http.response.status_code'));
  if (status === undefined) return undefined;
  const original = text(read(document, 'url.original'));
  if (original !== undefined) fillUrl(document, original);
  const address = ip(read(document, 'source.ip') ?? read(document, 'source.address'));
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
  categorise(document, kindOfStatus(status));
  const method = text(read(document, 'http.request.method')) ?? 'Request';
  const requestLine = `${method} ${(original ?? text(read(document, 'url.path')) ?? '').slice(0, 700)} answered ${status} to ${address ?? 'an unknown address'}`;
  return { times: [document['@timestamp']], line: requestLine };
}
