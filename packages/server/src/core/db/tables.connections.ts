/** Tables of accounts at vendors. */
import type { ColumnType, Generated } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

export interface ConnectionTables {
  connections: {
    id: Generated<number>;
    organisation_id: number;
    kind: string;
    name: string;
    account: string;
    settings: Json<Record<string, string>>;
    secrets: Buffer;
    state: ColumnType<'active' | 'paused' | 'stopped', 'active' | undefined, 'active' | 'paused' | 'stopped'>;
    cursor: string | null;
    version: Generated<number>;
    next_at: TimeDefault;
    leased_until: Time | null;
    failures: Generated<number>;
    error: string | null;
    error_at: Time | null;
    pulled_at: Time | null;
    last_event_at: Time | null;
    lag_ms: Generated<number>;
    created_at: TimeDefault;
  };
  connection_hours: { organisation_id: number; connection_id: number; hour: Time; events: number };
}
