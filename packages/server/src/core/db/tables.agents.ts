/** Tables of devices’ days and hours, agents, their tasks and packages, approvals, configurations of collectors. */
import type { AgentAction, CheckIn, Inventory } from '@parapet/contract/agentProtocol.ts';
import type { ConfigKind } from '@parapet/contract/collectors.ts';
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

type Time = ColumnType<Date, Date | undefined, Date>;

export type TaskState = 'queued' | 'sent' | 'acknowledged' | 'verified' | 'failed' | 'expired' | 'cancelled';

export interface AgentTables {
  device_days: { organisation_id: number; day: ColumnType<string, string, string>; device_id: string };
  device_day_counts: { organisation_id: number; day: ColumnType<string, string, string>; device_type: string; devices: number };
  device_hours: { organisation_id: number; device_id: string; hour: Date; events: number };
  device_versions: { id: Generated<number>; organisation_id: number; device_id: string; version: string; seen_at: Date };
  device_silences: {
    id: Generated<number>;
    organisation_id: number;
    device_id: string;
    since: Date;
    told_at: Date | null;
    ended_at: Date | null;
  };
  enrolment_tokens: {
    id: Generated<number>;
    organisation_id: number;
    name: string;
    prefix: string;
    hash: Buffer;
    max_uses: number;
    uses: Generated<number>;
    created_by: number | null;
    created_at: Time;
    expires_at: Date;
    revoked_at: Date | null;
    created_by_api_key_id: number | null;
  };
  agents: {
    id: Generated<number>;
    organisation_id: number;
    device_id: string;
    enrolment_token_id: number | null;
    machine_id: string;
    key_hash: Buffer;
    platform: string;
    version: string;
    enrolled_at: Time;
    revoked_at: Date | null;
    last_check_in_at: Date | null;
    address: Generated<string>;
    said: JSONColumnType<
      Partial<Pick<CheckIn, 'holding' | 'buffer' | 'shipped' | 'dropped' | 'errors'>>,
      string | undefined,
      string
    >;
    is_isolated: Generated<boolean>;
    release_at: Date | null;
    inventory_hash: Generated<string>;
    inventory: JSONColumnType<Inventory | null, string | null | undefined, string | null>;
    inventory_at: Date | null;
    last_sequence: Generated<number>;
    upgrade_version: string | null;
    upgrade_state: 'staged' | 'offered' | 'done' | 'failed' | 'instructed' | null;
    upgrade_detail: Generated<string>;
    upgrade_at: Date | null;
  };
  /** Public halves of the keys that tasks are signed with; `endorsement` is by the one before. */
  agent_task_keys: { generation: number; public_key: string; endorsement: Generated<string>; created_at: Time };
  agent_packages: { organisation_id: number; agent_id: number; ecosystem: string; name: string; version: string; source: string };
  agent_tasks: {
    id: Generated<number>;
    organisation_id: number;
    agent_id: number;
    sequence: number;
    response_id: number | null;
    action: AgentAction;
    target: string;
    expected_name: Generated<string>;
    max_bytes: Generated<number>;
    release_in_seconds: number | null;
    state: ColumnType<TaskState, TaskState | undefined, TaskState>;
    detail: Generated<string>;
    created_at: Time;
    sent_at: Date | null;
    ended_at: Date | null;
    expires_at: Date;
  };
  collected_files: {
    id: Generated<number>;
    organisation_id: number;
    task_id: number;
    path: string;
    sha256: string;
    size: number;
    is_stored: Generated<boolean>;
    collected_at: Time;
  };
  agent_releases: {
    version: string;
    platform: string;
    sha256: string;
    size: number;
    signature: string;
    created_by: number | null;
    created_at: Time;
  };
  agent_rollouts: {
    organisation_id: number;
    version: string;
    percent: number;
    threshold: number;
    changed_by: number | null;
    changed_at: Time;
  };
  upgrade_instructions: {
    organisation_id: number;
    device_id: string;
    version: string | null;
    detail: string;
    created_by: number | null;
    created_at: Time;
  };
  response_approvals: {
    organisation_id: number;
    response_id: number;
    user_id: number;
    user_name: string;
    is_approved: boolean;
    note: string;
    at: Time;
  };
  approval_rules: {
    id: Generated<number>;
    organisation_id: number;
    action: string | null;
    device_type: string | null;
    hours: 'always' | 'workingHours' | 'outsideWorkingHours';
    approvers: 'nobody' | 'client' | 'partner' | 'provider';
    persons: Generated<number>;
    silence: ColumnType<'expire' | 'approve', 'expire' | 'approve' | undefined, 'expire' | 'approve'>;
    wait_minutes: Generated<number>;
    created_by: number | null;
    created_at: Time;
  };
  protected_assets: {
    id: Generated<number>;
    organisation_id: number;
    kind: 'device' | 'user';
    value: string;
    reason: string;
    created_by: number | null;
    created_by_name: Generated<string>;
    created_at: Time;
  };
  collector_configs: {
    organisation_id: number;
    kind: ConfigKind;
    version: number;
    yaml: string;
    comment: Generated<string>;
    added: Generated<number>;
    removed: Generated<number>;
    saved_by: number | null;
    saved_by_name: Generated<string>;
    saved_at: Time;
  };
}
