/** Keys of a database whose portal runs with a SECRET_KEY, for tests and benchmarks that read them directly. */
import type { Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { type Keys, openKeys } from '../src/core/keys/keys.ts';
import { masterKeyOf } from '../src/core/keys/master.ts';
import { putLinksBack } from '../src/features/outbox/outbox.links.ts';
import { sealedColumns } from '../src/sealed-columns.ts';

export { sealedColumns };

export const secretKey = 'a secret of the tests, long enough to be one';

export const keysOf = (db: Database, key = secretKey): Promise<Keys> =>
  openKeys({ db, columns: sealedColumns, master: masterKeyOf(key) });

export const sharedSecret = async (db: Database, name: string, key = secretKey): Promise<Buffer> =>
  (await keysOf(db, key)).shared(name);

/** Placeholder of a sealed link in stored emails, and its form. */
export const sealedLink = /\(sealed link [0-9a-f]{32}\)/;

interface StoredMail {
  organisation_id: number;
  message_id: string | null;
  text: string;
  html: string;
  headers: Record<string, string>;
  sealed_links: Buffer | null;
}

/** Stored emails as delivered, with unsealed links. */
export const asDelivered = <M extends StoredMail>(db: Database, keys: Keys, mails: readonly M[]): Promise<M[]> =>
  scoped(db, 'system', async (tx) => {
    const delivered: M[] = [];
    for (const mail of mails) {
      const { organisation_id: organisationId, message_id: id, sealed_links: sealed } = mail;
      const place = { organisationId, column: 'mails.sealed_links', id: id ?? '' } as const;
      const links = sealed && JSON.parse((await keys.open(tx, place, sealed)).toString());
      delivered.push(links ? { ...mail, ...putLinksBack(mail, links) } : mail);
    }
    return delivered;
  });
