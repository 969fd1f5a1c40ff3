/** What an entry of the audit log says of each action on accounts, organisations and what people set for themselves. In the order of the actions. */
import type { KeyScope } from '@parapet/contract/access.ts';
import type { Branding, ClientDetails } from '@parapet/contract/organisations.ts';
import type { StepUpMethod } from '@parapet/contract/problem.ts';
import type { SavedView } from '@parapet/contract/views.ts';
import type { Added, Asked, Change, Differing, Instant, NothingMore, Removed } from './audit.changes.ts';

type Fields = Readonly<Record<string, string>>;
type MaybeFault = NothingMore | Added<{ error: string }>;
/** What somebody proved who they are with, or did not. */
type Proof = 'password' | 'mfa' | 'passkey' | 'recoveryCode';
type View = Pick<SavedView, 'list' | 'name' | 'query' | 'columns' | 'isShared'>;

export interface AccountActions {
  'apiKey.created': Added<{
    name: string;
    scopes: readonly KeyScope[];
    addressRanges: readonly string[];
    expiresAt: Instant | null;
  }>;
  'apiKey.revoked': Removed<{ name: string }>;
  'call.denied': NothingMore;
  'mailSubscriptions.updated': { before: readonly string[]; after: readonly string[] };
  'organisation.brandingUpdated': Differing<Branding>;
  'organisation.contactsUpdated': Differing<ClientDetails['contacts']>;
  'organisation.created': Added<ClientDetails['general'] & { isPartner: boolean; partnerClientOrgID: number | null }>;
  'organisation.deactivated': NothingMore;
  'organisation.domainFailing': MaybeFault;
  'organisation.domainLapsed': MaybeFault;
  'organisation.domainVerified': MaybeFault;
  'organisation.domainVouchWithdrawn': NothingMore;
  'organisation.domainVouched': NothingMore;
  'organisation.escalationUpdated': Differing<ClientDetails['escalation']>;
  'organisation.generalUpdated': Differing<ClientDetails['general']>;
  'organisation.logoRemoved': NothingMore;
  'organisation.logoUploaded': NothingMore;
  /** Each of the three organisations reads its own half. */
  'organisation.moved': {
    before?: { partnerClientOrgID: number | null };
    after?: { partnerClientOrgID: number; identitiesRemoved?: number };
  };
  'organisation.playbookUpdated': Differing<ClientDetails['playbook']>;
  'organisation.reactivated': NothingMore;
  'organisation.retentionUpdated': Differing<ClientDetails['retention']>;
  'organisation.signInPolicyUpdated': Differing<NonNullable<ClientDetails['signInPolicy']>>;
  'session.ended': NothingMore | Added<{ reason: string }>;
  'sessions.ended': Added<{ ended: number }>;
  'user.created': Added<{
    organisationId: number;
    email: string;
    firstName: string;
    lastName: string;
    role: string;
    phoneNumber: string;
    isInvited: boolean;
  }>;
  'user.dataSaved': NothingMore;
  'user.deleted': Removed<{ email: string; role: string }>;
  'user.identityLinked': Added<{ issuer: string; subject: string }>;
  'user.invitationAccepted': NothingMore;
  'user.invited': NothingMore;
  'user.linkMade': Added<{ kind: 'invitation' | 'reset'; expiresAt: string }>;
  'user.mfaDisabled': NothingMore;
  'user.mfaReset': NothingMore;
  'user.mfaSet': NothingMore;
  'user.passkeyAdded': Added<{ name: string; host: string }>;
  'user.passkeyRemoved': Removed<{ name: string; host: string }>;
  'user.passwordChanged': NothingMore;
  'user.passwordReset': NothingMore;
  'user.passwordResetAsked': NothingMore;
  'user.pictureChanged': NothingMore;
  'user.pictureRemoved': NothingMore;
  'user.proofRefused': Added<{ method: Proof }>;
  'user.reactivated': Added<{ email: string; role: string }>;
  'user.recoveryCodeUsed': Added<{ left: number }>;
  'user.recoveryCodesMade': NothingMore;
  'user.signInRefused': Added<{ method: Proof }>;
  'user.signedIn': Added<{ method: string }>;
  'user.signedOut': NothingMore;
  'user.stepUpRefused': Added<{ method: StepUpMethod | 'singleSignOn' }>;
  'user.steppedUp': Added<{ method: StepUpMethod | 'singleSignOn' }>;
  /** Those fields that changed. */
  'user.updated': Change<Fields>;
  'users.exported': Added<Asked>;
  'view.deleted': Removed<View>;
  'view.saved': { before?: View; after: View };
}
