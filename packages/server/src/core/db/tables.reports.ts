/** Tables of vulnerabilities and reports. */
import type { ReportJob } from '@parapet/contract/reports.ts';
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

type Time = ColumnType<Date, Date | undefined, Date>;
/** PostgreSQL's date, as YYYY-MM-DD. */
type Day = ColumnType<string, string, string>;

/** Read by the portal, imported by a person, or invented for the demo. */
export type DataOrigin = 'feed' | 'file' | 'demo';

export interface ReportTables {
  advisories: {
    id: string;
    cve: string;
    aliases: Generated<string[]>;
    title: string;
    details: Generated<string>;
    cvss: number | null;
    severity: string;
    ecosystem: Generated<string>;
    modified_at: Date;
    withdrawn_at: Date | null;
    imported_at: Time;
  };
  advisory_ranges: {
    id: Generated<number>;
    advisory_id: string;
    ecosystem: string;
    package: string;
    introduced: Generated<string>;
    fixed: string | null;
    last_affected: string | null;
    versions: Generated<string[]>;
  };
  epss_scores: { cve: string; score: number; scored_at: Day; imported_at: Time; origin: Generated<DataOrigin> };
  known_exploited: {
    cve: string;
    name: Generated<string>;
    added_at: Day | null;
    due_at: Day | null;
    imported_at: Time;
    origin: Generated<DataOrigin>;
  };
  advisory_sources: { kind: string; count: number; newest_at: Date | null; imported_at: Date; origin: Generated<DataOrigin> };
  advisory_feeds: {
    kind: 'epss' | 'kev';
    url: string;
    is_on: boolean;
    failures: number;
    error: string | null;
    error_at: Time | null;
    read_at: Time | null;
    digest: Buffer | null;
    next_at: Time;
    leased_until: Time | null;
  };
  scans: {
    organisation_id: number;
    device_id: string;
    source: 'agent' | 'trivy' | 'cyclonedx';
    scanned_at: Date;
    packages: number;
    languages: Generated<number>;
    /** Content of an uploaded result, as JSON; null for an agent's. */
    content: ColumnType<unknown, string | null | undefined, string | null>;
    is_due: Generated<boolean>;
  };
  findings: {
    id: Generated<number>;
    organisation_id: number;
    device_id: string;
    source: 'agent' | 'trivy' | 'cyclonedx';
    cve: string;
    aliases: Generated<string[]>;
    title: Generated<string>;
    ecosystem: Generated<string>;
    package: string;
    installed_version: string;
    fixed_version: string | null;
    severity: string;
    cvss: number | null;
    priority: number;
    reasons: Generated<string[]>;
    first_seen_at: Date;
    fixed_at: Date | null;
    accepted_until: Date | null;
    accepted_by: number | null;
    accepted_by_name: Generated<string>;
    accept_reason: Generated<string>;
    /** Another source before this one has the CVE on the device. */
    is_repeated: Generated<boolean>;
  };
  /** Of alerts, by the UTC day on which they happened; see 0013_balance_reports.sql. */
  alert_fates: {
    organisation_id: number;
    day: Day;
    fate: 'raised' | 'folded' | 'suppressed' | 'inCase' | 'autoClosed';
    count: number;
  };
  report_schedules: {
    id: Generated<number>;
    organisation_id: number;
    day_of_month: number;
    recipients: string[];
    created_by: number | null;
    created_by_name: Generated<string>;
    created_at: Time;
    last_month: Generated<string>;
    last_sent_at: Date | null;
    last_error: Generated<string>;
  };
  report_jobs: {
    id: Generated<number>;
    organisation_id: number;
    asked_by: number;
    year: number;
    month: number;
    state: ColumnType<ReportJob['state'], ReportJob['state'] | undefined, ReportJob['state']>;
    clients: number[];
    done: Generated<number>;
    failures: JSONColumnType<{ clientOrganizationName: string; text: string }[], string | undefined, string>;
    created_at: Time;
  };
}
