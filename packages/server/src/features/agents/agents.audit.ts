/** Audit actions of this feature, each with its before and after. */
import type { Added, Instant, NoDetails, Removed } from '../../domain/audit.changes.ts';

interface Enrolled {
  device: string;
  token: number;
  version: string;
  platform: string;
}
interface Rollout {
  version: string;
  percent: number;
}
/** With the id of the API key that created it, where revoking that key revoked this one. */
type WithKey = NoDetails | Removed<{ createdByApiKey: number }>;

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'agent.enrolled': Added<Enrolled>;
    'agent.enrolledAgain': Added<Enrolled>;
    'agent.revoked': NoDetails;
    'agent.taskRefused': Added<{ device: string; tasks: readonly object[] }>;
    'agentRelease.added': Added<{ sha256: string; size: number }>;
    'agentRollout.changed': { before?: Rollout; after: Rollout & { agents: number } };
    'device.upgradeAsked': Added<{ outcome: string | undefined; text: string | undefined }>;
    'enrolmentToken.created': Added<{ name: string; maxUses: number | null; expiresAt: Instant }>;
    'enrolmentToken.revoked': WithKey;
  }
}
