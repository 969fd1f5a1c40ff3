/** Audit actions of this feature, each with its before and after. */
import type { TicketSetup } from '@parapet/connectors/out/tickets.ts';
import type { DeliveryRuleInput, QuietTime } from '@parapet/contract/deliveries.ts';
import type { Added, Change, NoDetails, Removed } from '../../domain/audit.changes.ts';

interface Described {
  kind: string;
  name: string;
}

export interface AuditedShifts {
  /** Null before the first shift. */
  zone: string | null;
  shifts: { user: number; place: number; days: number[]; from: number; to: number }[];
}

interface OnCallOverride {
  user: number;
  place: number;
  starts: string;
  ends: string;
}

interface ChatAccount {
  kind: string;
  workspace: string;
  account: string;
}

interface NotifiedBrowser {
  service: string;
  userAgent: string;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'deliveryTarget.created': Added<Described>;
    'deliveryTarget.removed': Removed<Described>;
    'deliveryTarget.changed': Change<{ name: string; quiet: QuietTime | null }>;
    'deliveryTarget.paused': NoDetails;
    'deliveryTarget.resumed': NoDetails;
    'deliveryTarget.secretsReplaced': NoDetails;
    'deliveryTarget.tested': NoDetails;
    'deliveryTarget.callbacksOpened': NoDetails;
    'deliveryTarget.callbacksClosed': NoDetails;
    'deliveryTarget.ticketsSynced': NoDetails;
    'user.chatLinked': Added<ChatAccount>;
    'user.chatUnlinked': Removed<ChatAccount>;
    'user.browserAdded': Added<NotifiedBrowser>;
    'user.browserRemoved': Removed<NotifiedBrowser>;
    'deliveryTarget.ticketsSet': { before: Partial<TicketSetup> | null; after: Partial<TicketSetup> };
    'onCall.shiftsSaved': Change<AuditedShifts>;
    'onCall.overrideAdded': Added<OnCallOverride>;
    'onCall.overrideRemoved': Removed<OnCallOverride>;
    'onCall.noteWritten': NoDetails;
    'delivery.replayed': Added<{ delivery: number } | { count: number }>;
    'deliveryRule.created': Added<DeliveryRuleInput>;
    'deliveryRule.changed': Change<DeliveryRuleInput>;
    'deliveryRule.removed': Removed<DeliveryRuleInput>;
  }
}
