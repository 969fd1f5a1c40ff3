/**
 * Mails: written into the outbox by the transaction that they belong to, sent after its commit by a worker. Without a mail server they stay
 * in the outbox, where administrators read them.
 */
import type { MailRow } from '@parapet/contract/outbox.ts';
import { problem } from '@parapet/contract/problem.ts';
import { createTransport } from 'nodemailer';
import { type Bus, publish } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { type MailContent, renderMail } from '../../core/mail/render.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { inPlaceOfLink } from './outbox.rules.ts';
import { claimWaiting, findMail, insertMail, listMails, markFailed, markSent, type OutboxFilter } from './outbox.store.ts';

export interface NewMail extends MailContent {
  /** The organisation that it concerns; its partner's brand is the mail's. */
  organisationId: number;
  /** What it is: user.invited, password.reset. */
  kind: string;
  to: string[];
  cc?: string[];
  /** Whose account `action.url` is a one-time link to: it is shown only to those who could set that account's password anyway. */
  linkOf?: number;
}

export type OutboxService = ReturnType<typeof createOutboxService>;

export function createOutboxService({
  db,
  brand,
  smtpUrl,
  log,
}: {
  db: Database;
  brand: BrandService;
  smtpUrl: string | undefined;
  log: Log;
}) {
  const transport = smtpUrl === undefined ? undefined : createTransport(smtpUrl);
  let delivering: Promise<void> | undefined;

  const deliverAll = async (): Promise<void> => {
    if (!transport) return;
    for (;;) {
      const mail = await scoped(db, 'system', claimWaiting);
      if (!mail) return;
      try {
        await transport.sendMail({
          from: { name: mail.from_name, address: mail.from_address },
          to: mail.to_addresses,
          cc: mail.cc_addresses,
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: `<mail-${mail.id}@${mail.from_address.split('@')[1]}>`,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
        await scoped(db, 'system', (tx) => markSent(tx, mail.id));
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        await scoped(db, 'system', (tx) => markFailed(tx, mail.id, said));
        log.warn({ mail: mail.id, error: said }, 'a mail could not be sent');
      }
    }
  };

  return {
    /** Part of the caller's transaction, which must have the portal's own scope. CR and LF in addresses or subject are refused. */
    async queue(tx: Tx, { organisationId, kind, to, cc = [], linkOf, ...content }: NewMail): Promise<void> {
      for (const text of [...to, ...cc, content.subject])
        if (/[\r\n]/.test(text)) throw problem.invalid({ mail: ['An address or subject has a line break in it.'] });
      const look = await brand.ofMails(tx, organisationId);
      const { subject, text, html } = renderMail(look, content);
      await insertMail(tx, {
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
        link: linkOf === undefined ? null : (content.action?.url ?? null),
        state: transport ? 'waiting' : 'kept',
      });
      if (transport) await publish(tx, 'mail.queued', {});
    },

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
      const { link, linkOf, ...row } = mail;
      const instead = link === null ? undefined : inPlaceOfLink(actor, linkOf);
      return { ...row, text: link !== null && instead !== undefined ? row.text.replaceAll(link, instead) : row.text };
    },

    close: () => transport?.close(),
  };
}

/** Sends after each commit that queued a mail. Answers how to stop. */
export function deliverOnQueue(bus: Bus, outbox: OutboxService, log: Log): () => void {
  const run = () => void outbox.deliver().catch((error) => log.error({ err: error }, 'mails could not be sent'));
  const ends = [bus.on('mail.queued', run), bus.on('bus.reconnected', run)];
  return () => {
    for (const end of ends) end();
  };
}
