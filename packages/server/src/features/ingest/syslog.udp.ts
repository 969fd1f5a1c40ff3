/**
 * Syslog over UDP, off unless configured: one message per datagram (RFC 5426). A port belongs to one organisation, or each
 * sender’s network does. UDP can neither wait nor repeat, so every loss is counted: unknown senders, a full queue, and the
 * datagrams that the kernel dropped before they were read.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isWithin } from '../../core/address-ranges.ts';
import type { Clock } from '../../core/clock.ts';
import type { SyslogUdp } from '../../core/config.syslog.ts';
import { parseSyslog } from '../../pipeline/syslog/parse.ts';
import { createQueue, type LineQueue, type QueueDeps } from './syslog.queue.ts';

export interface SyslogUdpDeps extends Omit<QueueDeps, 'isClosing'> {
  clock: Clock;
  host: string;
  listeners: SyslogUdp[];
  counted: (reason: string, count: number) => void;
  /** Characters that wait per organisation while the database is slow or away; beyond it, lines are dropped. */
  maxWaiting?: number;
  /** Interval between two looks at the kernel’s count of dropped datagrams. */
  lossIntervalMs?: number;
}

export interface SyslogUdpListener {
  /** Listening ports, in the order of the configuration. */
  ports: number[];
  close(): Promise<void>;
}

/** Requested of the kernel, which grants at most net.core.rmem_max. */
const receiveBufferBytes = 8 * 1024 * 1024;
/** Memory of a waiting line beside its text, in characters. */
const lineOverhead = 500;
const defaultMaxWaiting = 16 * 1024 * 1024;
const defaultLossIntervalMs = 10_000;
/** Senders whose organisation is remembered. */
const maxKnownSenders = 10_000;
const warningIntervalMs = 60_000;
/** Time limit for storing the remaining lines at shutdown. */
const drainMs = 3_000;

export async function listenForSyslogUdp(given: SyslogUdpDeps): Promise<SyslogUdpListener> {
  const deps = { ...given, isClosing: false };
  const { log, counted, lossIntervalMs = defaultLossIntervalMs } = deps;
  const queues = new Map<number, LineQueue>();
  const queueOf = (organisationId: number): LineQueue => {
    const queue = queues.get(organisationId) ?? createQueue(deps, organisationId);
    queues.set(organisationId, queue);
    return queue;
  };
  const open: { socket: Socket; port: number; lost: number; listener: SyslogUdp }[] = [];
  for (const listener of deps.listeners) {
    const socket = await bind(deps, listener.port);
    socket.on('error', (error) => log.error({ err: error, port: listener.port }, 'the syslog port failed'));
    const { port } = socket.address();
    socket.on('message', receiver(deps, listener, port, queueOf));
    open.push({ socket, port, lost: 0, listener });
  }

  const countLosses = async () => {
    const drops = await kernelDrops(deps.host);
    for (const each of open) {
      const lost = (drops.get(each.port) ?? 0) - each.lost;
      if (lost <= 0) continue;
      each.lost += lost;
      log.warn({ port: each.port, lost }, 'the kernel dropped syslog datagrams; raise net.core.rmem_max or send over TCP');
      const [sender] = each.listener.senders;
      // The organisation is known only for a port that belongs to one.
      if (sender && sender.network === undefined) queueOf(sender.organisationId).drop('udp-lost', lost);
      else counted('udp-lost', lost);
    }
  };
  const timer = setInterval(() => void countLosses(), lossIntervalMs);
  timer.unref();

  return {
    ports: open.map(({ port }) => port),
    async close() {
      clearInterval(timer);
      await countLosses();
      await Promise.all(open.map(({ socket }) => new Promise<void>((resolve) => socket.close(() => resolve()))));
      deps.isClosing = true;
      await Promise.race([Promise.all([...queues.values()].map((queue) => queue.store())), pause(drainMs)]);
    },
  };
}

async function bind({ host }: SyslogUdpDeps, port: number): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: receiveBufferBytes });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  return socket;
}

/** Handles datagrams of one port. */
function receiver(
  deps: SyslogUdpDeps,
  { senders }: SyslogUdp,
  port: number,
  queueOf: (organisationId: number) => LineQueue,
): (message: Buffer, from: RemoteInfo) => void {
  const { clock, counted, log, maxWaiting = defaultMaxWaiting } = deps;
  const known = new Map<string, number | undefined>();
  let datagrams = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;
  const organisationOf = (address: string): number | undefined => {
    if (known.has(address)) return known.get(address);
    const found = senders.find(({ network }) => network === undefined || isWithin(address, [network]))?.organisationId;
    if (known.size >= maxKnownSenders) known.clear();
    known.set(address, found);
    return found;
  };
  return (message, from) => {
    const receivedAt = clock.now();
    const address = from.address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
    const organisationId = organisationOf(address);
    if (organisationId === undefined) {
      counted('unknown-sender', 1);
      if (receivedAt - warnedAt < warningIntervalMs) return;
      warnedAt = receivedAt;
      log.warn({ port, address }, 'a syslog datagram of an unknown sender was not stored; list its network in SYSLOG');
      return;
    }
    const text = message.toString('utf8').replace(/[\r\n\0]+$/, '');
    if (text === '') return;
    const queue = queueOf(organisationId);
    const length = text.length + lineOverhead;
    if (queue.waitingLength() + length > maxWaiting) {
      queue.drop('udp-overload', 1);
      return;
    }
    const document = parseSyslog(text, receivedAt);
    // The name that rsyslog gives it: the device, where the message names none.
    document['fromhost-ip'] = address;
    queue.add({ raw: document, index: 'syslog', documentId: `${receivedAt}-${process.pid}-udp${port}-${++datagrams}` }, length);
  };
}

/**
 * Datagrams that the kernel dropped since a socket was opened, by local port: the last column of /proc/net/udp. Empty where
 * there is no such file.
 */
async function kernelDrops(host: string): Promise<Map<number, number>> {
  const table = await readFile(isIPv6(host) ? '/proc/net/udp6' : '/proc/net/udp', 'utf8').catch(() => '');
  return dropsOf(table);
}

export function dropsOf(table: string): Map<number, number> {
  const drops = new Map<number, number>();
  for (const line of table.split('\n').slice(1)) {
    const columns = line.trim().split(/\s+/);
    const port = Number.parseInt(columns[1]?.split(':')[1] ?? '', 16);
    const count = Number(columns.at(-1));
    if (Number.isNaN(port) || !Number.isSafeInteger(count)) continue;
    drops.set(port, (drops.get(port) ?? 0) + count);
  }
  return drops;
}
