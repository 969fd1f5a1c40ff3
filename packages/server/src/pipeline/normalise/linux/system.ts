/** Cron, systemd, its login manager, and the kernel’s packet filter: executed jobs, sessions, blocked connections. */
import type { Document } from '../../event.ts';
import { categorise, fill, ip, kind, port, section } from '../doc.ts';
import type { Facts } from './facts.ts';

const cronLine = /^\(([^)\s]{1,256})\) (CMD|CMDEND|RELOAD|REPLACE|LIST|DELETE|BEGIN EDIT|END EDIT) \((.*)\)\s*$/s;
const cronRan = kind('process', 'start', 'cron_command', 'success');
const cronChanged = kind('configuration', 'change', 'crontab_changed', 'success');
const cronRead = kind('configuration', 'access', 'crontab_read', 'success');

/** `(root) CMD (/usr/local/bin/backup)` and the changes crontab logs. */
export function readCron(message: string): Facts | undefined {
  const found = cronLine.exec(message.trim());
  if (!found) return undefined;
  const [, user, verb, inside] = found as unknown as [string, string, string, string];
  if (verb === 'CMD') {
    const commandLine = inside.trim();
    return { kind: cronRan, user, commandLine, line: `cron ran as ${user}: ${commandLine}` };
  }
  if (verb === 'CMDEND') return { kind: kind('process', 'end', 'cron_command_end'), user };
  if (verb === 'LIST') return { kind: cronRead, user, line: `${user} listed the crontab of ${inside}` };
  return {
    kind: cronChanged,
    user,
    target: verb === 'RELOAD' ? undefined : inside,
    line: `${user}: crontab ${verb.toLowerCase()} (${inside})`,
  };
}

/** `New session 12 of user ann.` */
export function readLogind(message: string): Facts | undefined {
  const opened = /^New session (\S{1,64}) of user (\S{1,256}?)\.?$/.exec(message.trim());
  if (opened) return { kind: kind('session', 'start', 'session-opened', 'success'), user: opened[2] };
  if (/^(?:Removed session|Session \S{1,64} logged out)/.test(message))
    return { kind: kind('session', 'end', 'session-closed', 'success') };
  return undefined;
}

const unit =
  /^(Started|Stopped|Reloaded|Failed to start) (?:([\w@.\\:-]{1,200}\.(?:service|socket|timer|mount|scope)) - )?(.{1,300}?)\.?$/;

/** Services started and stopped by systemd. */
export function readSystemd(message: string): Facts | undefined {
  const found = unit.exec(message.trim().slice(0, 600));
  if (!found) return undefined;
  const name = found[2] ?? found[3];
  if (found[1] === 'Failed to start')
    return { kind: kind('process', 'start error', 'service-start-failed', 'failure'), service: name };
  if (found[1] === 'Stopped') return { kind: kind('process', 'end', 'service-stopped', 'success'), service: name };
  return {
    kind: kind(
      'process',
      found[1] === 'Started' ? 'start' : 'change',
      found[1] === 'Started' ? 'service-started' : 'service-reloaded',
      'success',
    ),
    service: name,
  };
}

const blocked = kind('network', 'connection denied', 'firewall_block');
const allowed = kind('network', 'connection allowed', 'firewall_allow');
const seen = kind('network', 'connection info', 'firewall_log');

/**
 * Fills ECS from Netfilter’s log line (`… IN=eth0 OUT= SRC=… DST=… PROTO=TCP SPT=… DPT=…`, with UFW’s or any other prefix).
 * Returns a summary.
 */
export function fillNetfilter(document: Document, message: string): string | undefined {
  const start = message.indexOf('IN=');
  if (start < 0 || message.indexOf(' SRC=', start) < 0) return undefined;
  const prefix = message
    .slice(0, start)
    .replace(/^\[\s*\d+\.\d+\]\s*/, '')
    .trim()
    .slice(0, 200);
  const fields = new Map<string, string>();
  for (const part of message.slice(start, start + 2000).split(' ')) {
    const cut = part.indexOf('=');
    if (cut > 0 && !fields.has(part.slice(0, cut))) fields.set(part.slice(0, cut), part.slice(cut + 1));
  }
  // A packet filter’s line is a firewall record, though it came through the kernel’s log.
  const event = section(document, 'event');
  if (event.dataset === undefined || event.dataset === 'system.syslog') {
    event.dataset = 'iptables';
    event.module = 'iptables';
  }
  const upper = prefix.toUpperCase();
  const isBlocked = /BLOCK|DROP|REJECT|DENY|DENIED|LIMIT/.test(upper);
  categorise(document, isBlocked ? blocked : /ALLOW|ACCEPT|PASS/.test(upper) ? allowed : seen);
  const source = section(document, 'source');
  const destination = section(document, 'destination');
  fill(source, 'ip', ip(fields.get('SRC')));
  fill(source, 'port', port(fields.get('SPT')));
  fill(destination, 'ip', ip(fields.get('DST')));
  fill(destination, 'port', port(fields.get('DPT')));
  const network = section(document, 'network');
  fill(network, 'transport', fields.get('PROTO')?.toLowerCase());
  const into = fields.get('IN');
  const out = fields.get('OUT');
  fill(network, 'direction', into ? (out ? undefined : 'ingress') : out ? 'egress' : undefined);
  if (prefix !== '') fill(section(document, 'rule'), 'name', prefix.replace(/^\[|\]$/g, ''));
  const to = `${fields.get('DST') ?? '?'}${fields.get('DPT') ? ` port ${fields.get('DPT')}` : ''}`;
  return `Firewall ${isBlocked ? 'blocked' : 'saw'} ${fields.get('PROTO') ?? 'a packet'} from ${fields.get('SRC') ?? '?'} to ${to}${prefix === '' ? '' : ` (${prefix})`}`;
}

/** Parses the kernel’s other lines worth a category. */
export function readKernel(message: string): Facts | undefined {
  if (/\bentered promiscuous mode\b/.test(message))
    return { kind: kind('network configuration', 'change', 'promiscuous-mode-entered') };
  if (/\bsegfault at\b/.test(message)) return { kind: kind('process', 'error', 'segmentation-fault', 'failure') };
  if (/\bmodule verification failed\b|\bloading out-of-tree module\b/.test(message))
    return { kind: kind('driver', 'start', 'module-loaded') };
  return undefined;
}
