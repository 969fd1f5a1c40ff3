/** Organisations, their brands and mails, and what the installation keeps for itself. */
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import type { Visibility } from '@parapet/contract/visibility.ts';
import type { ColumnType, Generated } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

export interface OrganisationTables {
  organisations: {
    id: Generated<number>;
    name: string;
    is_partner: Generated<boolean>;
    parent_id: number | null;
    created_at: TimeDefault;
    deactivated_at: Time | null;
    phone_number: Generated<string>;
    email_address: Generated<string>;
    website_url: Generated<string>;
    industry: Generated<string>;
    street: Generated<string>;
    suite: Generated<string>;
    city: Generated<string>;
    state: Generated<string>;
    zip_code: Generated<string>;
    subscription_level_id: Generated<number>;
    general_alert_notes: Generated<string>;
    alert_playbook: Generated<string>;
    alert_types: Generated<string[]>;
    is_mfa_compulsory: Generated<boolean>;
    allows_first_match_by_email: Generated<boolean>;
    alert_retention_months: number | null;
    event_retention_days: number | null;
    archive_months: number | null;
    /** Start of its erasure; it never becomes active again. */
    erased_at: Time | null;
    /** Start of a legal hold; null without one. */
    held_since: Time | null;
    held_reason: Generated<string>;
    held_by: number | null;
    held_by_name: Generated<string>;
    malicious_threshold: Generated<number>;
    minutes_per_alert: Generated<number>;
    minutes_per_case: Generated<number>;
    is_ar_enabled: Generated<boolean>;
    needs_press_on_answer: Generated<boolean>;
    time_zone: Generated<string>;
  };
  /** A partner's single sign-on; the secret is sealed. */
  identity_providers: { organisation_id: number; issuer: string; client_id: string; client_secret: Buffer | null };
  emergency_contacts: {
    id: Generated<number>;
    organisation_id: number;
    position: number;
    name: string;
    title: string;
    phone_number: string;
    email_address: string;
    hours: string;
  };
  escalation_addresses: { id: Generated<number>; organisation_id: number; email_type: 'to' | 'cc'; email_address: string };
  brands: {
    organisation_id: number;
    sub_domain: string;
    name: string;
    description: Generated<string>;
    contact: Generated<string>;
    help_url: Generated<string>;
    title: Generated<string>;
    self_hosted_domain: string | null;
    accent_light: Generated<string>;
    accent_dark: Generated<string>;
    mail_sender_name: Generated<string>;
    mail_sender_address: Generated<string>;
    mail_footer: Generated<string>;
    pdf_footer: Generated<string>;
    /** Each changes when its image does; null where there is none. */
    logo_light_version: string | null;
    logo_dark_version: string | null;
    favicon_version: string | null;
  };
  setup_confirmations: { organisation_id: number; step: 'backup' | 'hidden'; user_id: number; at: TimeDefault };
  domains: {
    organisation_id: number;
    domain: string;
    token: string;
    created_at: TimeDefault;
    verified_at: Time | null;
    vouched_by: number | null;
    failing_since: Time | null;
    accepted_until: Time | null;
    noticed_at: Time | null;
    checked_at: Time | null;
    error: Generated<string>;
  };
  mails: {
    id: Generated<number>;
    created_at: TimeDefault;
    organisation_id: number;
    /** User of its one-time link. */
    user_id: number | null;
    kind: string;
    from_name: string;
    from_address: string;
    to_addresses: string[];
    cc_addresses: Generated<string[]>;
    subject: string;
    text: string;
    html: string;
    state: 'kept' | 'waiting' | 'sent' | 'failed';
    tries: Generated<number>;
    next_try_at: TimeDefault;
    sent_at: Time | null;
    error: Generated<string>;
    case_id: number | null;
    sent_by: number | null;
    sent_by_name: Generated<string>;
    message_id: string | null;
    /** Message-ID of the first email of its thread. */
    thread_id: string | null;
    /** Further headers of the email, such as List-Unsubscribe. */
    headers: ColumnType<Record<string, string>, string | undefined, string>;
    /** Only recipients of this copy; null for all that it names. */
    envelope_to: string[] | null;
    /** Remaining recipients, once the mail server accepted it for others. */
    left_to: string[] | null;
    attachments: ColumnType<{ key: string; name: string; type: string }[], string | undefined, string>;
    /** From placeholder to link; null where it carries none, and once they are cut. */
    sealed_links: Buffer | null;
    /** SHA-256 of each link that it carried. */
    link_hashes: Generated<Buffer[]>;
  };
  audit: {
    id: Generated<number>;
    at: TimeDefault;
    organisation_id: number;
    actor_user_id: number | null;
    actor_organisation_id: number | null;
    action: string;
    target: Generated<string>;
    before: Json<unknown> | null;
    after: Json<unknown> | null;
    address: Generated<string>;
    visibility: ColumnType<Visibility, Visibility | undefined, never>;
  };
  /** Written by `seal_audit` alone. */
  audit_chain: {
    organisation_id: number;
    position: number;
    audit_id: number;
    salt: Buffer;
    hash: Buffer;
    sealed_at: TimeDefault;
    /** Of an entry whose content was erased. */
    erased_leaf: Buffer | null;
  };
  audit_checkpoints: {
    id: Generated<number>;
    organisation_id: number;
    position: number;
    hash: Buffer;
    count: number;
    through: Date;
    at: Date;
    public_key: Buffer;
    signature: Buffer;
    is_kept: Generated<boolean>;
  };
  audit_verifications: { organisation_id: number; at: Date; position: number; broken: Json<object> | null };
  secrets: { name: string; value: Buffer };
  data_keys: {
    id: Generated<number>;
    /** null: of the installation. */
    organisation_id: number | null;
    wrapped: Buffer;
    /** Names the master key that it is wrapped by. */
    master: string;
    created_at: TimeDefault;
    retired_at: Time | null;
  };
  /** One row. */
  installation_settings: {
    id: Generated<boolean>;
    is_single_operator: Generated<boolean>;
    /** Limits for what clients choose; null for the portal’s default. */
    event_days_min: Generated<number>;
    event_days_max: number | null;
    archive_months_max: Generated<number>;
    changed_by: number | null;
    changed_by_name: Generated<string>;
    changed_at: TimeDefault;
  };
  /** Requests about the data of a client, decided by a second person. */
  retention_requests: {
    id: Generated<number>;
    organisation_id: number;
    kind: 'hold' | 'lift' | 'erase';
    reason: string;
    requested_by: number | null;
    requested_by_name: string;
    requested_at: Time;
    expires_at: Time;
    state: Generated<'waiting' | 'confirmed' | 'refused' | 'expired'>;
    decided_by: number | null;
    decided_by_name: Generated<string>;
    decided_at: Time | null;
  };
  erasures: {
    organisation_id: number;
    request_id: number;
    client_name: string;
    started_at: Time;
    audit_through: number;
    planned_at: Time | null;
    finished_at: Time | null;
    certificate: Json<object> | null;
  };
  erasure_parts: { organisation_id: number; name: string; rows: number; bytes: number };
  erasure_files: { organisation_id: number; key: string; bytes: number | null; is_removed: Generated<boolean> };
  mail_subscriptions: { organisation_id: number; user_id: number; kind: SubscriptionKind; is_on: boolean };
}
