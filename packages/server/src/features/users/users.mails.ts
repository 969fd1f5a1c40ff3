/** What users are told by mail when somebody changes their account. */
import { type AccountOwner, accountNotice } from '../../domain/accountMails.ts';

export const passwordChangedMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.passwordChanged',
    'Your password has been changed',
    'The password of your account has been changed. Other sessions of yours have ended.',
  );

export const linkMadeMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.linkMade',
    'A link to reset your password has been created',
    'An administrator created a one-time link to set a new password for your account. It works once, for 30 minutes.',
  );

export const mfaResetMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.mfaReset',
    'Your second factor has been reset',
    'The authenticator app, recovery codes and passkeys of your account no longer work. The next sign-in asks you to set up an authenticator app.',
  );

/** To the address that the account had. */
export const addressChangedMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.emailChanged',
    'The email address of your account has been changed',
    'Your account signs in with another email address from now on. This one does not belong to it any more.',
  );

/** To the address that the account has now. */
export const newAddressMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.emailChanged',
    'This is now the email address of your account',
    'Your account signs in with this email address from now on. The former one no longer belongs to it.',
  );

export const deletedMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.deleted',
    'Your account has been deleted',
    'Your account has been deleted. Its sessions and API keys have ended, and it can no longer sign in.',
  );

export const reactivatedMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.reactivated',
    'Your account has been reactivated',
    'Your account has been reactivated. Another mail has a link to set a new password. A second factor that was set up before still counts.',
  );
