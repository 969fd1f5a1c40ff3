/** Audit actions of this feature, each with its before and after. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { suppressionsApi } from '@parapet/contract/suppressions.ts';
import type { Added, Change, Instant } from '../../domain/audit.changes.ts';

/** The request’s body, or the attributes of the alert that the suppression was made from. */
type Suppression =
  | Omit<InputOf<typeof suppressionsApi.create>['body'], 'previewID'>
  | {
      organisationId: number;
      ruleId: number | null;
      deviceName: string | null;
      userName: string | null;
      reason: string;
      endTime: string;
      alertId: number;
    };

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'suppression.created': Added<Suppression>;
    'suppression.ended': Change<{ endTime: Instant }>;
  }
}
