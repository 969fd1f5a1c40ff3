/** Audit actions of this feature, each with its before and after. */
import type { Added, Change, NoDetails, QueryInput, Removed } from '../../domain/audit.changes.ts';

type Fields = Readonly<Record<string, string>>;

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'user.created': Added<{
      organisationId: number;
      email: string;
      firstName: string;
      lastName: string;
      role: string;
      phoneNumber: string;
      isInvited: boolean;
    }>;
    'user.deleted': Removed<{ email: string; role: string }>;
    'user.invited': NoDetails;
    'user.linkMade': Added<{ kind: 'invitation' | 'reset'; expiresAt: string }>;
    'user.mfaReset': NoDetails;
    'user.passwordChanged': NoDetails;
    'user.pictureChanged': NoDetails;
    'user.pictureRemoved': NoDetails;
    'user.reactivated': Added<{ email: string; role: string }>;
    /** Changed fields only. */
    'user.updated': Change<Fields>;
    'users.exported': Added<QueryInput>;
  }
}
