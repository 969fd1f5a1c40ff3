/** Tables of billing. */
import type { Generated, GeneratedAlways } from 'kysely';
import type { Time } from './columns.ts';

export interface BillingTables {
  ingest_bytes: {
    organisation_id: number;
    day: string;
    bytes: number;
  };
  billing_months: {
    organisation_id: number;
    month: string;
    level: number;
    servers: number;
    workstations: number;
    users: number | null;
    mailboxes: number | null;
    bytes: number;
    counted_at: Time;
    closed_at: Time | null;
  };
  billing_items: {
    organisation_id: number;
    month: string;
    key: string;
    kind: 'server' | 'workstation' | 'user';
    name: string;
    sources: string[];
    has_mailbox: Generated<boolean>;
    first_day: string;
    last_day: string;
  };
  billing_corrections: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    month: string;
    measure: 'servers' | 'workstations' | 'users' | 'mailboxes' | 'gigabytes';
    amount: number;
    reason: string;
    created_by: number | null;
    created_by_name: string;
    created_at: Time;
  };
  billing_lines: {
    target_id: number;
    organisation_id: number;
    client_id: number;
    measure: string;
    agreement_id: string;
    item_id: string;
    label: string;
  };
  billing_writes: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    target_id: number;
    client_id: number;
    month: string;
    measure: string;
    quantity: number;
    delivery_id: number | null;
    confirmed_by: number | null;
    confirmed_by_name: string;
    confirmed_at: Time;
  };
}
