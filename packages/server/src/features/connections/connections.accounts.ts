/** Open accounts of connections; they keep their access tokens until their secrets change. */
import type { Account, Connector, Http } from '@parapet/connectors/connector.ts';
import { RefusedError } from '@parapet/connectors/errors.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway } from '../../core/db/scope.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import { createVault } from './connections.vault.ts';

interface AccountsDeps {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'open' | 'seal'>;
  http: Http;
  log: Log;
}

interface Sealed {
  id: number;
  organisationId: number;
  settings: Record<string, string>;
  secrets: Buffer;
}

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ db, clock, keys, http, log }: AccountsDeps) {
  const vault = createVault(db, keys);
  const secretsOf = (connection: Sealed) =>
    vault.open(connection).catch((error) => {
      if (isDatabaseAway(error)) throw error;
      log.error({ err: error, connection: connection.id }, 'secrets of a connection could not be opened');
      throw new RefusedError('The stored secrets can’t be read any longer. Replace them.');
    });
  const accounts = new Map<number, { secrets: Buffer; account: Account }>();
  return {
    /** Throws `RefusedError` for secrets that cannot be opened. */
    async open(connector: Connector, connection: Sealed): Promise<Account> {
      const { id, secrets, settings } = connection;
      const known = accounts.get(id);
      if (known?.secrets.equals(secrets)) return known.account;
      const account = connector.open({ ...settings, ...(await secretsOf(connection)) }, http, clock);
      accounts.set(id, { secrets, account });
      return account;
    },
    forget: (id: number): void => void accounts.delete(id),
  };
}
