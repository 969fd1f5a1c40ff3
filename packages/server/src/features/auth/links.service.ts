/** One-time links by mail, as other features ask for them. */
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
    title: 'A new password was asked for',
    paragraph: 'Somebody asked for a new password for your account. If that was you, set it with the button below.',
    label: 'Set a new password',
    notes: [
      'The link works once, for 30 minutes. Only the newest one counts.',
      'If it was not you, leave this mail alone: nothing changes without the link.',
    ],
  },
  invitation: {
    kind: 'user.invited',
    subject: 'Your account is ready',
    title: 'You have been invited',
    paragraph: 'An account was made for you. Set its password with the button below, then sign in with this email address.',
    label: 'Set your password',
    notes: ['The link works once, for 7 days.'],
  },
} as const;

export function createAuthLinks({
  outbox,
  originOf,
}: {
  outbox: OutboxService;
  /** Where an organisation's people reach the portal: from what is stored, never from a header. */
  originOf: (tx: Tx, organisationId: number) => Promise<string>;
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
    /** Mails a link by which a new user sets the first password. Part of the caller's transaction, in the portal's own scope. */
    invite: (tx: Tx, user: LinkOwner): Promise<void> => send(tx, user, 'invitation'),
    /** A new link for an administrator to pass on; every earlier one of the user ends. */
    async make(tx: Tx, user: LinkOwner, kind: LinkKind): Promise<{ url: string; expiresAt: Date }> {
      await endLinks(tx, user.id);
      const url = await urlOf(tx, user, kind);
      return { url, expiresAt: new Date(Date.now() + lifetimeMinutes[kind] * 60_000) };
    },
    /** Mails a link by which a forgotten password is set anew. */
    reset: (tx: Tx, user: LinkOwner): Promise<void> => send(tx, user, 'reset'),
  };
}
