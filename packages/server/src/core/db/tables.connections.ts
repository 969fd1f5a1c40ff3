/** Tables of accounts at vendors. */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

export type VendorTaskAction = 'isolate' | 'unisolate' | 'disableUser' | 'enableUser' | 'revokeSessions' | 'resetFactors';
export type VendorTaskState = 'queued' | 'sent' | 'verified' | 'failed' | 'unknown' | 'expired' | 'cancelled';

export type IncidentMode = 'read' | 'send' | 'both';
type IncidentKind = 'incident' | 'alert';
type IncidentState = 'open' | 'working' | 'closed';
type IncidentClass = 'truePositive' | 'benign' | 'falsePositive';
/** State that the cases of an incident want for it. */
export interface Wanted {
  state: IncidentState;
  classification: IncidentClass | null;
  assignedTo: string | null;
}
/** State of the cases and of the incident when both sides agreed last. */
export interface Agreed {
  wanted: Wanted;
  state: IncidentState;
}

export type ConsentStep = 'signIn' | 'grant';

export interface ConnectionTables {
  connections: {
    id: Generated<number>;
    organisation_id: number;
    kind: string;
    name: string;
    account: string;
    settings: Json<Record<string, string>>;
    secrets: Buffer;
    state: ColumnType<'active' | 'paused' | 'stopped', 'active' | undefined, 'active' | 'paused' | 'stopped'>;
    cursor: string | null;
    version: Generated<number>;
    next_at: TimeDefault;
    leased_until: Time | null;
    limited_until: Time | null;
    failures: Generated<number>;
    error: string | null;
    error_at: Time | null;
    pulled_at: Time | null;
    last_event_at: Time | null;
    lag_ms: Generated<number>;
    created_at: TimeDefault;
    may_act: Generated<boolean>;
    inventory_at: Time | null;
    consented_by: string | null;
    consented_at: Time | null;
  };
  vendor_applications: {
    organisation_id: number;
    client_id: string;
    client_secret: Buffer;
    login: string;
    updated_at: TimeDefault;
  };
  consent_starts: {
    state_hash: Buffer;
    organisation_id: number;
    invite_id: number;
    browser_hash: Buffer;
    step: ConsentStep;
    nonce: string | null;
    verifier: string | null;
    tenant: string | null;
    person: string | null;
    expires_at: Time;
  };
  connection_devices: {
    organisation_id: number;
    connection_id: number;
    vendor_id: string;
    name: string;
    os: string;
    device_id: string;
    last_seen_at: Time | null;
    read_at: Time;
    serial: string | null;
    cloud_id: string | null;
    directory_id: string | null;
  };
  connection_users: {
    organisation_id: number;
    connection_id: number;
    vendor_id: string;
    name: string;
    has_mailbox: boolean;
    read_at: Time;
  };
  connection_tasks: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    response_id: number;
    connection_id: number | null;
    place: string;
    action: VendorTaskAction;
    target: string;
    state: ColumnType<VendorTaskState, VendorTaskState | undefined, VendorTaskState>;
    handle: string | null;
    detail: Generated<string>;
    failures: Generated<number>;
    next_at: Time | null;
    leased_until: Time | null;
    created_at: Time;
    expires_at: Time;
    ended_at: Time | null;
  };
  connection_invites: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    token_hash: Buffer;
    kind: string;
    name: string;
    email: string;
    attempts: Generated<number>;
    created_by: number | null;
    created_by_name: string;
    created_at: TimeDefault;
    expires_at: Time;
    used_at: Time | null;
    revoked_at: Time | null;
    tenant: string | null;
  };
  connection_hours: { organisation_id: number; connection_id: number; hour: Time; events: number };
  syslog_networks: { id: GeneratedAlways<number>; organisation_id: number; network: string; created_at: TimeDefault };
  syslog_ports: {
    transport: 'tcp' | 'udp';
    port: number;
    unknown: Generated<number>;
    unknown_address: string | null;
    unknown_at: Time | null;
    lost: Generated<number>;
  };
  syslog_imports: { entry: string; imported_at: TimeDefault };
  incident_syncs: {
    connection_id: number;
    organisation_id: number;
    mode: ColumnType<IncidentMode, IncidentMode | undefined, IncidentMode>;
    mode_at: ColumnType<Date, Date | undefined, Date>;
    read_until: TimeDefault;
    linked_at: Time | null;
    next_at: TimeDefault;
    leased_until: Time | null;
    version: Generated<number>;
    failures: Generated<number>;
    error: string | null;
    error_at: Time | null;
  };
  incidents: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    connection_id: number;
    kind: IncidentKind;
    vendor_id: string;
    title: Generated<string>;
    url: Generated<string>;
    status: Generated<string>;
    state: ColumnType<IncidentState, IncidentState | undefined, IncidentState>;
    classification: IncidentClass | null;
    determination: Generated<string>;
    assigned_to: string | null;
    read_at: Time | null;
    gone_at: Time | null;
    merged_into: string | null;
    agreed: Json<Agreed> | null;
    /** Versions of its cases at the newest comparison. */
    cases: string | null;
    /** Not confirmed yet. */
    comment: string | null;
    comments: Generated<number>;
    is_sending: Generated<boolean>;
    failures: Generated<number>;
    error: string | null;
    conflict: string | null;
    next_at: TimeDefault;
  };
  incident_alerts: { incident_id: number; organisation_id: number; alert_id: number; alert_at: Time };
}
