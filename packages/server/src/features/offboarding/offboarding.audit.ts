/** Audit actions of this feature, each with its before and after. */
import type { Added, NoDetails } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'offboarding.agentsTold': Added<{ agents: number }>;
    'offboarding.archived': NoDetails;
    'offboarding.ended': Added<{
      ingestKeys: number;
      enrolmentTokens: number;
      agents: number;
      apiKeys: number;
      assistants: number;
    }>;
  }
}
