/**
 * Email outbox: transactions queue emails, a worker sends them after the commit. Without a mail server they stay in the outbox, where
 * administrators can read them. Bearer links are encrypted until delivery and removed afterwards.
 */
import { randomUUID } from 'node:crypto';
import type { MailRow } from '@parapet/contract/outbox.ts';
import { problem } from '@parapet/contract/problem.ts';
import { createTransport } from 'nodemailer';
import type { Blobs } from '../../core/blobs.ts';
import { type Bus, publish } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { Place } from '../../core/keys/columns.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import { type MailContent, renderMail } from '../../core/mail/render.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { neverSentLink, putLinksBack, readableText, type SealedLinks, takeLinksOut } from './outbox.links.ts';
import {
  claimWaiting,
  cutAbandoned,
  findMail,
  insertMail,
  listMails,
  type Mail,
  markFailed,
  markSent,
  type OutboxFilter,
} from './outbox.store.ts';

export interface NewMail extends MailContent {
  /** Organisation concerned; determines the brand. */
  organisationId: number;
  /** Kind of email, such as user.invited or password.reset. */
  kind: string;
  to: string[];
  cc?: string[];
  /** User whose account a one-time link in the email opens. */
  linkOf?: number;
  /**
   * Bearer links in content and headers: whole addresses with their tokens. Encrypted until delivery, then removed; never stored without
   * a mail server.
   */
  links?: readonly string[];
  /** Case, sender and time of a case email. */
  ofCase?: { id: number; sentBy?: { id: number; name: string }; at: Date };
  /** Message-ID of the thread’s first email; starts a thread when absent. */
  thread?: string | null;
  /** Sole recipient of this copy among the listed addresses. */
  envelopeTo?: string[];
  headers?: Record<string, string>;
  /** Idempotency key: a second email of the same name is not queued. */
  name?: string;
  /** Attachments by storage key; removed once the email is sent. */
  attachments?: readonly { key: string; name: string; type: string }[];
}

export type OutboxService = ReturnType<typeof createOutboxService>;

