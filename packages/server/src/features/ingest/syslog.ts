/**
 * Syslog over TCP, plain or TLS. A port belongs to one organisation, or each sender’s network does; with a CA set, senders must
 * present a certificate of it. TCP syslog has no acknowledgement, so a connection is paused while its lines are not stored:
 * the sender’s own queue holds the rest, and nothing is lost while the database is unavailable.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import { createFramer, type Frame } from '../../pipeline/syslog/frames.ts';
import { parseSyslog } from '../../pipeline/syslog/parse.ts';
import { createQueue, type QueueDeps } from './syslog.queue.ts';
import { createSenders, plainAddress, type Sender, type SyslogHooks, type SyslogListener } from './syslog.senders.ts';

export interface SyslogDeps extends Omit<QueueDeps, 'isClosing'> {
  clock: Clock;
  host: string;
  port: number;
  senders: readonly Sender[];
  hooks: SyslogHooks;
  tls: { cert: string; key: string; ca: string | undefined } | undefined;
}

/** Unstored characters per connection; beyond it, reading pauses. */
const maxWaiting = 256 * 1024;
/** Time limit for storing the remaining lines at shutdown. */
const drainMs = 3_000;
const maxConnections = 1_000;
/** Connections of this process: a part of each event's id. */
let connections = 0;

interface Listener extends SyslogDeps {
  /** Open connections with their senders and the function that stores their pending lines. */
  sockets: Map<Socket, { sender: Sender; store: () => Promise<void> }>;
  isClosing: boolean;
}

function serveConnection(listener: Listener, sender: Sender, socket: Socket): void {
  const { sockets, clock, log } = listener;
  const { organisationId } = sender;
  if (sockets.size >= maxConnections) {
    socket.destroy();
    return;
  }
  const connection = ++connections;
  let lines = 0;
  const framer = createFramer();
  const queue = createQueue(listener, organisationId, {
    busy: () => socket.pause(),
    free: () => void (listener.isClosing || socket.resume()),
    deactivated: () => socket.destroy(),
    stored: (count) => listener.hooks.stored(sender, count),
  });
  sockets.set(socket, { sender, store: queue.store });

  const add = (frames: Frame[]) => {
    const receivedAt = clock.now();
    for (const frame of frames) {
      if ('dropped' in frame) queue.drop(frame.dropped, 1);
      else if (frame.text !== '') {
        // Syslog lines have no id, and two equal lines are two events: the position on the connection distinguishes them.
        const documentId = `${receivedAt}-${process.pid}-${connection}-${++lines}`;
        queue.add({ raw: parseSyslog(frame.text, receivedAt), index: 'syslog', documentId }, frame.text.length);
      }
    }
    if (queue.waitingLength() >= maxWaiting) void queue.store();
  };

  socket.on('data', (chunk: Buffer) => add(framer.push(chunk)));
  socket.on('end', () => add(framer.end()));
  socket.on('error', (error) => log.debug({ err: error, organisationId }, 'a syslog connection broke'));
  socket.on('close', () => {
    void queue.store().finally(() => sockets.delete(socket));
  });
}

export async function listenForSyslog(deps: SyslogDeps): Promise<SyslogListener> {
  const { tls, host, log, hooks } = deps;
  const listener: Listener = { ...deps, sockets: new Map(), isClosing: false };
  const senders = createSenders(deps.senders);
  const onConnection = (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const sender = senders.of(address);
    if (sender) return serveConnection(listener, sender, socket);
    socket.destroy();
    hooks.unknown(address);
  };
  const server = tls
    ? createTlsServer(
        {
          cert: readFileSync(tls.cert),
          key: readFileSync(tls.key),
          ...(tls.ca && { ca: readFileSync(tls.ca), requestCert: true, rejectUnauthorized: true }),
        },
        onConnection,
      )
    : createServer(onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(deps.port, host, resolve);
  });
  server.on('error', (error) => log.error({ err: error, port: deps.port }, 'the syslog port failed'));
  const address = server.address();

  return {
    port: typeof address === 'object' && address ? address.port : deps.port,
    update(next) {
      senders.replace(next);
      for (const [socket, { sender }] of listener.sockets)
        if (senders.of(plainAddress(socket.remoteAddress ?? ''))?.id !== sender.id) socket.destroy();
    },
    async close() {
      listener.isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const stored = [...listener.sockets].map(([socket, { store }]) => {
        socket.pause();
        return store();
      });
      await Promise.race([Promise.all(stored), pause(drainMs)]);
      for (const socket of listener.sockets.keys()) socket.destroy();
      await closed;
    },
  };
}
