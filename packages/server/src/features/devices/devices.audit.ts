/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

interface Merged {
  device: string;
  duplicates: readonly { id: string; name: string }[];
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    /** By a rule of identity where there is one. */
    'devices.merged': Added<Merged & { rule?: string; value?: string }>;
    'devices.separated': Added<Merged>;
  }
}
