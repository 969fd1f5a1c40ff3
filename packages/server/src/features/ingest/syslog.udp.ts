/**
 * Syslog over UDP: one message per datagram (RFC 5426). A port belongs to one organisation, or each
 * sender’s network does. UDP can neither wait nor repeat, so every loss is counted: unknown senders, a full queue, and the
 * datagrams that the kernel dropped before they were read.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { parseSyslog } from '../../pipeline/syslog/parse.ts';
import { createQueue, type LineQueue, type QueueDeps } from './syslog.queue.ts';
import { createSenders, plainAddress, type Sender, type SyslogHooks, type SyslogListener } from './syslog.senders.ts';

export interface SyslogUdpDeps extends Omit<QueueDeps, 'isClosing'> {
  clock: Clock;
  host: string;
  port: number;
  senders: readonly Sender[];
  hooks: SyslogHooks;
  counted: (reason: string, count: number) => void;
  /** Characters that wait per connection while the database is slow or away; beyond it, lines are dropped. */
  maxWaiting?: number;
  /** Interval between two looks at the kernel’s count of dropped datagrams. */
  lossIntervalMs?: number;
}

/** Requested of the kernel, which grants at most net.core.rmem_max. */
const receiveBufferBytes = 8 * 1024 * 1024;
/** Memory of a waiting line beside its text, in characters. */
const lineOverhead = 500;
const defaultMaxWaiting = 16 * 1024 * 1024;
const defaultLossIntervalMs = 10_000;
const warningIntervalMs = 60_000;
/** Time limit for storing the remaining lines at shutdown. */
const drainMs = 3_000;
/** Datagrams of this process: a part of each event's id. */
let datagrams = 0;

export async function listenForSyslogUdp(given: SyslogUdpDeps): Promise<SyslogListener> {
  const deps = { ...given, isClosing: false };
  const { log, counted, hooks, lossIntervalMs = defaultLossIntervalMs } = deps;
  const senders = createSenders(deps.senders);
  const queues = new Map<number, LineQueue>();
  const queueOf = (sender: Sender): LineQueue => {
    const queue =
      queues.get(sender.id) ?? createQueue(deps, sender.organisationId, { stored: (count) => hooks.stored(sender, count) });
    queues.set(sender.id, queue);
    return queue;
  };
  const socket = await bind(deps, deps.port);
  const { port } = socket.address();
  socket.on('error', (error) => log.error({ err: error, port }, 'the syslog port failed'));
  socket.on('message', receiver(deps, port, senders, queueOf));

  let lost = 0;
  const countLosses = async () => {
    const count = ((await kernelDrops(deps.host)).get(port) ?? 0) - lost;
    if (count <= 0) return;
    lost += count;
    log.warn({ port, lost: count }, 'the kernel dropped syslog datagrams; raise net.core.rmem_max or send over TCP');
    hooks.lost(count);
    const [sender] = senders.all();
    // The organisation is known only for a port that belongs to one.
    if (sender && sender.networks.length === 0) queueOf(sender).drop('udp-lost', count);
    else counted('udp-lost', count);
  };
  const timer = setInterval(() => void countLosses(), lossIntervalMs);
  timer.unref();

  return {
    port,
    update: senders.replace,
    async close() {
      clearInterval(timer);
      await countLosses();
      await new Promise<void>((resolve) => socket.close(() => resolve()));
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
  port: number,
  senders: ReturnType<typeof createSenders>,
  queueOf: (sender: Sender) => LineQueue,
): (message: Buffer, from: RemoteInfo) => void {
  const { clock, counted, log, hooks, maxWaiting = defaultMaxWaiting } = deps;
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (message, from) => {
    const receivedAt = clock.now();
    const address = plainAddress(from.address);
    const sender = senders.of(address);
    if (!sender) {
      counted('unknown-sender', 1);
      hooks.unknown(address);
      if (receivedAt - warnedAt < warningIntervalMs) return;
      warnedAt = receivedAt;
      log.warn({ port, address }, 'a syslog datagram of an unknown sender was not stored; no connection lists its network');
      return;
    }
    const text = message.toString('utf8').replace(/[\r\n\0]+$/, '');
    if (text === '') return;
    const queue = queueOf(sender);
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
