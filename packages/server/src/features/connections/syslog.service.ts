/** Networks of syslog senders, which the provider's Host lists, and ports with input that belongs to no connection. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { SyslogNetwork, syslogApi } from '@parapet/contract/syslog.ts';
import { publish } from '../../core/bus.ts';
import { isNetwork, overlap } from '../../core/config.syslog.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { placeOf, textOfPorts } from './syslog.kind.ts';
import { createSyslogKind, createSyslogSources, type SourcesDeps } from './syslog.places.ts';
import * as store from './syslog.store.ts';

export interface SyslogDeps extends SourcesDeps {
  requireProvidersHost(actor: Actor, action: string): void;
}

export type SyslogService = ReturnType<typeof createSyslogService>;

export function createSyslogService(deps: SyslogDeps) {
  const { db, permitted, requireProvidersHost } = deps;
  return {
    kind: createSyslogKind(deps),
    sources: createSyslogSources(deps),

    async get(actor: Actor): Promise<AnswerOf<typeof syslogApi.get>> {
      requireProvidersHost(actor, 'read networks of syslog');
      return readScoped(db, 'system', async (tx) => {
        const networks = (await store.listNetworks(tx)).map(shownNetwork);
        const ports = (await store.listPorts(tx)).map(({ unknownAt, ...row }) => ({
          ...row,
          unknownAt: unknownAt?.toISOString() ?? null,
        }));
        return {
          permitted: textOfPorts(permitted),
          networks: { results: networks, total: networks.length },
          ports: { results: ports, total: ports.length },
        };
      });
    },

    async addNetwork(actor: Actor, { client, network }: { client: number; network: string }): Promise<SyslogNetwork> {
      requireProvidersHost(actor, 'list networks of syslog');
      scopeFor(actor, client);
      if (!isNetwork(network)) throw problem.invalid({ network: ['Enter an address or a network, such as 192.0.2.0/24.'] });
      return scoped(db, 'system', async (tx) => {
        await store.lockPlaces(tx);
        const other = await store.findOverlap(tx, network);
        if (other) throw problem.invalid({ network: [`${other.network} is listed already. Networks never overlap.`] });
        const row = await store.insertNetwork(tx, client, network);
        const after = { network: row.network };
        const entry = { action: 'syslogNetwork.added', organisationId: client, target: String(row.id), after } as const;
        await recordAudit(tx, actor, entry);
        return shownNetwork(row);
      });
    },

    async removeNetwork(actor: Actor, id: number): Promise<Record<string, never>> {
      requireProvidersHost(actor, 'remove networks of syslog');
      await scoped(db, 'system', async (tx) => {
        await store.lockPlaces(tx);
        const row = (await store.listNetworks(tx)).find((each) => each.id === id);
        if (!row) throw problem.notFound('network', id);
        const user = (await store.listPlaces(tx)).find(({ settings }) =>
          placeOf(settings).networks.some((network) => overlap(network, row.network)),
        );
        if (user) throw problem.conflict(`The connection "${user.name}" uses this network. Remove the connection first.`);
        await store.removeNetwork(tx, id);
        const { organisationId, network } = row;
        const entry = { action: 'syslogNetwork.removed', organisationId, target: String(id), before: { network } } as const;
        await recordAudit(tx, actor, entry);
        await publish(tx, 'syslog.changed', {});
      });
      return {};
    },
  };
}

const shownNetwork = ({ organisationId, createdAt, ...row }: store.NetworkRow): SyslogNetwork => ({
  ...row,
  clientOrganizationID: organisationId,
  createdAt: createdAt.toISOString(),
});
