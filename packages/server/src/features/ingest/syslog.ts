/**
 * Syslog over TCP, plain or TLS, off unless configured. A port belongs to one organisation; with a CA set, senders must
 * present a certificate of it. TCP syslog has no acknowledgement, so a connection is paused while its lines are not stored:
 * the sender’s own queue holds the rest, and nothing is lost while the database is unavailable.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import type { SyslogTcp } from '../../core/config.syslog.ts';
import { createFramer, type Frame } from '../../pipeline/syslog/frames.ts';
import { parseSyslog } from '../../pipeline/syslog/parse.ts';
import { createQueue, type QueueDeps } from './syslog.queue.ts';

export interface SyslogDeps extends Omit<QueueDeps, 'isClosing'> {
  clock: Clock;
  host: string;
  ports: SyslogTcp[];
  tls: { cert: string; key: string; ca: string | undefined } | undefined;
}

export interface SyslogListener {
  /** Listening ports, in the order of the configuration. */
  ports: number[];
  close(): Promise<void>;
}

/** Unstored characters per connection; beyond it, reading pauses. */
const maxWaiting = 256 * 1024;
/** Time limit for storing the remaining lines at shutdown. */
const drainMs = 3_000;
const maxConnections = 1_000;

interface Listener extends SyslogDeps {
  /** Open connections with the function that stores their pending lines. */
  sockets: Map<Socket, () => Promise<void>>;
  /** Connections since the start. */
  connections: number;
  isClosing: boolean;
}

function serveConnection(listener: Listener, organisationId: number, socket: Socket): void {
  const { sockets, clock, log } = listener;
  if (sockets.size >= maxConnections) {
    socket.destroy();
    return;
  }
  const connection = ++listener.connections;
  let lines = 0;
  const framer = createFramer();
  const queue = createQueue(listener, organisationId, {
    busy: () => socket.pause(),
    free: () => void (listener.isClosing || socket.resume()),
    deactivated: () => socket.destroy(),
  });
  sockets.set(socket, queue.store);

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
  const { tls, host, log } = deps;
  const servers: Server[] = [];
  const listener: Listener = { ...deps, sockets: new Map(), connections: 0, isClosing: false };
  const ports: number[] = [];
  for (const { port, organisationId } of deps.ports) {
    const onConnection = (socket: Socket) => serveConnection(listener, organisationId, socket);
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
    server.on('error', (error) => log.error({ err: error, port }, 'the syslog port failed'));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    const address = server.address();
    ports.push(typeof address === 'object' && address ? address.port : port);
    servers.push(server);
  }

  return {
    ports,
    async close() {
      listener.isClosing = true;
      const stored = [...listener.sockets].map(([socket, write]) => {
        socket.pause();
        return write();
      });
      await Promise.race([Promise.all(stored), pause(drainMs)]);
      for (const socket of listener.sockets.keys()) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
