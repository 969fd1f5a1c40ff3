/** Tables of backups and restores, processes and capacity. */
import type { Generated } from 'kysely';
import type { Time, TimeDefault } from './columns.ts';

export interface OperationsTables {
  processes: {
    id: string;
    host: string;
    pid: number;
    roles: string[];
    version: string;
    node: string;
    is_safe_mode: boolean;
    started_at: Time;
    seen_at: TimeDefault;
    /** JSON. */
    figures: string;
  };
  capacity_days: {
    /** YYYY-MM-DD */
    day: string;
    database_bytes: number;
    free_bytes: number;
    size_bytes: number;
  };
  backup_runs: {
    id: Generated<number>;
    kind: 'base' | 'verification';
    started_at: Time;
    ended_at: Time;
    bytes: Generated<number>;
    error: Generated<string>;
    note: Generated<string>;
  };
  backup_state: {
    is_only: Generated<boolean>;
    archived_until: Time | null;
    target: Generated<string>;
    error: Generated<string>;
    requested_at: Time | null;
  };
  restorations: {
    id: Generated<number>;
    restored_at: TimeDefault;
    restored_to: Time;
    released_at: Time | null;
    released_by: number | null;
    released_by_name: Generated<string>;
  };
}
