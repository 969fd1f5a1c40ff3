/** From the event to the alert, and what is counted of both. */
import type { RuleConfidence, RuleGuidance } from '@parapet/contract/alerts.ts';
import type { EventExport, ExportFormat } from '@parapet/contract/eventExports.ts';
import type { ColumnType, Generated } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

export interface DetectionTables {
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
    merged_into: string | null;
    merged_at: Date | null;
    /** Rule that merged it, with what it found equal; null for a person's decision. */
    merged_rule: 'serial' | 'cloud' | 'directory' | 'name' | null;
    merged_value: string | null;
    silent_since: Date | null;
    quiet_from: Date | null;
    stale_at: Date | null;
    silent_at: Date | null;
  };
  device_sources: { organisation_id: number; device_id: string; log_source: string; last_at: Time };
  /** Fields that events of a kind arrive with. */
  field_sightings: {
    organisation_id: number;
    source: string;
    code_field: string;
    code: string;
    first_at: Time;
    last_at: Time;
    sampled: number;
    fields: Json<[string, number | null, number, number, number][]>;
    missing: string[];
    unknown: string[];
    /** Hash of missing and unknown. */
    state: string;
  };
  tags: { id: Generated<number>; organisation_id: number; name: string; is_deleted: Generated<boolean>; created_at: TimeDefault };
  device_separations: { organisation_id: number; device_id: string; other_id: string };
  device_tags: { device_id: string; tag_id: number; organisation_id: number; tagged_at: TimeDefault };
  ingest_keys: {
    id: Generated<number>;
    organisation_id: number;
    name: string;
    prefix: string;
    hash: Buffer;
    created_at: TimeDefault;
    last_used_at: Time | null;
    revoked_at: Time | null;
    created_by_api_key_id: number | null;
  };
  event_blocks: {
    /** Random: names a block across databases. */
    id: string;
    organisation_id: number;
    first_at: Time;
    last_at: Time;
    first_received_at: Time;
    last_received_at: Time;
    count: number;
    minutes: Buffer;
    devices: string[] | null;
    tokens: Buffer;
    ids: Buffer;
    body: Buffer;
    /** Of a block that was brought back from the archive. */
    archive_file_id: number | null;
    /** True until a merge takes it up. */
    is_recent: boolean;
  };
  /** Files that are being written. */
  archive_writes: { key: string; organisation_id: number; day: string };
  /** Archived days brought back for a case. */
  recalls: {
    id: Generated<number>;
    organisation_id: number;
    case_id: number;
    first_day: string;
    last_day: string;
    requested_by: number | null;
    requested_by_name: string;
    requested_at: Time;
    expires_at: Time;
    state: Generated<'loading' | 'ready' | 'released'>;
    failure: Generated<string>;
    released_at: Time | null;
  };
  event_searches: { organisation_id: number; user_id: number; query: string; query_hash: Buffer; searched_at: Time };
  event_exports: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    api_key_id: Generated<number | null>;
    client: number;
    organisation_ids: number[];
    start_at: Time;
    end_at: Time;
    searched_by: 'happened' | 'arrived';
    filters: ColumnType<Record<string, unknown>, string, string>;
    format: ExportFormat;
    state: Generated<EventExport['state']>;
    events: Generated<number>;
    is_cut: Generated<boolean>;
    searched_to: ColumnType<Date | null, Date | undefined, Date | null>;
    parts: Generated<number>;
    bytes: Generated<number>;
    failure: Generated<string>;
    attempts: Generated<number>;
    claimed_at: ColumnType<Date | null, Date | undefined, Date | null>;
    created_at: Time;
    expires_at: Time;
  };
  recall_files: { recall_id: number; organisation_id: number; archive_file_id: number; is_loaded: Generated<boolean> };
  /** Parquet files of past events; written by functions of the owner. */
  archive_files: {
    id: Generated<number>;
    organisation_id: number;
    day: string;
    part: number;
    key: string;
    rows: number;
    bytes: number;
    sha256: string;
    first_at: Time;
    last_at: Time;
    created_at: TimeDefault;
  };
  event_keys: { organisation_id: number; id: string; seen_at: Time };
  dead_letters: { id: Generated<number>; organisation_id: number; received_at: Time; step: string; reason: string; raw: string };
  ingest_counters: { organisation_id: number; day: string; reason: string; count: number };
  rules: {
    id: Generated<number>;
    key: string;
    title: string;
    category: string;
    criticality: number;
    facts: Json<RuleFacts>;
    /** False for former rules, of which alerts are kept. */
    is_loaded: Generated<boolean>;
    /** Partner whose own rule it is; null for rules of all. */
    organisation_id: number | null;
  };
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
    /** Further rules that matched with the alert's own, worst first. */
    also_rule_ids: Generated<number[]>;
    /** Revision of the rule's text that raised it; null before revisions were kept. */
    rule_revision: string | null;
  };
  alert_events: {
    organisation_id: number;
    alert_id: number;
    alert_at: Time;
    event_id: string;
    event_at: Time;
    text: string;
    why: Json<MatchExplanation>;
    document: Json<Record<string, unknown>>;
    /** True until it becomes part of a pack. */
    is_recent: Generated<boolean>;
    copied_at: TimeDefault;
  };
  alert_event_packs: {
    id: string;
    organisation_id: number;
    first_alert_at: Time;
    last_alert_at: Time;
    count: number;
    alert_ids: number[];
    event_ids: Buffer;
    body: Buffer;
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
  intelligence_lists: { id: Generated<number>; name: string; format: string; imported_at: TimeDefault; count: Generated<number> };
  intelligence_feeds: {
    id: Generated<number>;
    list_id: number;
    kind: 'taxii' | 'misp';
    url: string;
    collection: Generated<string>;
    user_name: Generated<string>;
    tags: Generated<string>;
    is_published_only: Generated<boolean>;
    secret: Buffer | null;
    is_paused: Generated<boolean>;
    failures: Generated<number>;
    is_refused: Generated<boolean>;
    error: string | null;
    error_at: Date | null;
    read_at: Date | null;
    skipped: Generated<number>;
    fault: string | null;
    next_at: Date;
    leased_until: Date | null;
    turn: Generated<number>;
  };
  intelligence_feed_objects: {
    feed_id: number;
    object_id: string;
    kind: string;
    value: string;
    reputation: string;
    valid_until: Date | null;
    seen_at: Date;
  };
  indicators: { list_id: number; kind: string; value: string; reputation: string };
  rollup_hour_severity: { organisation_id: number; hour: Time; criticality: number; count: number };
  rollup_day_severity: { organisation_id: number; day: string; criticality: number; count: number; new_count: number };
  rollup_month_severity: { organisation_id: number; month: string; criticality: number; count: number; new_count: number };
  rollup_day_rule: { organisation_id: number; day: string; rule_id: number; count: number };
  rollup_month_rule_total: { month: string; rule_id: number; count: number };
  rollup_month_rule_news: { month: string; rule_id: number; count: number };
  rollup_month_rule: { organisation_id: number; month: string; rule_id: number; count: number };
  rollup_day_device: { organisation_id: number; day: string; device_name: string; count: number };
  rollup_month_device: { organisation_id: number; month: string; device_name: string; count: number };
  rollup_month_user: { organisation_id: number; month: string; user_name: string; count: number };
  rollup_day_user: { organisation_id: number; day: string; user_name: string; count: number };
}

/** Explanation of a rule's match on one event, by the engine. */
export interface MatchExplanation {
  condition: string;
  items: { selection: string; field: string | null; modifier: string; pattern: string; value: string }[];
}

/** Facts of a rule for the alert pages; stored, so that alerts outlive their rule's file. */
export interface RuleFacts {
  description: string;
  falsePositives: string[];
  /** Undefined for rules without guidance, and in rows stored before it was. */
  guidance?: RuleGuidance | undefined;
  references: string[];
  logSource: string;
  condition: string;
  /** ATT&CK ids the rule is tagged with, T1059.001. */
  techniques: string[];
  /** ATT&CK tactic short names the rule is tagged with, credential-access. */
  tactics: string[];
  /** Share of malicious among what the rule finds, as its author declares it; absent without a declaration. */
  confidence?: RuleConfidence;
  /** Correlations only: the fields whose values it counts, then those that it groups by. */
  countedFields?: string[];
  groupFields?: string[];
}
