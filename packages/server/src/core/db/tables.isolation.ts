/** Tables of the trials of isolation. */
import type { GeneratedAlways } from 'kysely';
import type { Time } from './columns.ts';

export interface IsolationTables {
  isolation_pairs: {
    organisation_id: number;
    actor_organisation_id: number;
    tried_at: Time;
    attempts: number;
    refused: number;
    found: number;
    failed: string[];
  };
  isolation_findings: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    actor_organisation_id: number;
    found_at: Time;
    operation: string;
    how: 'answered' | 'content' | 'changed';
  };
}
