/** Tables of the access log: accesses of staff to the data of clients. */
import type { Generated, GeneratedAlways } from 'kysely';
import type { Time } from './columns.ts';

export interface ClientAccessLogTables {
  access_shifts: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    user_id: number;
    started_at: Time;
    until: Time;
    reason: string | null;
    reason_text: Generated<string>;
  };
  access_looks: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    user_id: number | null;
    person_name: string;
    person_organisation_name: string;
    view: string;
    first_at: Time;
    last_at: Time;
    until: Time;
    looks: number;
    kinds: string[];
    channels: string[];
    is_opened: boolean;
    reason: string | null;
    reason_text: Generated<string>;
    /** Of closed entries. */
    sealed_at: Time | null;
    seal_salt: string | null;
  };
}