export function createOutboxService({
  db,
  brand,
  keys,
  blobs,
  smtpUrl,
  log,
}: {
  db: Database;
  brand: BrandService;
  /** Encrypts links until delivery. */
  keys: Pick<Keys, 'seal' | 'open'>;
  /** Storage of attachments; required to send any. */
  blobs?: Blobs;
  smtpUrl: string | undefined;
  log: Log;
}) {
  const transport = smtpUrl === undefined ? undefined : createTransport(smtpUrl);
  let delivering: Promise<void> | undefined;

  const filesOf = (mail: Mail) =>
    Promise.all(
      mail.attachments.map(async ({ key, name, type }) => {
        const content = await blobs?.get(key);
        if (!content) throw new Error(`Its file ${name} no longer exists.`);
        return { filename: name, content, contentType: type };
      }),
    );

  const placeOf = (organisationId: number, messageId: string): Place => ({
    organisationId,
    column: 'mails.sealed_links',
    id: messageId,
  });

  /** Decrypts the links of a stored email. */
  const whole = async (mail: Mail) => {
    const { sealed_links, message_id } = mail;
    if (sealed_links === null || message_id === null) return mail;
    const text = await scoped(db, 'system', (tx) => keys.open(tx, placeOf(mail.organisation_id, message_id), sealed_links));
    return putLinksBack(mail, JSON.parse(text.toString()) as SealedLinks);
  };

  /** Sends an email; returns the rejected recipients and the reason, or undefined when all accepted. */
  const send = async (mail: Mail): Promise<{ error: string; leftTo?: string[] } | undefined> => {
    try {
      const { text, html, headers } = await whole(mail);
      const { rejected, rejectedErrors } = await transport!.sendMail({
        from: { name: mail.from_name, address: mail.from_address },
        to: mail.to_addresses,
        cc: mail.cc_addresses,
        envelope: {
          from: mail.from_address,
          to: mail.left_to ?? mail.envelope_to ?? [...mail.to_addresses, ...mail.cc_addresses],
        },
        subject: mail.subject,
        text,
        html,
        attachments: await filesOf(mail),
        // Same Message-ID and date on every attempt, so that a repeated delivery is recognisable.
        messageId: mail.message_id ?? `<mail-${mail.id}@${domainOf(mail.from_address)}>`,
        ...(mail.thread_id && mail.thread_id !== mail.message_id && { inReplyTo: mail.thread_id, references: mail.thread_id }),
        headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      if (rejected.length === 0) return undefined;
      return { error: `Refused for ${rejected.join(', ')}: ${rejectedErrors?.[0]?.message ?? 'refused'}`, leftTo: rejected };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };

  const deliverAll = async (): Promise<void> => {
    await scoped(db, 'system', cutAbandoned);
    if (!transport) return;
    for (;;) {
      const mail = await scoped(db, 'system', claimWaiting);
      if (!mail) return;
      const failure = await send(mail);
      if (failure) {
        await scoped(db, 'system', (tx) => markFailed(tx, mail.id, failure.error, failure.leftTo));
        log.warn({ mail: mail.id, error: failure.error }, 'sending an email failed');
      } else {
        await scoped(db, 'system', (tx) => markSent(tx, mail.id));
        for (const { key } of mail.attachments) await blobs?.remove(key);
      }
    }
  };

  return {
    /**
     * Queues an email in the caller’s transaction, which needs the portal’s own scope. Returns its id and Message-ID; undefined when one of
     * this name exists. Throws invalid for CR or LF in addresses or subject.
     */
    async queue(tx: Tx, mail: NewMail): Promise<{ id: number; messageId: string } | undefined> {
      const {
        organisationId,
        kind,
        to,
        cc = [],
        linkOf,
        links = [],
        ofCase,
        thread,
        envelopeTo,
        headers: written = {},
        name,
        attachments = [],
        ...rest
      } = mail;
      for (const text of [...to, ...cc, rest.subject, ...Object.values(written)])
        if (/[\r\n]/.test(text)) throw problem.invalid({ mail: ['An address or subject contains a line break.'] });
      const look = await brand.ofMails(tx, organisationId);
      const { content, headers, sealed, hashes } = takeLinksOut(
        { content: rest, headers: written },
        links,
        transport ? undefined : neverSentLink,
      );
      const { subject, text, html } = renderMail(look, content);
      const messageId = `<${name ?? randomUUID()}@${domainOf(look.senderAddress)}>`;
      const isSealed = transport !== undefined && links.length > 0;
      const id = await insertMail(tx, {
        organisation_id: organisationId,
        user_id: linkOf ?? null,
        kind,
        from_name: look.senderName,
        from_address: look.senderAddress,
        to_addresses: to,
        cc_addresses: cc,
        subject,
        text,
        html,
        sealed_links: isSealed ? await keys.seal(tx, placeOf(organisationId, messageId), JSON.stringify(sealed)) : null,
        link_hashes: hashes,
        state: transport ? 'waiting' : 'kept',
        message_id: messageId,
        thread_id: thread ?? messageId,
        envelope_to: envelopeTo ?? null,
        headers: JSON.stringify(headers),
        attachments: JSON.stringify(attachments),
        ...(ofCase && {
          case_id: ofCase.id,
          created_at: ofCase.at,
          sent_by: ofCase.sentBy?.id ?? null,
          sent_by_name: ofCase.sentBy?.name ?? '',
        }),
      });
      if (id === undefined) return undefined;
      if (transport) await publish(tx, 'mail.queued', {});
      return { id, messageId };
    },

    /** True when a mail server is configured; otherwise emails are only stored. */
    isSending: transport !== undefined,

    /** Readable text of an email for the portal. */
    readable: readableText,

    /** Sends queued emails one by one; runs after commits and on schedule. */
    deliver(): Promise<void> {
      delivering ??= deliverAll().finally(() => {
        delivering = undefined;
      });
      return delivering;
    },

    async list(actor: Actor, client: number, filter: OutboxFilter): Promise<{ results: MailRow[]; total: number }> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, (tx) => listMails(tx, scope, filter), { readOnly: true });
    },

    async get(actor: Actor, id: number) {
      const scope = scopeOf(actor);
      const mail = await scoped(db, scope, (tx) => findMail(tx, scope, id), { readOnly: true });
      if (!mail) throw problem.notFound('mail', id);
      return { ...mail, text: readableText(mail.text) };
    },

    close: () => transport?.close(),
  };
}

const domainOf = (address: string): string => address.split('@')[1] ?? 'localhost';

/** Sends emails after each commit that queued some. Returns a stop function. */
export function startDeliveryWorker(bus: Bus, outbox: OutboxService, log: Log): () => void {
  const run = () => void outbox.deliver().catch((error) => log.error({ err: error }, 'sending emails failed'));
  const ends = [bus.on('mail.queued', run), bus.on('bus.reconnected', run)];
  return () => {
    for (const end of ends) end();
  };
}
