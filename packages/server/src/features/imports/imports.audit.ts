/** Audit actions of this feature, each with its before and after. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { ImportFormat } from '@parapet/contract/imports.ts';
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'import.created': Added<{ fileName: string; format: ImportFormat; source: string | null; mapping: EventMapping | null }>;
    'import.finished': Added<{ state: 'done' | 'failed'; bytes: number; stored: number; duplicates: number; refused: number }>;
  }
}
