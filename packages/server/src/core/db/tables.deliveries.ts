/** Tables of outbound deliveries. */
import type { Generated } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

export interface DeliveryTables {
  delivery_targets: {
    id: Generated<number>;
    organisation_id: number;
    kind: string;
    name: string;
    settings: Json<Record<string, string>>;
    secrets: Buffer;
    follows: boolean;
    is_paused: Generated<boolean>;
    quiet_zone: string | null;
    quiet_from: Generated<number>;
    quiet_to: Generated<number>;
    version: Generated<number>;
    leased_until: Time | null;
    failures: Generated<number>;
    error: string | null;
    error_at: Time | null;
    failing_since: Time | null;
    accepted_at: Time | null;
    last_ms: Generated<number>;
    callback_address: Generated<string | null>;
    created_at: TimeDefault;
  };
  callback_receipts: {
    target_id: number;
    organisation_id: number;
    proof: Buffer;
    received_at: Time;
  };
  chat_accounts: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    owner_id: number;
    kind: string;
    workspace_id: string;
    account_id: string;
    account_name: string;
    linked_at: Time;
  };
  push_subscriptions: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    endpoint_hash: Buffer;
    subscription: Buffer;
    service: string;
    user_agent: string;
    failures: Generated<number>;
    error: Generated<string | null>;
    accepted_at: Generated<Date | null>;
    created_at: TimeDefault;
  };
  push_receipts: {
    delivery_id: number;
    subscription_id: number;
    organisation_id: number;
  };
  on_call_shifts: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    place: number;
    zone: string;
    days: number[];
    from_minute: number;
    to_minute: number;
  };
  on_call_overrides: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    place: number;
    starts: Time;
    ends: Time;
  };
  on_call_notes: {
    id: Generated<number>;
    organisation_id: number;
    author_user_id: number | null;
    author_name: string;
    text: string;
    written_at: Time;
  };
  delivery_rules: {
    id: Generated<number>;
    organisation_id: number;
    target_id: number;
    client_id: number | null;
    is_on: Generated<boolean>;
    events: string[];
    min_criticality: Generated<number>;
    with_events: Generated<boolean>;
    digest_minutes: Generated<number>;
    verdicts: Generated<string[]>;
    statuses: Generated<string[]>;
    after_minutes: Generated<number>;
    zone: string | null;
    days: Generated<number[]>;
    from_minute: Generated<number>;
    to_minute: Generated<number>;
    created_at: TimeDefault;
  };
  delivery_escalations: {
    rule_id: number;
    organisation_id: number;
    target_id: number;
    after_minutes: number;
  };
  deliveries: {
    id: Generated<number>;
    organisation_id: number;
    target_id: number;
    client_id: number;
    event: string;
    subject: string;
    object_id: number;
    key: string;
    facts: Json<Record<string, unknown>>;
    actor_user_id: number | null;
    event_at: Time;
    message_id: Generated<string>;
    message: Json<unknown> | null;
    state: Generated<'queued' | 'sent' | 'accepted' | 'failed' | 'givenUp' | 'notNeeded'>;
    attempts: Generated<number>;
    queue_at: Time;
    unless_acknowledged: Generated<boolean>;
    is_digest: Generated<boolean>;
    digest_id: number | null;
    next_at: Time;
    expires_at: Time;
    sent_at: Time | null;
    accepted_at: Time | null;
    accepted_id: string | null;
    accepted_url: string | null;
    words: string | null;
    request: string | null;
    answer: string | null;
    answer_status: number | null;
    created_at: TimeDefault;
  };
  ticket_setups: {
    target_id: number;
    organisation_id: number;
    setup: Json<unknown>;
    read_until: Time;
    next_at: Time;
    polled_at: Time | null;
    not_before: Time | null;
    failures: Generated<number>;
    error: string | null;
  };
  ticket_companies: {
    target_id: number;
    organisation_id: number;
    client_id: number;
    company_id: string;
    company_name: string;
  };
  case_tickets: {
    id: Generated<number>;
    organisation_id: number;
    target_id: number;
    client_id: number;
    case_id: number;
    ticket_id: string;
    url: string;
    status: string;
    synced_at: Time;
    checked_at: Time;
    conflict: string | null;
    conflict_at: Time | null;
    deleted_at: Time | null;
  };
  case_ticket_notes: {
    case_ticket_id: number;
    organisation_id: number;
    note_id: string;
  };
}
