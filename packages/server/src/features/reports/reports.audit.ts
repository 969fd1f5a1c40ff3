/** Audit actions of this feature, each with its before and after. */
import type { Added, Removed } from '../../domain/audit.changes.ts';

interface Schedule {
  dayOfMonth: number;
  recipients: readonly string[];
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'report.exported': Added<{ year: number; month: number; format: string }>;
    'reportJob.downloaded': Added<{ year: number; month: number; clients: number }>;
    'reportJob.started': Added<{ year: number; month: number; clients: number }>;
    'reportSchedule.created': Added<Schedule>;
    'reportSchedule.removed': Removed<Schedule>;
  }
}
