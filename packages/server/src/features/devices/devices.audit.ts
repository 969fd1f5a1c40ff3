/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

interface Merged {
  device: string;
  duplicates: readonly { id: string; name: string }[];
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'devices.merged': Added<Merged>;
    'devices.separated': Added<Merged>;
  }
}
