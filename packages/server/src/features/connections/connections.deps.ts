import type { Connector, Described, Http } from '@parapet/connectors/connector.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { findValues } from './connections.store.ts';
import type { Tested, Values } from './connections.values.ts';

/** A kind of connection with what the portal does for it. */
export interface Kind extends Described {
  isPush: boolean;
  /** Throws a `Problem` where the actor may not add a connection with these values. */
  requireAllowed?(actor: Pick<Actor, 'organisationId'>, values: Values): void;
  /** Throws a `Problem` where the values are refused. @param id of a stored connection */
  tryOut(client: number, values: Values, id?: number): Promise<Tested>;
  /** Runs in the portal's own scope, in the transaction that adds a connection. Throws a `Problem` where its place is taken. */
  claim?(tx: Tx, client: number, values: Values): Promise<void>;
}

export interface ConnectionsDeps {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'seal' | 'open'>;
  http: Http;
  connectors: readonly Connector[];
  /** Kinds whose devices send to the portal. */
  pushKinds: readonly Kind[];
  /** Values of the demo's simulated vendors, by kind. */
  examples: Readonly<Record<string, Values>>;
}

/** A connection with its kind. */
export type Stored = NonNullable<Awaited<ReturnType<typeof findValues>>> & { connector: Kind };
