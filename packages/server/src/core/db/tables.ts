/** The tables as Kysely sees them; the migrations decide. Times arrive as Date, `date` columns as YYYY-MM-DD. */
import type { UserData } from '@parapet/contract/auth.ts';
import type { Evidence } from '@parapet/contract/cases.ts';
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import type { CaseStatus, Verdict } from '@parapet/contract/rules/cases.ts';
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
    malicious_threshold: Generated<number>;
    is_ar_enabled: Generated<boolean>;
    needs_press_on_answer: Generated<boolean>;
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
    case_id: number | null;
    sent_by: number | null;
    sent_by_name: Generated<string>;
    message_id: string | null;
    /** Message-ID of the first mail of its thread. */
    thread_id: string | null;
    /** Further headers of the mail, such as List-Unsubscribe. */
    headers: ColumnType<Record<string, string>, string | undefined, string>;
    /** To whom alone this copy goes; null for all that it names. */
    envelope_to: string[] | null;
    /** Who has not got it yet, once the mail server took it for others. */
    left_to: string[] | null;
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
  correlation_queue: { organisation_id: number; alert_id: number; alert_at: Time };
  alert_entities: {
    organisation_id: number;
    kind: string;
    value: string;
    alert_at: Time;
    alert_id: number;
    /** Its device, or for a service that all share its user. */
    party: string;
    rule_id: number;
    criticality: number;
    case_id: number | null;
  };
  cases: {
    id: Generated<number>;
    organisation_id: number;
    version: Generated<number>;
    created_at: TimeDefault;
    updated_at: TimeDefault;
    title: string;
    status: ColumnType<CaseStatus, CaseStatus | undefined, CaseStatus>;
    investigation_status: Generated<number>;
    criticality: number;
    score: Generated<number>;
    percentage: Generated<number>;
    alert_count: Generated<number>;
    new_count: Generated<number>;
    first_alert_at: Time;
    last_alert_at: Time;
    /** ATT&CK tactic names, in their order in time. */
    tactics: Generated<string[]>;
    device_names: Generated<string[]>;
    user_names: Generated<string[]>;
    analyst_user_id: number | null;
    analyst_name: Generated<string>;
    analyst_email: Generated<string>;
    is_excluded: Generated<boolean>;
    acknowledged_at: Time | null;
    contained_at: Time | null;
    /** Of waited_ms, what had passed by then; null where nobody wrote it down. */
    contained_waited_ms: number | null;
    closed_at: Time | null;
    closed_by: number | null;
    closed_by_name: Generated<string>;
    waiting_since: Time | null;
    wait_expires_at: Time | null;
    waited_ms: Generated<number>;
    /** The clock whose breach was told by mail. */
    breach_told: string | null;
    verdict: Verdict | null;
    confidence: number | null;
    /** Of malicious, 0 to 1. */
    probability: number | null;
    evidence: ColumnType<Evidence[], string | undefined, string>;
    model: Generated<string>;
    decided_at: Time | null;
    needs_decision: Generated<boolean>;
    is_decision_correct: boolean | null;
    decision_notes: Generated<string>;
    summary: Generated<string>;
    mail_thread: string | null;
  };
  case_alerts: {
    organisation_id: number;
    case_id: number;
    alert_id: number;
    alert_at: Time;
    rule_id: number;
    criticality: number;
    joined_by: string;
  };
  case_artifacts: {
    organisation_id: number;
    case_id: number;
    kind: 'destinationIp' | 'sourceIp' | 'hash' | 'process' | 'user' | 'device';
    value: string;
    first_at: Time;
    last_at: Time;
    count: Generated<number>;
  };
  case_history: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    at: TimeDefault;
    /** As the kinds of the contract's timeline. */
    kind: string;
    actor_user_id: number | null;
    actor_name: Generated<string>;
    text: string;
    before: Json<unknown> | null;
    after: Json<unknown> | null;
    is_internal: Generated<boolean>;
  };
  case_notes: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    author_user_id: number;
    author_name: string;
    text: string;
    is_internal: Generated<boolean>;
    created_at: TimeDefault;
    changed_at: Time | null;
  };
  case_narratives: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    author_user_id: number | null;
    author_name: Generated<string>;
    text: string;
    is_generated: Generated<boolean>;
    started_at: TimeDefault;
    email_sent_at: Time | null;
  };
  case_reviews: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    decision_id: Generated<number>;
    analyst_user_id: number | null;
    analyst_name: Generated<string>;
    case_closed_at: Time | null;
    notes: Generated<string>;
    decided_at: Time | null;
    decided_by: number | null;
    counted_outcome: 'malicious' | 'benign' | null;
    counted_rules: Generated<number[]>;
  };
  rule_outcomes: { organisation_id: number; rule_id: number; malicious: Generated<number>; benign: Generated<number> };
  suppressions: {
    id: Generated<number>;
    organisation_id: number;
    rule_id: number | null;
    device_name: string | null;
    user_name: string | null;
    reason: string;
    owner_user_id: number;
    owner_name: string;
    created_at: TimeDefault;
    ends_at: Time;
    hidden_count: Generated<number>;
  };
  suppressed_alerts: { organisation_id: number; alert_id: number; alert_at: Time; suppression_id: number };
  intelligence_lists: { id: Generated<number>; name: string; format: string; imported_at: TimeDefault; count: Generated<number> };
  indicators: { list_id: number; kind: string; value: string; reputation: string };
  responses: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number | null;
    action: string;
    target: string;
    device_name: string | null;
    state: Generated<string>;
    is_manual: Generated<boolean>;
    requested_by: number | null;
    requested_by_name: Generated<string>;
    requested_at: TimeDefault;
    changed_at: TimeDefault;
    expires_at: Time;
    detail: Generated<string>;
  };
  response_steps: {
    id: Generated<number>;
    organisation_id: number;
    response_id: number;
    at: TimeDefault;
    state: string;
    actor_user_id: number | null;
    detail: Generated<string>;
  };
  response_flags: {
    organisation_id: number;
    kind: 'deviceIsolated' | 'deviceBlocked' | 'userDisabled';
    /** The name in lower case. */
    value_key: string;
    response_id: number;
    since: TimeDefault;
  };
  case_tasks: {
    organisation_id: number;
    case_id: number;
    task_number: number;
    action: string;
    target: string;
    device_name: Generated<string>;
    is_sent: Generated<boolean>;
    response_id: number | null;
    created_at: TimeDefault;
  };
  block_tokens: {
    token_hash: Buffer;
    organisation_id: number;
    case_id: number;
    actor_user_id: number;
    user_name: string;
    expires_at: Time;
    used_at: Time | null;
  };
  case_answer_links: {
    token_hash: Buffer;
    organisation_id: number;
    case_id: number;
    mail_id: number;
    action: string;
    recipient: string;
    created_at: TimeDefault;
    expires_at: Time;
    used_at: Time | null;
  };
  mail_subscriptions: { organisation_id: number; user_id: number; kind: SubscriptionKind; is_on: boolean };
  case_notices: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    kind: SubscriptionKind;
    /** Whom alone it concerns. */
    user_id: number | null;
    actor_user_id: number | null;
    at: Time;
  };
  bulk_jobs: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    created_at: TimeDefault;
    finished_at: Time | null;
    kind: string;
    what: Json<unknown>;
    state: Generated<string>;
    total: Generated<number>;
    changed: Generated<number>;
    skipped: Generated<number>;
    faults: ColumnType<string[], string | undefined, string>;
    actor: Json<unknown>;
  };
  bulk_changes: {
    organisation_id: number;
    job_id: number;
    object_id: number;
    object_at: Time | null;
    version_after: number | null;
    /** Null before its turn. */
    before: Json<unknown> | null;
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
