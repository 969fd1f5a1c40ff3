/** Audit actions of this feature, each with its before and after. */
import type { Added, Change, NoDetails, PartialChange, Removed } from '../../domain/audit.changes.ts';

interface Described {
  kind: string;
  name: string;
  account: string;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    /** The mode of a kind with incidents. */
    'connection.created': Added<Described & { mayAct: boolean; incidentMode?: 'read' | 'send' | 'both' }>;
    'connection.invited': Added<{ kind: string; name: string; email: string }>;
    'connection.inviteRevoked': NoDetails;
    /** By a person of the client with an emailed link. */
    'connection.createdByInvite': Added<Described & { mayAct: boolean; invitedEmail: string }>;
    /** By an administrator of the vendor's tenant who signed in there. */
    'connection.consented': Added<Described & { mayAct: boolean; invitedEmail: string; consentedBy: string }>;
    'connection.consentRenewed': Added<Described & { invitedEmail: string; consentedBy: string }>;
    'connection.consentFailed': Added<{ kind: string; name: string; outcome: string }>;
    'vendorApplication.saved': PartialChange<{ clientID: string; login: string }>;
    'vendorApplication.removed': Removed<{ clientID: string; login: string }>;
    'connection.removed': Removed<Described>;
    'connection.tested': Added<{ kind: string; account: string }>;
    'connection.paused': NoDetails;
    'connection.resumed': NoDetails;
    /** By a person, before the time of the next pull. */
    'connection.readRequested': NoDetails;
    'connection.secretsReplaced': NoDetails;
    'connection.responsesChanged': Change<{ mayAct: boolean }>;
    'connection.incidentModeChanged': Change<{ incidentMode: 'read' | 'send' | 'both' }>;
    'syslogNetwork.added': Added<{ network: string }>;
    'syslogNetwork.removed': Removed<{ network: string }>;
    'feed.changed': Change<{ isOn: boolean; url: string }>;
    'feed.tested': Added<{ url: string }>;
    /** Stopped by the portal, because the vendor refused access. */
    'connection.stopped': Added<{ error: string }>;
  }
}
