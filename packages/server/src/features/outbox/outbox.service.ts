/**
 * Mails: written into the outbox by the transaction that they belong to, sent after its commit by a worker. Without a mail server they stay
 * in the outbox, where administrators read them. Links that work by themselves are sealed until then, and stored nowhere afterwards.
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
  /** The organisation that it concerns; its partner's brand is the mail's. */
  organisationId: number;
  /** What it is: user.invited, password.reset. */
  kind: string;
  to: string[];
  cc?: string[];
  /** Whose account it is about, where it carries a one-time link to it. */
  linkOf?: number;
  /**
   * What in its content and headers opens something for whoever has it: whole addresses with their tokens. They are sealed until delivery, then cut;
   * without a mail server they are not stored at all.
   */
  links?: readonly string[];
  /** The case that it is about, who sends it, and when. */
  ofCase?: { id: number; sentBy?: { id: number; name: string }; at: Date };
  /** Message-ID of the first mail of its thread; without one it begins a thread. */
  thread?: string | null;
  /** To whom alone this copy goes, of all that it names. */
  envelopeTo?: string[];
  headers?: Record<string, string>;
  /** Names the mail: a second one of the same name is not written. */
  name?: string;
  /** Files that go with it, by their keys in the store of files; they are removed once the mail has left. */
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
  /** Seal links until delivery. */
  keys: Pick<Keys, 'seal' | 'open'>;
  /** Where the files of mails are; without it none can go with one. */
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
        if (!content) throw new Error(`Its file ${name} is not there any more.`);
        return { filename: name, content, contentType: type };
      }),
    );

  const placeOf = (organisationId: number, messageId: string): Place => ({
    organisationId,
    column: 'mails.sealed_links',
    id: messageId,
  });

  /** With the links that were sealed. */
  const whole = async (mail: Mail) => {
    const { sealed_links, message_id } = mail;
    if (sealed_links === null || message_id === null) return mail;
    const text = await scoped(db, 'system', (tx) => keys.open(tx, placeOf(mail.organisation_id, message_id), sealed_links));
    return putLinksBack(mail, JSON.parse(text.toString()) as SealedLinks);
  };

  /** Hands a mail to the mail server. Answers who has not got it, and why; undefined when all have. */
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
        // As it was written: one that is sent again, because nobody knows whether it arrived, is the same mail.
        messageId: mail.message_id ?? `<mail-${mail.id}@${domainOf(mail.from_address)}>`,
        ...(mail.thread_id && mail.thread_id !== mail.message_id && { inReplyTo: mail.thread_id, references: mail.thread_id }),
        headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      if (rejected.length === 0) return undefined;
      return { error: `Not taken for ${rejected.join(', ')}: ${rejectedErrors?.[0]?.message ?? 'refused'}`, leftTo: rejected };
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
        log.warn({ mail: mail.id, error: failure.error }, 'a mail could not be sent');
      } else {
        await scoped(db, 'system', (tx) => markSent(tx, mail.id));
        for (const { key } of mail.attachments) await blobs?.remove(key);
      }
    }
  };

  return {
    /**
     * Part of the caller's transaction, which must have the portal's own scope. CR and LF in addresses or subject are refused. Answers the mail's id
     * and Message-ID; undefined where one of this name was written before.
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
        if (/[\r\n]/.test(text)) throw problem.invalid({ mail: ['An address or subject has a line break in it.'] });
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

    /** Whether mails leave this installation; without a mail server they are kept. */
    isSending: transport !== undefined,

    /** A mail's text as people read it in the portal. */
    readable: readableText,

    /** Sends what waits, one after the other; called after a commit and by the clock. */
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

/** Sends after each commit that queued a mail. Answers how to stop. */
export function startDeliveryWorker(bus: Bus, outbox: OutboxService, log: Log): () => void {
  const run = () => void outbox.deliver().catch((error) => log.error({ err: error }, 'mails could not be sent'));
  const ends = [bus.on('mail.queued', run), bus.on('bus.reconnected', run)];
  return () => {
    for (const end of ends) end();
  };
}
