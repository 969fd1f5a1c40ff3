/** One-time links by email: password resets and invitations. */
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import { greeting, onOneLine } from '../../core/mail/render.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { endLinks, insertLink, type LinkKind, lifetimeMinutes } from './links.store.ts';

export type AuthLinks = ReturnType<typeof createAuthLinks>;

export interface LinkOwner {
  id: number;
  organisationId: number;
  email: string;
  firstName: string;
}

interface LinkContent {
  kind: string;
  subject: string;
  title: string;
  facts?: readonly (readonly [string, string])[];
  paragraphs: readonly string[];
  label: string;
  notes: readonly string[];
}

const contents: Record<LinkKind, LinkContent> = {
  reset: {
    kind: 'password.reset',
    subject: 'Reset your password',
    title: 'Password reset requested',
    paragraphs: ['We received a request to reset the password of your account. Set a new one with the button below.'],
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
    paragraphs: ['An account was created for you. Set its password with the button below, then sign in with this email address.'],
    label: 'Set your password',
    notes: ['The link works once, for 7 days.'],
  },
};

interface Partner {
  partnerName: string;
  phoneNumber: string;
  emailAddress: string;
}

/** For the first administrator of an organisation: who watches over it, what comes next, and whom to ask. */
const welcomeContent = (organisation: string, { partnerName, phoneNumber, emailAddress }: Partner) => ({
  kind: 'client.welcome',
  subject: onOneLine(`Welcome to ${partnerName}`),
  title: `Welcome to ${partnerName}`,
  facts: [
    ['Organisation', organisation],
    ...(phoneNumber ? [['Phone', phoneNumber] as const] : []),
    ...(emailAddress ? [['Email', emailAddress] as const] : []),
  ] as const,
  paragraphs: [
    `${partnerName} monitors ${organisation} for attacks and responds to them. You are the administrator of its portal, where you see alerts, cases and reports.`,
    'Set your password with the button below and sign in with this email address. The setup checklist then shows what is left: escalation addresses, the first source of events, and a harmless test attack.',
  ],
  label: 'Set your password',
  notes: ['The link works once, for 7 days.'],
});

export function createAuthLinks({
  outbox,
  originOf,
  partnerOf,
  clock,
}: {
  outbox: OutboxService;
  /** Partner of an organisation, as its users see it. */
  partnerOf: (tx: Tx, organisationId: number) => Promise<Partner | undefined>;
  /** Portal origin for an organisation’s users: from stored brands, never from a request header. */
  originOf: (tx: Tx, organisationId: number) => Promise<string>;
  clock: Clock;
}) {
  const urlOf = async (tx: Tx, user: LinkOwner, kind: LinkKind): Promise<string> => {
    const token = await insertLink(tx, { userId: user.id, organisationId: user.organisationId, kind });
    return `${await originOf(tx, user.organisationId)}/passwordReset/${token}`;
  };
  const send = async (
    tx: Tx,
    user: LinkOwner,
    kind: LinkKind,
    { label, facts = [], paragraphs, notes, ...content }: LinkContent = contents[kind],
  ): Promise<void> => {
    const url = await urlOf(tx, user, kind);
    await outbox.queue(tx, {
      ...content,
      organisationId: user.organisationId,
      to: [user.email],
      facts: [...facts],
      paragraphs: [`${greeting(user.firstName)},`, ...paragraphs],
      action: { label, url },
      notes: [...notes],
      linkOf: user.id,
      links: [url],
    });
  };
  return {
    /** Emails a link to set the first password. Runs in the caller’s transaction, which needs the portal’s own scope. */
    invite: (tx: Tx, user: LinkOwner): Promise<void> => send(tx, user, 'invitation'),
    /** The same, for the first administrator of an organisation. */
    async welcome(tx: Tx, user: LinkOwner): Promise<void> {
      const partner = await partnerOf(tx, user.organisationId);
      const { name } = await tx
        .selectFrom('organisations')
        .select('name')
        .where('id', '=', user.organisationId)
        .executeTakeFirstOrThrow();
      await send(tx, user, 'invitation', partner && welcomeContent(name, partner));
    },
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
