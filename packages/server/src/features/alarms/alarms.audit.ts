/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

type Alarm = Added<{ address: string; limitPerMinute: number; isMailed: boolean }>;

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'alarm.calls': Alarm;
    'alarm.probing': Alarm;
    'alarm.refusals': Alarm;
    'alarm.signIns': Alarm;
    'alarm.unknownCallers': Alarm;
  }
}
