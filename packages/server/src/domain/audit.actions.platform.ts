/** What an entry of the audit log says of each action on alerts, devices, agents, detection, reports and the log itself. In the order of the actions. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { suppressionsApi } from '@parapet/contract/suppressions.ts';
import type { Added, Asked, Change, Instant, NothingMore, Removed } from './audit.changes.ts';

interface Enrolled {
  device: string;
  token: number;
  version: string;
  platform: string;
}
interface Marked {
  changed: number;
  alertIDs: readonly number[];
}
interface Merged {
  device: string;
  duplicates: readonly { id: string; name: string }[];
}
interface Acceptance {
  acceptedUntil: string | null;
  reason: string | null;
}
interface Rollout {
  version: string;
  percent: number;
}
interface Schedule {
  dayOfMonth: number;
  recipients: readonly string[];
}
interface Practice {
  id: string;
  isChecked: boolean;
}
interface Knowledge {
  state: string;
  text: string;
}

/** Names the API key that created it, where it was revoked with that. */
type WithKey = NothingMore | Removed<{ createdByApiKey: number }>;
type Alarm = Added<{ address: string; limitPerMinute: number; isMailed: boolean }>;

export interface PlatformActions {
  'advisories.imported': Added<{ imported: number; skipped: number }>;
  'agent.enrolled': Added<Enrolled>;
  'agent.enrolledAgain': Added<Enrolled>;
  'agent.revoked': NothingMore;
  'agent.taskRefused': Added<{ device: string; tasks: readonly object[] }>;
  'agentRelease.added': Added<{ sha256: string; size: number }>;
  'agentRollout.changed': { before?: Rollout; after: Rollout & { agents: number } };
  'alarm.calls': Alarm;
  'alarm.probing': Alarm;
  'alarm.refusals': Alarm;
  'alarm.signIns': Alarm;
  'alarm.unknownCallers': Alarm;
  'alerts.exported': Added<Asked>;
  'alerts.markedSeen': Added<Marked>;
  'alerts.markedUnseen': Added<Marked>;
  'attack.exported': Added<Asked>;
  'audit.exported': Added<Asked>;
  'audit.keyChanged': Change<{ key: string }>;
  'audit.sealBroken': Added<{ expectedPosition: number; foundPosition: number }>;
  'collectorConfig.downloaded': Added<{ version: number; keyName: string }>;
  'collectorConfig.saved': Change<{ version: number }, { version: number; comment: string; added: number; removed: number }>;
  'device.upgradeAsked': Added<{ outcome: string | undefined; text: string | undefined }>;
  'devices.merged': Added<Merged>;
  'devices.separated': Added<Merged>;
  'devices.tagged': Added<readonly { id: number; isDeleted: boolean }[]>;
  'enrolmentToken.created': Added<{ name: string; maxUses: number | null; expiresAt: Instant }>;
  'enrolmentToken.revoked': WithKey;
  'events.keptAsideRead': Added<Asked>;
  'events.searched': Added<Asked>;
  'finding.accepted': Change<Acceptance>;
  'finding.reopened': Change<Acceptance>;
  'ingestKey.created': Added<{ name: string }>;
  'ingestKey.revoked': WithKey;
  'intelligence.imported': Added<{ name: string; format: string; count: number; skipped: number }>;
  'intelligence.removed': Removed<{ name: string; format: string; count: number }>;
  'report.exported': Added<{ year: number; month: number; format: string }>;
  'reportJob.downloaded': Added<{ year: number; month: number; clients: number }>;
  'reportJob.started': Added<{ year: number; month: number; clients: number }>;
  'reportSchedule.created': Added<Schedule>;
  'reportSchedule.removed': Removed<Schedule>;
  'riskDevices.changed': Change<{ totalServers: number; totalWorkstations: number }>;
  'riskPractices.changed': Change<readonly Practice[]>;
  'sapphire.judged': Added<{ flag: number }>;
  'sapphire.knowledgeAdded': Added<{ text: string; questionID?: number }>;
  'sapphire.knowledgeReviewed': Change<Knowledge>;
  'sapphire.knowledgeSubmitted': Added<{ text: string }>;
  'sapphire.teacherSet': Change<{ isTeacher: boolean }>;
  'scan.uploaded': Added<{ tool: string; packages: number; skipped: number }>;
  'suppression.created': Added<Suppression>;
  'suppression.ended': Change<{ endTime: Instant }>;
  'tag.deleted': Removed<{ name: string }>;
  'tag.saved': Added<{ name: string }>;
}
/** By hand as it was asked for; of an alert what of it is matched. */
type Suppression =
  | InputOf<typeof suppressionsApi.create>['body']
  | {
      organisationId: number;
      ruleId: number | null;
      deviceName: string | null;
      userName: string | null;
      reason: string;
      endTime: string;
      alertId: number;
    };
