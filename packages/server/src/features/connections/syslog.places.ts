/** Places of syslog, each of one connection: checked when it is added, listed for the listeners, and reported by them. */
import type { Values } from '@parapet/connectors/connector.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import { overlap, type PortRange } from '../../core/config.syslog.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Kind } from './connections.deps.ts';
import { describeSyslog, faultOfNetworks, isPermitted, placeOf, type SyslogPlace, textOfPorts } from './syslog.kind.ts';
import type { SyslogSources } from './syslog.ports.ts';
import * as store from './syslog.store.ts';

export interface PlacesDeps {
  db: Database;
  clock: Clock;
  permitted: readonly PortRange[];
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
    if (!isPermitted(permitted, place.port)) {
      const text =
        permitted.length > 0
          ? `Port ${place.port} isn’t permitted. Permitted: ${textOfPorts(permitted)}.`
          : 'No port is permitted. The operator lists ports in SYSLOG_PORTS.';
      throw problem.invalid({ 'values.port': [text] });
    }
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

export function createSyslogSources({ db, clock }: Pick<PlacesDeps, 'db' | 'clock'>): SyslogSources {
  return {
    async list() {
      const rows = await readScoped(db, 'system', store.listPlaces);
      return rows
        .filter(({ state }) => state === 'active')
        .map(({ id, organisationId, settings }) => ({ id, organisationId, ...placeOf(settings) }));
    },
    async report(each, ports) {
      for (const source of each)
        await scoped(db, { organisationIds: [source.organisationId] }, (tx) => store.addToSource(tx, source));
      const now = new Date(clock.now());
      for (const port of ports) await scoped(db, 'system', (tx) => store.addToPort(tx, port, now));
    },
    listening: (ids, warning) => scoped(db, 'system', (tx) => store.saveListening(tx, ids, warning, new Date(clock.now()))),
    failed(ids, error) {
      const now = clock.now();
      const failure = { error, now: new Date(now), confirmedAfter: new Date(now - confirmedMs) };
      return scoped(db, 'system', (tx) => store.saveFailed(tx, ids, failure));
    },
  };
}
