/** Audit actions of this feature, each with its before and after. */
import type { StepUpMethod } from '@parapet/contract/problem.ts';
import type { Added, NoDetails, Removed } from '../../domain/audit.changes.ts';

/** Method of a proof of identity, successful or not. */
type Proof = 'password' | 'mfa' | 'passkey' | 'recoveryCode';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'session.ended': NoDetails | Added<{ reason: string }>;
    'user.dataSaved': NoDetails;
    'user.identityLinked': Added<{ issuer: string; subject: string }>;
    'user.invitationAccepted': NoDetails;
    'user.mfaDisabled': NoDetails;
    'user.mfaSet': NoDetails;
    'user.passkeyAdded': Added<{ name: string; host: string }>;
    'user.passkeyRemoved': Removed<{ name: string; host: string }>;
    'user.passwordReset': NoDetails;
    'user.passwordResetAsked': NoDetails;
    'user.proofRefused': Added<{ method: Proof }>;
    'user.recoveryCodeUsed': Added<{ left: number }>;
    'user.recoveryCodesMade': NoDetails;
    'user.signInRefused': Added<{ method: Proof }>;
    'user.signedIn': Added<{ method: string }>;
    'user.signedOut': NoDetails;
    'user.stepUpRefused': Added<{ method: StepUpMethod | 'singleSignOn' }>;
    'user.steppedUp': Added<{ method: StepUpMethod | 'singleSignOn' }>;
  }
}
