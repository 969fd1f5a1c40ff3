/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    /** `input` is the tool's arguments as JSON, cut to 1,000 characters. */
    'mcp.called': Added<{ tool: string; input: string }>;
  }
}
