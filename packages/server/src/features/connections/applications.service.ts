/** Applications for consent, set by the provider's Host for the provider and for partners. Secrets are sealed for their owner. */
import type { VendorApplication as Application } from '@parapet/connectors/connector.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { VendorApplication, vendorApplicationsApi } from '@parapet/contract/vendorApplications.ts';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { BrandService } from '../brand/brand.service.ts';
import * as store from './applications.store.ts';
import { placeOfSecrets } from './connections.vault.ts';
import { callbackPath } from './consents.rules.ts';

export interface ApplicationsDeps {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'seal' | 'open'>;
  brand: Pick<BrandService, 'ofMails'>;
  requireProvidersHost(actor: Actor, action: string): void;
  /** Of the demo's simulated Microsoft, for clients without another. */
  simulatedApplication: Application | undefined;
}

export type ApplicationsService = ReturnType<typeof createApplications>;

const placeOf = (organisationId: number) =>
  ({ organisationId, column: 'vendor_applications.client_secret', id: organisationId }) as const;

export function createApplications(deps: ApplicationsDeps) {
  const { db, clock, keys, brand, requireProvidersHost, simulatedApplication } = deps;

  const list = (tx: Tx) =>
    store.listOwners(tx).then((rows) =>
      Promise.all(
        rows.map(async ({ id, name, clientId, login, updatedAt, connections }) => {
          const owner = {
            organisationID: id,
            organisationName: name,
            redirectURI: (await brand.ofMails(tx, id)).origin + callbackPath,
          };
          const application: VendorApplication | undefined =
            clientId === null || login === null || updatedAt === null
              ? undefined
              : { ...owner, clientID: clientId, login, connections: Number(connections), updatedAt: updatedAt.toISOString() };
          return { owner, application };
        }),
      ),
    );

  const read = async (tx: Tx, client: number, isLocked: boolean): Promise<Application | undefined> => {
    const row = await store.findApplication(tx, client, isLocked);
    if (!row) return simulatedApplication;
    const { organisationId, clientId, login, sealedSecret } = row;
    return { clientId, login, secret: (await keys.open(tx, placeOf(organisationId), sealedSecret)).toString() };
  };

  return {
    /** True when administrators of a client can consent. */
    offers: async (client: number): Promise<boolean> =>
      simulatedApplication !== undefined ||
      (await readScoped(db, 'system', (tx) => store.findApplication(tx, client))) !== undefined,

    /** Application for a client, with its secret; undefined for none. */
    find: (client: number): Promise<Application | undefined> => readScoped(db, 'system', (tx) => read(tx, client, false)),

    /** The same, locked against changes until the transaction ends. */
    findLocked: (tx: Tx, client: number): Promise<Application | undefined> => read(tx, client, true),

    async list(actor: Actor): Promise<AnswerOf<typeof vendorApplicationsApi.list>> {
      requireProvidersHost(actor, 'read applications for consent');
      const rows = await readScoped(db, 'system', list);
      const results = rows.flatMap(({ application }) => application ?? []);
      return { results, total: results.length, owners: rows.map(({ owner }) => owner) };
    },

    async save(
      actor: Actor,
      organisation: number,
      { clientID, secret, login }: { clientID: string; secret: string; login: string },
    ): Promise<VendorApplication> {
      requireProvidersHost(actor, 'set applications for consent');
      return scoped(db, 'system', async (tx) => {
        const owner = (await list(tx)).find((each) => each.owner.organisationID === organisation);
        if (!owner) throw problem.notFound('partner', organisation);
        const before = await store.lockApplication(tx, organisation);
        const sealed = await keys.seal(tx, placeOf(organisation), secret);
        await store.saveApplication(tx, organisation, { clientID, login, secret: sealed, now: new Date(clock.now()) });
        for (const connection of await store.listConsented(tx, clientID, login)) {
          const place = placeOfSecrets(connection.organisationId, connection.id);
          await store.replaceCopy(tx, connection, await keys.seal(tx, place, JSON.stringify({ secret })));
        }
        await publish(tx, 'connections.due', {});
        const entry = { action: 'vendorApplication.saved', organisationId: organisation, target: String(organisation) } as const;
        await recordAudit(tx, actor, { ...entry, before, after: { clientID, login } });
        return (await list(tx)).find((each) => each.owner.organisationID === organisation)!.application!;
      });
    },

    async remove(actor: Actor, organisation: number): Promise<void> {
      requireProvidersHost(actor, 'remove applications for consent');
      await scoped(db, 'system', async (tx) => {
        const before = await store.lockApplication(tx, organisation);
        if (!before) throw problem.notFound('application', organisation);
        await store.removeApplication(tx, organisation);
        const entry = {
          action: 'vendorApplication.removed',
          organisationId: organisation,
          target: String(organisation),
        } as const;
        await recordAudit(tx, actor, { ...entry, before });
      });
    },
  };
}
