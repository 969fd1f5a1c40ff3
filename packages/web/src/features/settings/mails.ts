/** Account security emails, which can’t be turned off. Optional kinds are in the contract, `mailSubscriptions.ts`. */
export interface MailKind {
  kind: string;
  title: string;
  hint: string;
}

export const mailKinds: readonly MailKind[] = [
  {
    kind: 'user.invited',
    title: 'Invitations and reset links',
    hint: 'Sent when you or an administrator requests them.',
  },
  {
    kind: 'password.changed',
    title: 'My password was changed',
    hint: 'Sent each time.',
  },
  {
    kind: 'user.mfaSet',
    title: 'My MFA was changed or a recovery code was used',
    hint: 'Sent each time.',
  },
  {
    kind: 'user.emailChanged',
    title: 'My email address was changed',
    hint: 'Sent to the old and the new address.',
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
