/** Notices to users about changes to their account by others. */
import { type AccountOwner, accountNotice } from '../../domain/accountMails.ts';

export const passwordChangedMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.passwordChanged',
    'Your password has been changed',
    'The password of your account has been changed. Your other sessions have ended.',
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
    'MFA has been reset for your account',
    'The authenticator app, recovery codes and passkeys of your account no longer work. You’ll set up an authenticator app at your next sign-in.',
  );

/** Notice to the former address. */
export const addressChangedMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.emailChanged',
    'The email address of your account has been changed',
    'Your account now signs in with a different email address. This one is no longer associated with it.',
  );

/** Notice to the new address. */
export const newAddressMail = (user: AccountOwner) =>
  accountNotice(
    user,
    'user.emailChanged',
    'This is now the email address of your account',
    'Your account now signs in with this email address. The former one is no longer associated with it.',
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
    'Your account has been reactivated. A separate email contains a link to set a new password. MFA settings from before still apply.',
  );
