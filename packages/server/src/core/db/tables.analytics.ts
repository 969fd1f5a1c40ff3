/** Tables of what devices send and of risk. */
import type { ColumnType, Generated } from 'kysely';

type Time = ColumnType<Date, Date | undefined, Date>;
/** PostgreSQL's date, as YYYY-MM-DD. */
type Day = ColumnType<string, string, string>;

export interface AnalyticsTables {
  risk_devices: {
    organisation_id: number;
    total_servers: number;
    total_workstations: number;
    version: Generated<number>;
    changed_by: number | null;
    changed_at: Time;
  };
  risk_practices: {
    organisation_id: number;
    practice: string;
    is_checked: boolean;
    changed_by: number | null;
    changed_at: Time;
  };
  risk_snapshots: {
    organisation_id: number;
    day: Day;
    total_servers: number;
    total_workstations: number;
    monitored_servers: number;
    monitored_workstations: number;
    checked: number;
    practices: number;
    open_sum: number;
    assigned_sum: number;
    investigating_sum: number;
    malicious_sum: number;
    risk_score: number;
    device_score: number;
    practice_score: number;
    case_score: number;
  };
}
