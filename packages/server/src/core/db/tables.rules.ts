/** Rules changed in the product, and how they differ by organisation. */
import type { CommonKind } from '@parapet/contract/rules/grouping.ts';
import type { Generated } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

/** A preview over the past (domain/previewQueue.ts). */
interface PreviewRow {
  id: Generated<number>;
  organisation_id: number;
  requested_by: number | null;
  requested_at: TimeDefault;
  change: Json<object>;
  client_ids: number[];
  first_at: Time;
  last_at: Time;
  state: Generated<'waiting' | 'running' | 'done' | 'cancelled' | 'failed'>;
  leased_until: Time | null;
  attempts: Generated<number>;
  scanned: Generated<number>;
  total: Generated<number>;
  failure: Generated<string>;
  result: Json<object> | null;
}

export interface RuleTables {
  rule_versions: {
    id: Generated<number>;
    /** The provider, or a partner for rules of its own. */
    organisation_id: number;
    rule_key: string;
    version: number;
    state: RuleState;
    yaml: string;
    /** Built-in text that it began from; null for own rules. */
    base: string | null;
    revision: string;
    title: string;
    criticality: number;
    note: string;
    author_id: number | null;
    author_name: string;
    created_at: TimeDefault;
    noise_budget: Generated<number>;
    shadow_since: Time | null;
    /** When the noise budget ended the shadow. */
    stopped_at: Time | null;
    /** Pack that it was taken over from; null for a version made here. */
    pack_id: Generated<number | null>;
  };
  rule_overrides: {
    organisation_id: number;
    rule_key: string;
    is_on: boolean | null;
    criticality: number | null;
    reason: string;
    owner_id: number | null;
    owner_name: string;
    changed_at: TimeDefault;
  };
  rule_tests: {
    id: Generated<number>;
    organisation_id: number;
    rule_key: string;
    name: string;
    is_match: boolean;
    /** JSON. */
    document: string;
    author_name: string;
    created_at: TimeDefault;
  };
  rule_history: {
    id: Generated<number>;
    organisation_id: number;
    rule_key: string;
    at: TimeDefault;
    actor_id: number | null;
    actor_name: string;
    action: string;
    version: number | null;
    why: string;
  };
  rule_previews: PreviewRow & { rule_key: string | null };
  grouping_versions: {
    id: Generated<number>;
    organisation_id: number;
    version: number;
    state: GroupingState;
    parameters: Json<Record<string, number>>;
    common: Json<{ kind: CommonKind; value: string; reason: string }[]>;
    note: string;
    author_id: number | null;
    author_name: string;
    created_at: TimeDefault;
  };
  grouping_history: {
    id: Generated<number>;
    organisation_id: number;
    version: number;
    at: TimeDefault;
    actor_id: number | null;
    actor_name: string;
    action: string;
    why: string;
  };
  grouping_shadow_days: {
    organisation_id: number;
    version_id: number;
    day: string;
    opened: number;
    live_opened: number;
    joined: number;
    live_joined: number;
    differing: number;
  };
  grouping_previews: PreviewRow & { base: Generated<string> };
  rule_packs: {
    id: Generated<number>;
    organisation_id: number;
    name: string;
    origin: 'archive' | 'git';
    address: Generated<string>;
    branch: Generated<string>;
    folder: Generated<string>;
    version: Generated<string>;
    publisher: Generated<string>;
    licence: Generated<string>;
    signer: string | null;
    changed_at: Time;
  };
  /** Rules of a pack as they were taken over last. */
  rule_pack_rules: {
    pack_id: number;
    organisation_id: number;
    rule_key: string;
    path: string;
    revision: string;
    kept_yaml: string | null;
  };
  /** Rules of a former partner whose alerts a client has. */
  kept_rules: { organisation_id: number; rule_id: number };
  rule_shadow_days: {
    organisation_id: number;
    rule_key: string;
    version: number;
    day: string;
    count: number;
    last_at: Time;
  };
}

export type RuleState = 'draft' | 'tested' | 'shadow' | 'live' | 'retired';
export type GroupingState = 'draft' | 'shadow' | 'live' | 'retired';
