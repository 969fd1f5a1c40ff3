import type { Connector, Http } from '@parapet/connectors/connector.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { findValues } from './connections.store.ts';
import type { Values } from './connections.values.ts';

export interface ConnectionsDeps {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'seal' | 'open'>;
  http: Http;
  connectors: readonly Connector[];
  /** Values of the demo's simulated vendors, by kind. */
  examples: Readonly<Record<string, Values>>;
}

/** A connection with its kind. */
export type Stored = NonNullable<Awaited<ReturnType<typeof findValues>>> & { connector: Connector };
