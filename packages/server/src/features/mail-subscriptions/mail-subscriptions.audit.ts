/** Audit actions of this feature, each with its before and after. */

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'mailSubscriptions.updated': { before: readonly string[]; after: readonly string[] };
  }
}
