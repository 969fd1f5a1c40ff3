/** One-time links by email: password resets and invitations. */
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import { greeting } from '../../core/mail/render.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { endLinks, insertLink, type LinkKind, lifetimeMinutes } from './links.store.ts';

export type AuthLinks = ReturnType<typeof createAuthLinks>;

export interface LinkOwner {
  id: number;
  organisationId: number;
  email: string;
  firstName: string;
}

const contents = {
  reset: {
    kind: 'password.reset',
    subject: 'Reset your password',
    title: 'Password reset requested',
    paragraph: 'We received a request to reset the password of your account. Set a new one with the button below.',
    label: 'Set a new password',
    notes: [
      'The link works once, for 30 minutes. Only the newest one counts.',
      'If you didn’t request this, ignore this email. Your password stays the same.',
    ],
  },
  invitation: {
    kind: 'user.invited',
    subject: 'Your account is ready',
    title: 'You have been invited',
    paragraph: 'An account was created for you. Set its password with the button below, then sign in with this email address.',
    label: 'Set your password',
    notes: ['The link works once, for 7 days.'],
  },
} as const;

export function createAuthLinks({
  outbox,
  originOf,
  clock,
}: {
  outbox: OutboxService;
  /** Portal origin for an organisation’s users: from stored brands, never from a request header. */
  originOf: (tx: Tx, organisationId: number) => Promise<string>;
  clock: Clock;
}) {
  const urlOf = async (tx: Tx, user: LinkOwner, kind: LinkKind): Promise<string> => {
    const token = await insertLink(tx, { userId: user.id, organisationId: user.organisationId, kind });
    return `${await originOf(tx, user.organisationId)}/passwordReset/${token}`;
  };
  const send = async (tx: Tx, user: LinkOwner, kind: LinkKind): Promise<void> => {
    const { paragraph, label, ...content } = contents[kind];
    const url = await urlOf(tx, user, kind);
    await outbox.queue(tx, {
      ...content,
      organisationId: user.organisationId,
      to: [user.email],
      paragraphs: [`${greeting(user.firstName)},`, paragraph],
      action: { label, url },
      notes: [...content.notes],
      linkOf: user.id,
      links: [url],
    });
  };
  return {
    /** Emails a link to set the first password. Runs in the caller’s transaction, which needs the portal’s own scope. */
    invite: (tx: Tx, user: LinkOwner): Promise<void> => send(tx, user, 'invitation'),
    /** Creates a link for an administrator to hand over; revokes the user’s earlier links. */
    async make(tx: Tx, user: LinkOwner, kind: LinkKind): Promise<{ url: string; expiresAt: Date }> {
      await endLinks(tx, user.id);
      const url = await urlOf(tx, user, kind);
      return { url, expiresAt: new Date(clock.now() + lifetimeMinutes[kind] * 60_000) };
    },
    /** Emails a password-reset link. Runs in the caller’s transaction. */
    reset: (tx: Tx, user: LinkOwner): Promise<void> => send(tx, user, 'reset'),
  };
}
