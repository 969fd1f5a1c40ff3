/** Places of syslog, each of one connection: checked when it is added, listed for the listeners, and reported by them. */
import type { Values } from '@parapet/connectors/connector.ts';
import { providerId } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import { overlap, type PortRange } from '../../core/config.syslog.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Kind } from './connections.deps.ts';
import { describeSyslog, faultOfNetworks, faultOfPort, placeOf, type SyslogPlace } from './syslog.kind.ts';
import type { SyslogSources } from './syslog.ports.ts';
import * as store from './syslog.store.ts';

export interface PlacesDeps {
  db: Database;
  clock: Clock;
  permitted: readonly PortRange[];
}

export interface SourcesDeps extends PlacesDeps {
  /** Ports of the setting SYSLOG: its connections listen also where SYSLOG_PORTS lists none. */
  former: readonly number[];
}

/** Several confirmations of a listening process. */
const confirmedMs = 60_000;

/** Throws where another connection has the place, or a network is not listed for the client. Call within the portal's own scope. */
export async function requirePlace(tx: Tx, client: number, place: SyslogPlace): Promise<void> {
  await store.lockPlaces(tx);
  const name = `${place.transport.toUpperCase()} port ${place.port}`;
  for (const row of await store.listPlaces(tx)) {
    const other = placeOf(row.settings);
    if (other.transport !== place.transport || other.port !== place.port || place.port === 0) continue;
    if (other.networks.length === 0) throw problem.conflict(`${name} is in use by another connection. Choose another port.`);
    if (place.networks.length === 0)
      throw problem.conflict(
        `${name} is in use by connections with networks of senders. Choose another port, or name the senders.`,
      );
    const both = place.networks.find((network) => other.networks.some((each) => overlap(network, each)));
    if (both !== undefined) throw problem.conflict(`${both} is in use at ${name} by another connection.`);
  }
  const [unlisted] = await store.listUnlisted(tx, client, place.networks);
  if (unlisted !== undefined)
    throw problem.invalid({
      'values.senders': [`${unlisted} lies in no network that the provider lists for this client.`],
    });
}

export function createSyslogKind({ db, clock, permitted }: PlacesDeps): Kind {
  const requireForm = (place: SyslogPlace): void => {
    const portFault = faultOfPort(permitted, place.port);
    if (portFault !== undefined) throw problem.invalid({ 'values.port': [portFault] });
    const fault = faultOfNetworks(place.networks);
    if (fault !== undefined) throw problem.invalid({ 'values.senders': [fault] });
  };
  const claim = async (tx: Tx, client: number, values: Values): Promise<void> => {
    const place = placeOf(values);
    requireForm(place);
    await requirePlace(tx, client, place);
  };

  return {
    ...describeSyslog(permitted),
    isPush: true,
    claim,
    requireAllowed({ organisationId }, values) {
      // The devices of other clients may send to this port.
      if (placeOf(values).networks.length > 0 || organisationId === providerId) return;
      const text =
        'Only the provider’s staff may add every sender of a port. Enter networks that the provider lists for this client.';
      throw problem.invalid({ 'values.senders': [text] });
    },
    async tryOut(client, values, id) {
      const { transport, port } = placeOf(values);
      const what = `${transport.toUpperCase()} port ${port}`;
      if (id === undefined) {
        await scoped(db, 'system', (tx) => claim(tx, client, values));
        const detail = 'No other connection uses it. The portal listens once the connection is added.';
        return { results: [{ what, canRead: true, detail }], total: 1 };
      }
      const rows = await readScoped(db, 'system', store.listPlaces);
      const row = rows.find((each) => each.id === id && each.organisationId === client);
      const isListening = row?.state === 'active' && (row.pulledAt?.getTime() ?? 0) > clock.now() - confirmedMs;
      const newest = row?.lastEventAt ? ` Newest message: ${row.lastEventAt.toISOString()}.` : ' No message has arrived yet.';
      const detail = isListening ? `The portal listens.${newest}` : (row?.error ?? 'The portal doesn’t listen now.');
      return { results: [{ what, canRead: isListening, detail }], total: 1 };
    },
  };
}

export function createSyslogSources({ db, clock, permitted, former }: SourcesDeps): SyslogSources {
  const failed = (ids: readonly number[], error: string): Promise<void> => {
    const now = clock.now();
    const failure = { error, now: new Date(now), confirmedAfter: new Date(now - confirmedMs) };
    return scoped(db, 'system', (tx) => store.saveFailed(tx, ids, failure));
  };
  return {
    async list() {
      const rows = await readScoped(db, 'system', store.listPlaces);
      const wanted = rows
        .filter(({ state }) => state === 'active')
        .map(({ id, organisationId, settings }) => ({ id, organisationId, ...placeOf(settings) }));
      const faultAt = (port: number) => (former.includes(port) ? undefined : faultOfPort(permitted, port));
      const refused = wanted.filter(({ port }) => faultAt(port) !== undefined);
      for (const [port, each] of Map.groupBy(refused, (source) => source.port))
        await failed(
          each.map(({ id }) => id),
          faultAt(port)!,
        );
      return wanted.filter(({ port }) => faultAt(port) === undefined);
    },
    async report(each, ports) {
      for (const source of each)
        await scoped(db, { organisationIds: [source.organisationId] }, (tx) => store.addToSource(tx, source));
      const now = new Date(clock.now());
      for (const port of ports) await scoped(db, 'system', (tx) => store.addToPort(tx, port, now));
    },
    listening: (ids, warning) => scoped(db, 'system', (tx) => store.saveListening(tx, ids, warning, new Date(clock.now()))),
    failed,
  };
}
