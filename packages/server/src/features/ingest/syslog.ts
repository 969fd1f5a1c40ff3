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
import type { Log } from '../../core/log.ts';
import type { Arrival } from '../../pipeline/event.ts';
import { createFramer, type Frame } from '../../pipeline/syslog/frames.ts';
import { parseSyslog } from '../../pipeline/syslog/parse.ts';
import type { IngestService } from './ingest.service.ts';

export interface SyslogDeps {
  ingest: IngestService;
  clock: Clock;
  host: string;
  ports: { port: number; organisationId: number }[];
  /** True for an active organisation; lines of deactivated ones are not stored. */
  isTakingIn: (organisationId: number) => Promise<boolean>;
  tls: { cert: string; key: string; ca: string | undefined } | undefined;
  log: Log;
}

export interface SyslogListener {
  /** Listening ports, in the order of the configuration. */
  ports: number[];
  close(): Promise<void>;
}

const maxLinesABatch = 1_000;
/** Unstored characters per connection; beyond it, reading pauses. */
const maxWaiting = 256 * 1024;
/** Time limit for storing the remaining lines at shutdown. */
const drainMs = 3_000;
const gatherMs = 100;
const maxConnections = 1_000;

interface Listener extends SyslogDeps {
  /** Open connections with the function that stores their pending lines. */
  sockets: Map<Socket, () => Promise<void>>;
  /** Connections since the start. */
  connections: number;
  isClosing: boolean;
}

/** Repeats until the lines are stored, unless their organisation is deactivated or the listener closes. */
async function store(
  listener: Listener,
  organisationId: number,
  batch: readonly Arrival[],
): Promise<'stored' | 'deactivated' | 'closing'> {
  const { ingest, log } = listener;
  for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
    try {
      if (!(await listener.isTakingIn(organisationId))) return 'deactivated';
      await ingest.inTurn(() => ingest.take(organisationId, batch), organisationId);
      return 'stored';
    } catch (error) {
      if (listener.isClosing) return 'closing';
      log.warn({ err: error, organisationId }, 'syslog lines could not be stored; trying again');
      await pause(wait);
    }
  }
}

function serveConnection(listener: Listener, organisationId: number, socket: Socket): void {
  const { sockets, ingest, clock, log } = listener;
  if (sockets.size >= maxConnections) {
    socket.destroy();
    return;
  }
  const connection = ++listener.connections;
  let lines = 0;
  const waiting: Arrival[] = [];
  let waitingLength = 0;
  /** Dropped lines by reason; counted with the next batch. */
  let dropped = new Map<string, number>();
  const drop = (reason: string, count: number) => dropped.set(reason, (dropped.get(reason) ?? 0) + count);
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const framer = createFramer();

  const storeAll = async () => {
    socket.pause();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxLinesABatch);
      const outcome = await store(listener, organisationId, batch);
      if (outcome === 'closing') return;
      if (outcome === 'deactivated') {
        drop('deactivated organisation', batch.length);
        socket.destroy();
      }
    }
    waitingLength = 0;
    if (dropped.size > 0) {
      const counts = dropped;
      dropped = new Map();
      await ingest.drop(organisationId, counts).catch((error) => {
        for (const [reason, count] of counts) drop(reason, count);
        log.warn({ err: error, organisationId }, 'dropped syslog lines could not be counted; trying again');
      });
    }
    if (!listener.isClosing) socket.resume();
  };
  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= storeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  sockets.set(socket, write);

  const add = (frames: Frame[]) => {
    const receivedAt = clock.now();
    for (const frame of frames) {
      if ('dropped' in frame) {
        drop(frame.dropped, 1);
        continue;
      }
      if (frame.text === '') continue;
      // Syslog lines have no id, and two equal lines are two events: the position on the connection distinguishes them.
      waiting.push({
        raw: parseSyslog(frame.text, receivedAt),
        index: 'syslog',
        documentId: `${receivedAt}-${process.pid}-${connection}-${++lines}`,
      });
      waitingLength += frame.text.length;
    }
    if (waiting.length >= maxLinesABatch || waitingLength >= maxWaiting) void write();
    else if (waiting.length + dropped.size > 0 && !timer && !writing) timer = setTimeout(() => void write(), gatherMs);
  };

  socket.on('data', (chunk: Buffer) => add(framer.push(chunk)));
  socket.on('end', () => add(framer.end()));
  socket.on('error', (error) => log.debug({ err: error, organisationId }, 'a syslog connection broke'));
  socket.on('close', () => {
    void write().finally(() => sockets.delete(socket));
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
