/** The mails that the portal sends to a user. Those about the account's own safety cannot be switched off. */
export interface MailKind {
  /** The key in the settings is `mail.{kind}`. */
  kind: string;
  title: string;
  hint: string;
  isFixed: boolean;
}

export const mailKinds: readonly MailKind[] = [
  {
    kind: 'user.invited',
    title: 'Invitations and reset links',
    hint: 'They come when you, or an administrator for you, ask for them.',
    isFixed: true,
  },
  {
    kind: 'password.changed',
    title: 'My password was changed',
    hint: 'Told each time, so that nobody changes it unseen.',
    isFixed: true,
  },
  {
    kind: 'user.mfaSet',
    title: 'A second factor was set up or reset',
    hint: 'Told each time, so that nobody changes it unseen.',
    isFixed: true,
  },
];
