/** What users are told by mail when somebody changes their account. */
import { greeting } from '../../core/mail/render.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import type { User } from './users.store.ts';

type Mail = Parameters<OutboxService['queue']>[1];
type Told = Pick<User, 'organisationId' | 'email' | 'firstName'>;

const unexpected = 'If you did not expect this, tell your administrator at once.';
const mail = (user: Told, kind: string, subject: string, said: string): Mail => ({
  organisationId: user.organisationId,
  kind,
  to: [user.email],
  subject,
  title: greeting(user.firstName),
  paragraphs: [said],
  notes: [unexpected],
});

export const passwordChangedMail = (user: Told) =>
  mail(
    user,
    'user.passwordChanged',
    'Your password has been changed',
    'The password of your account has been changed. Other sessions of yours have ended.',
  );

export const mfaResetMail = (user: Told) =>
  mail(
    user,
    'user.mfaReset',
    'Your second factor has been reset',
    'The authenticator app of your account does not count any more. The next sign-in asks you to set one up anew.',
  );

/** To the address that the account had. */
export const addressChangedMail = (user: Told) =>
  mail(
    user,
    'user.emailChanged',
    'The email address of your account has been changed',
    'Your account signs in with another email address from now on. This one does not belong to it any more.',
  );
