/** Audit actions of this feature, each with its before and after. */
import type { Change } from '../../domain/audit.changes.ts';

interface Practice {
  id: string;
  isChecked: boolean;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'riskDevices.changed': Change<{ totalServers: number; totalWorkstations: number }>;
    'riskPractices.changed': Change<readonly Practice[]>;
  }
}
