/** The tables as Kysely sees them; the migrations decide. Times arrive as Date, `date` columns as YYYY-MM-DD. */
import type { UserData } from '@parapet/contract/auth.ts';
import type { ViewList } from '@parapet/contract/views.ts';
import type { ColumnType, Generated } from 'kysely';

type Time = ColumnType<Date, Date | string, Date | string>;
type Json<T> = ColumnType<T, string, string>;
type TimeDefault = ColumnType<Date, Date | string | undefined, Date | string>;

export interface Tables {
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
  mails: {
    id: Generated<number>;
    created_at: TimeDefault;
    organisation_id: number;
    /** Whose one-time link it carries. */
    user_id: number | null;
    kind: string;
    from_name: string;
    from_address: string;
    to_addresses: string[];
    cc_addresses: Generated<string[]>;
    subject: string;
    text: string;
    html: string;
    link: string | null;
    state: 'kept' | 'waiting' | 'sent' | 'failed';
    tries: Generated<number>;
    next_try_at: TimeDefault;
    sent_at: Time | null;
    error: Generated<string>;
  };
  users: {
    id: Generated<number>;
    organisation_id: number;
    email: string;
    first_name: string;
    last_name: string;
    role: string;
    phone_number: Generated<string>;
    password_hash: string | null;
    is_mfa_required: Generated<boolean>;
    is_mfa_set: Generated<boolean>;
    /** Sealed. */
    mfa_secret: Buffer | null;
    mfa_last_step: number | null;
    data: ColumnType<UserData, string | undefined, string>;
    is_deleted: Generated<boolean>;
    deleted_at: Time | null;
    created_at: TimeDefault;
    last_sign_in_at: Time | null;
    password_changed_at: Time | null;
    picture_version: string | null;
  };
  mfa_challenges: {
    nonce_hash: Buffer;
    organisation_id: number;
    user_id: number;
    password_hash: Buffer;
    /** Sealed; only while an authenticator app is set up. */
    new_secret: Buffer | null;
    tries: Generated<number>;
    created_at: TimeDefault;
    expires_at: Time;
    used_at: Time | null;
  };
  attempts: { kind: string; key: Buffer; at: TimeDefault };
  one_time_links: {
    token_hash: Buffer;
    organisation_id: number;
    user_id: number;
    kind: 'reset' | 'invitation' | 'register';
    created_at: TimeDefault;
    expires_at: Time;
    used_at: Time | null;
  };
  sign_on_starts: {
    state_hash: Buffer;
    organisation_id: number | null;
    browser_hash: Buffer;
    nonce: string;
    verifier: string;
    redirect_path: Generated<string>;
    expires_at: Time;
  };
  sign_on_codes: {
    code_hash: Buffer;
    organisation_id: number;
    user_id: number;
    browser_hash: Buffer;
    expires_at: Time;
    used_at: Time | null;
  };
  user_identities: { issuer: string; subject: string; organisation_id: number; user_id: number; created_at: TimeDefault };
  sessions: {
    id: string;
    organisation_id: number;
    user_id: number;
    created_at: TimeDefault;
    last_seen_at: TimeDefault;
    expires_at: Time;
    revoked_at: Time | null;
    address: Generated<string>;
    user_agent: Generated<string>;
    signed_in_at: TimeDefault;
    method: Generated<'password' | 'mfa' | 'singleSignOn'>;
  };
  api_keys: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    name: string;
    prefix: string;
    hash: Buffer;
    access: 'read' | 'readWrite';
    created_at: TimeDefault;
    expires_at: Time;
    last_used_at: Time | null;
    revoked_at: Time | null;
  };
  saved_views: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    list: ViewList;
    name: string;
    query: string;
    columns: string[];
    is_shared: Generated<boolean>;
    created_at: TimeDefault;
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
  };
  secrets: { name: string; value: Buffer };
  devices: {
    id: Generated<string>;
    organisation_id: number;
    name: string;
    device_type: string;
    /** The name in lower case, kept by the database. */
    name_key: ColumnType<string, never, never>;
    agent_version: string | null;
    agent_updated_at: Time | null;
    last_event_at: Time | null;
    created_at: TimeDefault;
  };
  tags: { id: Generated<number>; organisation_id: number; name: string; is_deleted: Generated<boolean>; created_at: TimeDefault };
  device_tags: { device_id: string; tag_id: number; organisation_id: number };
  ingest_keys: {
    id: Generated<number>;
    organisation_id: number;
    name: string;
    prefix: string;
    hash: Buffer;
    created_at: TimeDefault;
    last_used_at: Time | null;
    revoked_at: Time | null;
  };
  events: {
    organisation_id: number;
    at: Time;
    id: string;
    received_at: Time;
    /** 0 none, 1 the event's clock was ahead, -1 behind what can be believed. */
    clock_skew: number;
    shape: string;
    device_name: string | null;
    user_name: string | null;
    text: string;
    document: Json<Record<string, unknown>>;
  };
  event_keys: { organisation_id: number; id: string; seen_at: Time };
  dead_letters: { id: Generated<number>; organisation_id: number; received_at: Time; step: string; reason: string; raw: string };
  ingest_counters: { organisation_id: number; day: string; reason: string; count: number };
  rules: { id: Generated<number>; key: string; title: string; category: string; criticality: number; facts: Json<RuleFacts> };
  alerts: {
    id: Generated<number>;
    at: Time;
    organisation_id: number;
    last_at: Time;
    raised_at: Time;
    rule_id: number;
    /** 1 Informational … 5 Critical. */
    criticality: number;
    device_name: string | null;
    user_name: string | null;
    summary: string;
    fire_count: Generated<number>;
    is_new: Generated<boolean>;
    clock_skew: Generated<number>;
  };
  alert_events: {
    organisation_id: number;
    alert_id: number;
    alert_at: Time;
    event_id: string;
    event_at: Time;
    text: string;
    why: Json<Why>;
    document: Json<Record<string, unknown>>;
  };
  alert_folds: { organisation_id: number; key: string; alert_id: number; alert_at: Time; last_at: Time; copies: number };
  correlation_hits: {
    organisation_id: number;
    rule_id: number;
    group_key: string;
    at: Time;
    event_id: string;
    base_key: string;
    value: string | null;
    device_name: string | null;
    user_name: string | null;
  };
  rollup_hour_severity: { organisation_id: number; hour: Time; criticality: number; count: number };
  rollup_day_severity: { organisation_id: number; day: string; criticality: number; count: number; new_count: number };
  rollup_month_severity: { organisation_id: number; month: string; criticality: number; count: number; new_count: number };
  rollup_day_rule: { organisation_id: number; day: string; rule_id: number; count: number };
  rollup_month_rule: { organisation_id: number; month: string; rule_id: number; count: number };
  rollup_day_device: { organisation_id: number; day: string; device_name: string; count: number };
  rollup_day_user: { organisation_id: number; day: string; user_name: string; count: number };
}

/** Why a rule matched one event, as the engine explains it. */
export interface Why {
  condition: string;
  items: { selection: string; field: string | null; modifier: string; pattern: string; value: string }[];
}

/** What the alert pages show of a rule; kept in the database so that alerts outlive their rule's file. */
export interface RuleFacts {
  description: string;
  falsePositives: string[];
  references: string[];
  logSource: string;
  condition: string;
  /** ATT&CK ids the rule is tagged with, T1059.001. */
  techniques: string[];
  /** ATT&CK tactic short names the rule is tagged with, credential-access. */
  tactics: string[];
}
