/**
 * Listens for the connections of the kind syslog: opens and closes ports as people add, pause and remove them, and reports
 * figures of each. Without a connection no port is open.
 */
import type { SyslogTransport } from '@parapet/contract/syslog.ts';
import type { Bus } from '../../core/bus.ts';
import { onEach } from '../../core/bus.ts';
import type { PortReport, SourceReport, SyslogSource, SyslogSources } from '../connections/syslog.ports.ts';
import type { SyslogHooks, SyslogListener } from './syslog.senders.ts';
import { listenForSyslog, type SyslogDeps } from './syslog.ts';
import { listenForSyslogUdp, type SyslogUdpDeps } from './syslog.udp.ts';

export interface ListenersDeps
  extends Omit<SyslogDeps, 'port' | 'senders' | 'hooks'>,
    Pick<SyslogUdpDeps, 'counted' | 'maxWaiting' | 'lossIntervalMs'> {
  sources: SyslogSources;
  bus: Pick<Bus, 'on'>;
  /** Interval between attempts to open a port, and between confirmations, in milliseconds. */
  refreshMs?: number;
}

export interface SyslogListeners {
  /** Open ports, in the order of the connections. */
  ports(transport: SyslogTransport): number[];
  /** Opens and closes ports as the connections want it now. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface Open {
  transport: SyslogTransport;
  sources: readonly SyslogSource[];
  listener: SyslogListener;
  /** Figures since the call before; undefined without any. */
  figures(): PortReport | undefined;
  /** Datagrams dropped since the call before. */
  dropped(): number;
}

/** Interval between reports. */
const reportMs = 5_000;
const defaultRefreshMs = 15_000;

/** Connections of one port share a listener, but for port 0, which is another one each time. */
const keyOf = ({ transport, port, id }: SyslogSource) => (port === 0 ? `${transport} 0 ${id}` : `${transport} ${port}`);

export async function openListeners(deps: ListenersDeps): Promise<SyslogListeners> {
  const { sources, bus, log } = deps;
  const open = new Map<string, Open>();
  const stored = new Map<number, SourceReport>();
  const failing = new Set<string>();
  let isClosing = false;

  const listen = async (key: string, wanted: readonly SyslogSource[]): Promise<void> => {
    const { transport, port } = wanted[0]!;
    try {
      open.set(key, await openPort(deps, wanted, stored));
      failing.delete(key);
      log.info({ transport, port }, 'listening for syslog');
    } catch (error) {
      // Tried again at each refresh; another process of this machine may have the port.
      if (!failing.has(key)) log.warn({ err: error, transport, port }, 'a port of syslog could not be opened');
      failing.add(key);
      await sources.failed(idsOf(wanted), wordsOf(error, transport, port));
    }
  };

  const refreshOnce = async (): Promise<void> => {
    const wanted = Map.groupBy(await sources.list(), keyOf);
    for (const [key, each] of open) {
      if (wanted.has(key)) continue;
      open.delete(key);
      await each.listener.close();
      await report([each]);
    }
    for (const [key, list] of wanted) {
      if (!open.has(key)) await listen(key, list);
      const each = open.get(key);
      if (!each) continue;
      if (JSON.stringify(each.sources) !== JSON.stringify(list)) {
        each.sources = list;
        each.listener.update(list);
      }
      const dropped = each.dropped();
      await sources.listening(idsOf(list), dropped > 0 ? lossText(dropped) : null);
    }
  };

  const report = async (ports: Iterable<Open>): Promise<void> => {
    const counted = [...stored.values()];
    stored.clear();
    const figures = [...ports].flatMap((each) => each.figures() ?? []);
    if (counted.length + figures.length > 0) await sources.report(counted, figures);
  };

  // One after another: a report that fails is logged, and its figures are lost; the events are not.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = turn.then(() => (isClosing ? undefined : work()));
    turn = next.catch(() => {});
    return next;
  };
  const refresh = () => inTurn(refreshOnce);
  const logged = (work: () => Promise<void>) =>
    void inTurn(work).catch((error) => log.warn({ err: error }, 'ports of syslog could not be compared with their connections'));

  const end = onEach(bus, 'syslog.changed', () => logged(refreshOnce));
  const timers = [
    setInterval(() => logged(refreshOnce), deps.refreshMs ?? defaultRefreshMs),
    setInterval(() => logged(() => report(open.values())), reportMs),
  ];
  for (const timer of timers) timer.unref();
  await refresh();

  return {
    ports: (transport) =>
      [...open.values()]
        .filter((each) => each.transport === transport)
        .sort((one, other) => one.sources[0]!.id - other.sources[0]!.id)
        .map(({ listener }) => listener.port),
    refresh,
    async close() {
      end();
      for (const timer of timers) clearInterval(timer);
      isClosing = true;
      await turn;
      await Promise.all([...open.values()].map(({ listener }) => listener.close()));
      await report(open.values()).catch((error) => log.warn({ err: error }, 'the last figures of syslog could not be stored'));
    },
  };
}

/** Opens one port. Figures of its connections are added to `stored`. */
async function openPort(deps: ListenersDeps, sources: readonly SyslogSource[], stored: Map<number, SourceReport>): Promise<Open> {
  const { transport, port } = sources[0]!;
  const counts = { unknown: 0, unknownAddress: '', lost: 0, dropped: 0 };
  const hooks: SyslogHooks = {
    stored({ id, organisationId }, count) {
      stored.set(id, { id, organisationId, stored: (stored.get(id)?.stored ?? 0) + count, lastAt: deps.clock.now() });
    },
    unknown(address) {
      counts.unknown += 1;
      counts.unknownAddress = address;
    },
    lost(count) {
      counts.lost += count;
      counts.dropped += count;
    },
  };
  const shared = { ...deps, port, senders: sources, hooks };
  const listener = transport === 'tcp' ? await listenForSyslog(shared) : await listenForSyslogUdp(shared);
  return {
    transport,
    sources,
    listener,
    figures() {
      const { unknown, unknownAddress, lost } = counts;
      Object.assign(counts, { unknown: 0, lost: 0 });
      return unknown + lost > 0 ? { transport, port: listener.port, unknown, unknownAddress, lost } : undefined;
    },
    dropped() {
      const count = counts.dropped;
      counts.dropped = 0;
      return count;
    },
  };
}

const idsOf = (sources: readonly SyslogSource[]) => sources.map(({ id }) => id);

const lossText = (lost: number) =>
  `The operating system dropped ${lost} datagrams before they were read. Raise net.core.rmem_max, or send over TCP.`;

function wordsOf(error: unknown, transport: SyslogTransport, port: number): string {
  const place = `${transport.toUpperCase()} port ${port}`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${place} is in use by another program on the server.`;
  if (code === 'EACCES') return `The portal may not open ${place}. Choose a port from 1024, or permit it at the server.`;
  if (code === 'EADDRNOTAVAIL') return 'SYSLOG_HOST names no address of the server.';
  return `${place} could not be opened.`;
}
