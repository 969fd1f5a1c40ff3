/** Takes the setting SYSLOG into connections at the start. An entry becomes a connection once; later the connection alone counts. */
import { Problem } from '@parapet/contract/problem.ts';
import { isWithin } from '../../core/address-ranges.ts';
import { bitsOf, type SyslogTcp, type SyslogUdp } from '../../core/config.syslog.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { hasOrganisation } from '../../domain/organisations.ts';
import { insertConnection, newConnectionId } from './connections.store.ts';
import { createVault } from './connections.vault.ts';
import { describeSyslog, type SyslogPlace, syslogKind, valuesOf } from './syslog.kind.ts';
import { requirePlace } from './syslog.places.ts';
import { findOverlap, insertNetwork, listUnlisted, lockPlaces, recordImport } from './syslog.store.ts';

interface ImportDeps {
  db: Database;
  keys: Pick<Keys, 'seal' | 'open'>;
  log: Log;
}

export interface SyslogEntry {
  organisationId: number;
  place: SyslogPlace;
}

/** Widest networks first, so that each lies in the one listed before. One that lies in another of its port is left out: both are of one organisation. */
export function entriesOf(tcp: readonly SyslogTcp[], udp: readonly SyslogUdp[]): SyslogEntry[] {
  const ofTcp = tcp.map(
    ({ port, organisationId }): SyslogEntry => ({ organisationId, place: { transport: 'tcp', port, networks: [] } }),
  );
  const ofUdp: SyslogEntry[] = [];
  const senders = udp.flatMap(({ port, senders: each }) => each.map((sender) => ({ port, ...sender })));
  const bits = ({ network }: { network: string | undefined }) => (network === undefined ? 0 : bitsOf(network));
  for (const { port, organisationId, network } of senders.sort((one, other) => bits(one) - bits(other))) {
    const networks = network === undefined ? [] : [network];
    const isContained = ofUdp.some(({ place }) => place.port === port && networks.some((each) => isIn(each, place.networks)));
    if (!isContained) ofUdp.push({ organisationId, place: { transport: 'udp', port, networks } });
  }
  return [...ofTcp, ...ofUdp];
}

const isIn = (network: string, wider: readonly string[]): boolean => isWithin(network.split('/', 1)[0] as string, wider);

/** Returns the entries whose organisation does not exist yet. */
export async function importEntries(deps: ImportDeps, entries: readonly SyslogEntry[]): Promise<SyslogEntry[]> {
  const waiting: SyslogEntry[] = [];
  for (const entry of entries) if (!(await importOne(deps, entry))) waiting.push(entry);
  return waiting;
}

async function importOne({ db, keys, log }: ImportDeps, entry: SyslogEntry): Promise<boolean> {
  const { organisationId, place } = entry;
  const values = valuesOf(place);
  const account = describeSyslog([]).accountOf(values);
  if (!(await scoped(db, 'system', (tx) => hasOrganisation(tx, organisationId)))) return false;
  try {
    const id = await scoped(db, 'system', newConnectionId);
    const secrets = await createVault(db, keys).seal(organisationId, id, {});
    await scoped(db, 'system', async (tx) => {
      await lockPlaces(tx);
      if (!(await recordImport(tx, `${account}=${organisationId}`))) return;
      await listNetwork(tx, entry);
      await requirePlace(tx, organisationId, place);
      const described = { kind: syslogKind, name: `Syslog ${account}`, account, mayAct: false };
      if (!(await insertConnection(tx, { id, organisationId, ...described, settings: { ...values }, secrets })))
        throw new Problem('conflict', `A connection named "${described.name}" exists.`);
      const change = { action: 'connection.created', target: String(id), after: described } as const;
      await recordAudit(tx, systemAuditor(organisationId), { ...change, organisationId });
      log.info(
        { organisationId, entry: account },
        'an entry of SYSLOG became a connection; it can be removed once SYSLOG_PORTS lists its port',
      );
    });
  } catch (error) {
    const text = 'an entry of SYSLOG became no connection; tried again at the next start';
    if (error instanceof Problem) log.warn({ organisationId, entry: account, reason: error.message }, text);
    else log.error({ organisationId, entry: account, err: error }, text);
  }
  return true;
}

/** The operator's setting lists the network, as the Host does on the page. */
async function listNetwork(tx: Tx, { organisationId, place: { networks } }: SyslogEntry): Promise<void> {
  for (const network of await listUnlisted(tx, organisationId, networks)) {
    const other = await findOverlap(tx, network);
    if (other) throw new Problem('conflict', `${network} overlaps ${other.network}, which is listed.`);
    await insertNetwork(tx, organisationId, network);
  }
}
