/** Notices to an account's owner about its second factor and about guessed passwords. */
import { type AccountOwner, accountNotice } from '../../domain/accountMails.ts';

export const factorSetMail = (owner: AccountOwner) =>
  accountNotice(
    owner,
    'user.mfaSet',
    'A second factor was set up',
    'A second factor was set up for your account. From now on, each sign-in with your password asks for a code of the authenticator app, a recovery code or a passkey.',
  );

export const factorDisabledMail = (owner: AccountOwner) =>
  accountNotice(
    owner,
    'user.mfaDisabled',
    'Your second factor was turned off',
    'Two-factor authentication was turned off for your account. Its authenticator app, recovery codes and passkeys no longer work.',
  );

export const recoveryCodesMadeMail = (owner: AccountOwner) =>
  accountNotice(
    owner,
    'user.recoveryCodesMade',
    'You have new recovery codes',
    'New recovery codes were made for your account. The old ones no longer work.',
  );

export const recoveryCodeUsedMail = (owner: AccountOwner, left: number) =>
  accountNotice(
    owner,
    'user.recoveryCodeUsed',
    'A recovery code was used',
    `A recovery code of your account was used in place of its authenticator app. Recovery codes left: ${left}.`,
  );

export const passkeyAddedMail = (owner: AccountOwner, host: string) =>
  accountNotice(
    owner,
    'user.passkeyAdded',
    'A passkey was added to your account',
    `A passkey for ${host} was added to your account. It works as a second factor.`,
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
    'Wrong passwords were tried for your account',
    `${wrong} or more wrong passwords were tried for your account within ${minutes} minutes. None of them signed in.`,
    'If it was not you, make sure that nobody else could know your password, and turn on two-factor authentication in Settings. This mail is sent at most once a day.',
  );
