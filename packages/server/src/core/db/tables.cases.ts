/** Cases: how they are made, judged and worked on. */
import type { Evidence } from '@parapet/contract/caseDetail.ts';
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import type { CaseStatus, Containment, EmailAction, Resolution, Verdict } from '@parapet/contract/rules/cases.ts';
import type { ColumnType, Generated } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

export interface CaseTables {
  correlation_queue: { organisation_id: number; alert_id: number; alert_at: Time; is_again: Generated<boolean> };
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
  identity_rules: {
    id: Generated<number>;
    organisation_id: number;
    kind: 'domain' | 'suffix' | 'account' | 'host' | 'shared' | 'bare' | 'sid';
    name: string;
    same_as: Generated<string>;
    origin: 'default' | 'learnt' | 'manual';
    reason: string;
    is_active: Generated<boolean>;
    created_at: TimeDefault;
    changed_at: TimeDefault;
    changed_by_name: Generated<string>;
  };
  /** User names of alerts with the identity that the rules make of each. */
  identity_names: {
    organisation_id: number;
    user_name: string;
    account: Generated<string>;
    identity: string;
    shown_name: string;
    is_stale: Generated<boolean>;
  };
  entity_parties: {
    organisation_id: number;
    kind: string;
    value: string;
    party: string;
    first_at: Time;
    last_at: Time;
    days: Generated<number>;
  };
  case_merges: {
    id: Generated<number>;
    organisation_id: number;
    /** The case that is no more while the state is merged. */
    case_id: number;
    into_case_id: number;
    alert_id: number;
    reason: string;
    state: 'merged' | 'related' | 'split';
    at: Time;
    /** The row of the merged case. */
    snapshot: Json<Record<string, unknown>>;
    history: Json<{ at: string; kind: string; text: string }[]>;
    alerts: Json<{ id: number; at: string; joinedBy: string }[]>;
    split_at: Time | null;
    split_by_name: Generated<string>;
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
    acknowledged_by: number | null;
    acknowledged_by_name: Generated<string>;
    acknowledged_channel: 'portal' | 'api' | 'slack' | null;
    contained_at: Time | null;
    /** Part of waited_ms that had passed by then; null when not recorded. */
    contained_waited_ms: number | null;
    /** Reason for which the containment timer stopped. */
    containment: Containment | null;
    resolution: Resolution | null;
    resolution_reason: string | null;
    client_question_at: Time | null;
    client_answer: EmailAction | null;
    client_answered_at: Time | null;
    client_answer_seen_at: Time | null;
    closed_at: Time | null;
    closed_by: number | null;
    closed_by_name: Generated<string>;
    waiting_since: Time | null;
    wait_expires_at: Time | null;
    waited_ms: Generated<number>;
    /** SLA timer whose breach was reported by email. */
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
    kind: 'destinationIp' | 'sourceIp' | 'domain' | 'hash' | 'file' | 'process' | 'user' | 'device';
    value: string;
    first_at: Time;
    last_at: Time;
    count: Generated<number>;
    decoded_from: string | null;
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
  shared_indicators: {
    id: Generated<string>;
    organisation_id: number;
    case_id: number;
    kind: 'ip' | 'domain' | 'hash';
    value: string;
    reputation: 'Malicious' | 'Suspicious';
    first_at: Time;
    added_at: TimeDefault;
  };
  case_proposals: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    kind: 'note' | 'response';
    text: string;
    is_internal: Generated<boolean>;
    request: Json<Record<string, unknown>> | null;
    proposed_by: number | null;
    proposed_by_name: string;
    proposed_at: Time;
    state: Generated<'open' | 'accepted' | 'dismissed'>;
    decided_by: number | null;
    decided_at: Time | null;
  };
  case_notes: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    author_user_id: number | null;
    author_name: string;
    text: string;
    is_internal: Generated<boolean>;
    created_at: TimeDefault;
    changed_at: Time | null;
    source: string | null;
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
  exceptions: {
    id: Generated<number>;
    organisation_id: number;
    kind: 'exception' | 'suppression';
    /** Of exceptions. */
    rule_key: Generated<string | null>;
    yaml: Generated<string | null>;
    /** Of suppressions. */
    rule_id: Generated<number | null>;
    device_name: Generated<string | null>;
    user_name: Generated<string | null>;
    reason: string;
    owner_user_id: number | null;
    owner_name: string;
    created_at: TimeDefault;
    ends_at: Time;
    hidden_count: Generated<number>;
  };
  suppressed_alerts: { organisation_id: number; alert_id: number; alert_at: Time; suppression_id: number };
  responses: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number | null;
    action: string;
    target: string;
    device_name: string | null;
    state: Generated<string>;
    is_manual: Generated<boolean>;
    is_by_vendor: Generated<boolean>;
    requested_by: number | null;
    requested_by_name: Generated<string>;
    requested_at: TimeDefault;
    changed_at: TimeDefault;
    expires_at: Time;
    detail: Generated<string>;
    agent_id: number | null;
    note: Generated<string>;
    expected_name: Generated<string>;
    approvals_needed: Generated<number>;
    approver_kind: 'client' | 'partner' | 'provider' | null;
    rule_text: Generated<string>;
    approve_until: Date | null;
    approvers_told_at: Date | null;
    silence: Generated<'expire' | 'approve'>;
    release_hours: number | null;
    release_at: Date | null;
    undoes_id: number | null;
  };
  response_steps: {
    id: Generated<number>;
    organisation_id: number;
    response_id: number;
    at: TimeDefault;
    state: string;
    actor_user_id: number | null;
    actor_name: Generated<string>;
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
}
