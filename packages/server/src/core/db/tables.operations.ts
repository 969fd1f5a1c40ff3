/** Tables of backups and restores. */
import type { Generated } from 'kysely';
import type { Time, TimeDefault } from './columns.ts';

export interface OperationsTables {
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
