/** Delivery of queued emails, one by one. */
import { createTransport } from 'nodemailer';
import type { Blobs } from '../../core/blobs.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import type { Metrics } from '../../core/metrics.ts';
import { singleFlight } from '../../core/singleFlight.ts';
import { putLinksBack, type SealedLinks } from './outbox.links.ts';
import { linksPlace } from './outbox.sealed.ts';
import { claimWaiting, cutAbandoned, domainOf, type Mail, markFailed, markSent } from './outbox.store.ts';

export interface DeliveryDeps {
  db: Database;
  keys: Pick<Keys, 'open'>;
  /** Storage of attachments; required to send any. */
  blobs?: Blobs;
  smtpUrl: string | undefined;
  /** Undefined: attempts are not counted. */
  metrics?: Pick<Metrics, 'delivered'>;
  log: Log;
}

type Transport = ReturnType<typeof transportTo>;
const transportTo = (smtpUrl: string) => createTransport(smtpUrl);

export function createDelivery(deps: DeliveryDeps) {
  const { db, blobs, smtpUrl, log } = deps;
  const transport = smtpUrl === undefined ? undefined : transportTo(smtpUrl);
  return {
    isSending: transport !== undefined,

    deliver: singleFlight(async () => {
      await scoped(db, 'system', cutAbandoned);
      if (!transport) return;
      for (;;) {
        const mail = await scoped(db, 'system', claimWaiting);
        if (!mail) return;
        const started = performance.now();
        const failure = await send(deps, transport, mail);
        deps.metrics?.delivered('email', failure ? 'retry' : 'accepted', (performance.now() - started) / 1000);
        if (failure) {
          await scoped(db, 'system', (tx) => markFailed(tx, mail.id, failure.error, failure.leftTo));
          log.warn({ mail: mail.id, error: failure.error }, 'sending an email failed');
        } else {
          await scoped(db, 'system', (tx) => markSent(tx, mail.id));
          for (const { key } of mail.attachments) await blobs?.remove(key);
        }
      }
    }),

    close: () => transport?.close(),
  };
}

/** Sends an email; returns the rejected recipients and the reason, or undefined when all accepted. */
async function send(
  deps: DeliveryDeps,
  transport: Transport,
  mail: Mail,
): Promise<{ error: string; leftTo?: string[] } | undefined> {
  try {
    const { text, html, headers } = await withLinks(deps, mail);
    const { rejected, rejectedErrors } = await transport.sendMail({
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
      attachments: await filesOf(deps, mail),
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
}

/** Decrypts the links of a stored email. */
async function withLinks({ db, keys }: DeliveryDeps, mail: Mail) {
  const { sealed_links: sealed, message_id: id } = mail;
  if (sealed === null || id === null) return mail;
  const text = await scoped(db, 'system', (tx) => keys.open(tx, linksPlace(mail.organisation_id, id), sealed));
  return putLinksBack(mail, JSON.parse(text.toString()) as SealedLinks);
}

const filesOf = ({ blobs }: DeliveryDeps, { attachments }: Mail) =>
  Promise.all(
    attachments.map(async ({ key, name, type }) => {
      const content = await blobs?.get(key);
      if (!content) throw new Error(`Its file ${name} no longer exists.`);
      return { filename: name, content, contentType: type };
    }),
  );
