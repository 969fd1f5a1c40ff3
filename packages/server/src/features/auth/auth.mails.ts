/** Notices to an account’s owner about MFA changes and failed sign-ins. */
import { type AccountOwner, accountNotice } from '../../domain/accountMails.ts';

export const factorSetMail = (owner: AccountOwner) =>
  accountNotice(
    owner,
    'user.mfaSet',
    'MFA was turned on',
    'MFA was turned on for your account. Signing in with your password now also requires a code from the authenticator app, a recovery code or a passkey.',
  );

export const factorDisabledMail = (owner: AccountOwner) =>
  accountNotice(
    owner,
    'user.mfaDisabled',
    'MFA was turned off',
    'MFA was turned off for your account. Its authenticator app, recovery codes and passkeys no longer work.',
  );

export const recoveryCodesRenewedMail = (owner: AccountOwner) =>
  accountNotice(
    owner,
    'user.recoveryCodesMade',
    'You have new recovery codes',
    'New recovery codes were generated for your account. The old ones no longer work.',
  );

export const recoveryCodeUsedMail = (owner: AccountOwner, left: number) =>
  accountNotice(
    owner,
    'user.recoveryCodeUsed',
    'A recovery code was used',
    `A recovery code was used to sign in to your account. Recovery codes left: ${left}.`,
  );

export const passkeyAddedMail = (owner: AccountOwner, host: string) =>
  accountNotice(
    owner,
    'user.passkeyAdded',
    'A passkey was added to your account',
    `A passkey for ${host} was added to your account. It can be used for MFA.`,
  );

export const passkeyRemovedMail = (owner: AccountOwner, host: string) =>
  accountNotice(
    owner,
    'user.passkeyRemoved',
    'A passkey was removed from your account',
    `A passkey for ${host} was removed from your account. It no longer works.`,
  );

export const wrongPasswordsMail = (owner: AccountOwner, wrong: number, minutes: number) =>
  accountNotice(
    owner,
    'user.wrongPasswords',
    'Failed sign-ins to your account',
    `At least ${wrong} sign-ins to your account failed within ${minutes} minutes because of a wrong password.`,
    'If this wasn’t you, use a password that you use nowhere else and turn on MFA in Settings. This email is sent at most once a day.',
  );
