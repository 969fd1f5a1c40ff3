/** Fixture of user tests: a partner with its brand, a new client before each test, and requests. */
import { usersApi } from '@parapet/contract/users.ts';
import { sql } from 'kysely';
import { scoped } from '../src/core/db/scope.ts';
import { type TestUser, testApp, waitingMails } from './app.ts';

export const password = 'Vexing-Otter-48-Plinth';

export async function usersWorld() {
  const t = await testApp(waitingMails);
  const partner = await t.organisation({ isPartner: true, name: 'Harbour Cyber' });
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('brands')
      .values({
        organisation_id: partner,
        sub_domain: 'harbour',
        name: 'Harbour Cyber',
        self_hosted_domain: null,
        logo_light_version: null,
        logo_dark_version: null,
        favicon_version: null,
      })
      .execute(),
  );
  const host = await t.user({ organisationId: await t.organisation({ id: 1, isPartner: true }), role: 'Host' });
  const otherClient = await t.organisation();
  /** A separate client and its administrators. */
  const aClient = async () => {
    const client = await t.organisation({ parentId: partner, name: 'Ackermann Tools' });
    const admin = await t.user({ organisationId: client, role: 'Administrator' });
    const partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
    return { client, admin, partnerAdmin };
  };

  const get = (id: number, user: TestUser, clientId = user.organisationId) =>
    t.call(usersApi.get, { params: { clientId, userId: id } }, user);

  const stored = (id: number) =>
    scoped(t.db, 'system', (tx) => tx.selectFrom('users').where('id', '=', id).selectAll().executeTakeFirstOrThrow());
  const mails = (address: string) =>
    scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('mails')
        .where(sql<boolean>`to_addresses = ${[address]}::text[]`)
        .orderBy('id')
        .selectAll()
        .execute(),
    );
  const actionsOn = async (id: number) => {
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').where('target', '=', String(id)).orderBy('id').selectAll().execute(),
    );
    return rows.map(({ action, before, after, actor_user_id }) => ({ action, before, after, by: actor_user_id }));
  };
  const isSignedIn = async (user: TestUser) => (await get(user.id, user)).statusCode === 200;
  const setUser = (id: number, fields: Record<string, unknown>) =>
    scoped(t.db, 'system', (tx) => tx.updateTable('users').set(fields).where('id', '=', id).execute());
  /** Sets the user’s last proof of identity, with MFA, to `minutes` ago. */
  const ageSession = (user: TestUser, minutes: number) => {
    const at = new Date(Date.now() - minutes * 60_000);
    return scoped(t.db, 'system', (tx) =>
      tx.updateTable('sessions').set({ proven_at: at, second_factor_at: at }).where('user_id', '=', user.id).execute(),
    );
  };
  return { t, partner, host, otherClient, aClient, get, stored, mails, actionsOn, isSignedIn, setUser, ageSession };
}
