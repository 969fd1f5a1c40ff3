/** The mails about an account's own safety: they cannot be switched off. What can be is in the contract, `mailSubscriptions.ts`. */
export interface MailKind {
  kind: string;
  title: string;
  hint: string;
}

export const mailKinds: readonly MailKind[] = [
  {
    kind: 'user.invited',
    title: 'Invitations and reset links',
    hint: 'They come when you, or an administrator for you, ask for them.',
  },
  {
    kind: 'password.changed',
    title: 'My password was changed',
    hint: 'Told each time, so that nobody changes it unseen.',
  },
  {
    kind: 'user.mfaSet',
    title: 'My second factor was changed or a recovery code was used',
    hint: 'Told each time, so that nobody changes it unseen.',
  },
  {
    kind: 'user.emailChanged',
    title: 'My email address was changed',
    hint: 'Sent to the old and to the new address.',
  },
  {
    kind: 'user.deleted',
    title: 'My account was deleted or reactivated',
    hint: 'Sent each time.',
  },
  {
    kind: 'user.wrongPasswords',
    title: 'Many wrong passwords were tried for my account',
    hint: 'Sent at most once a day.',
  },
];
