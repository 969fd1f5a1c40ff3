/** Notices about the safety of an account, to its owner. */
import { greeting } from '../core/mail/render.ts';

export interface AccountOwner {
  organisationId: number;
  email: string;
  firstName: string;
}

export const accountNotice = (owner: AccountOwner, kind: string, subject: string, ...paragraphs: string[]) => ({
  organisationId: owner.organisationId,
  kind,
  to: [owner.email],
  subject,
  title: greeting(owner.firstName),
  paragraphs,
  notes: ['If you did not expect this, contact your administrator immediately.'],
});
