import { randomUUID } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import { publish } from '../../core/bus.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Keys } from '../../core/keys/keys.ts';
import { renderMail } from '../../core/mail/render.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { neverSentLink, takeLinksOut } from './outbox.links.ts';
import type { NewMail } from './outbox.ports.ts';
import { linksPlace } from './outbox.sealed.ts';
import { domainOf, insertMail } from './outbox.store.ts';

interface QueueDeps {
  brand: BrandService;
  keys: Pick<Keys, 'seal'>;
  /** False without a mail server: the email is only stored. */
  isSending: boolean;
}

/**
 * Queues an email in the caller’s transaction, which needs the portal’s own scope. Returns its id and Message-ID; undefined when one of
 * this name exists. Throws invalid for CR or LF in addresses or subject.
 */
export async function queueMail(
  tx: Tx,
  { brand, keys, isSending }: QueueDeps,
  mail: NewMail,
): Promise<{ id: number; messageId: string } | undefined> {
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
    isSending ? undefined : neverSentLink,
  );
  const { subject, text, html } = renderMail(look, content);
  const messageId = `<${name ?? randomUUID()}@${domainOf(look.senderAddress)}>`;
  const isSealed = isSending && links.length > 0;
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
    sealed_links: isSealed ? await keys.seal(tx, linksPlace(organisationId, messageId), JSON.stringify(sealed)) : null,
    link_hashes: hashes,
    state: isSending ? 'waiting' : 'kept',
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
  if (isSending) await publish(tx, 'mail.queued', {});
  return { id, messageId };
}
