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
    title: 'A second factor was set up or reset',
    hint: 'Told each time, so that nobody changes it unseen.',
  },
];
