/**
 * Email outbox: transactions queue emails, a worker sends them after the commit. Without a mail server they stay in the outbox, where
 * administrators can read them. Bearer links are encrypted until delivery and removed afterwards.
 */
import type { MailRow } from '@parapet/contract/outbox.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type Bus, onEach } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import { queryRows } from '../../domain/query/listed.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { createDelivery, type DeliveryDeps } from './outbox.delivery.ts';
import { readableText } from './outbox.links.ts';
import type { NewMail } from './outbox.ports.ts';
import { queueMail } from './outbox.queue.ts';
import { findMail, listMails, type OutboxFilter } from './outbox.store.ts';

export interface OutboxServiceDeps extends DeliveryDeps {
  brand: BrandService;
  /** Encrypts links until delivery. */
  keys: Pick<Keys, 'seal' | 'open'>;
  clock: Clock;
}

export type OutboxService = ReturnType<typeof createOutboxService>;

export function createOutboxService(deps: OutboxServiceDeps) {
  const { db, brand, keys, clock } = deps;
  const { isSending, deliver, close } = createDelivery(deps);
  return {
    queue: (tx: Tx, mail: NewMail) => queueMail(tx, { brand, keys, isSending }, mail),

    /** True when a mail server is configured; otherwise emails are only stored. */
    isSending,

    /** Readable text of an email for the portal. */
    readable: readableText,

    /** Sends queued emails one by one; runs after commits and on schedule. */
    deliver,

    async list(actor: Actor, client: number, filter: OutboxFilter): Promise<{ results: MailRow[]; total: number }> {
      const scope = scopeFor(actor, client);
      const rows = queryRows(actor, scope, filter.query, clock.now());
      return scoped(db, scope, (tx) => listMails(tx, scope, filter, rows), { readOnly: true });
    },

    async get(actor: Actor, id: number) {
      const scope = scopeOf(actor);
      const mail = await scoped(db, scope, (tx) => findMail(tx, scope, id), { readOnly: true });
      if (!mail) throw problem.notFound('mail', id);
      return { ...mail, text: readableText(mail.text) };
    },

    close,
  };
}

/** Sends emails after each commit that queued some. Returns a stop function. */
export const startDeliveryWorker = (bus: Bus, outbox: OutboxService, log: Log): (() => void) =>
  onEach(bus, 'mail.queued', () => void outbox.deliver().catch((error) => log.error({ err: error }, 'sending emails failed')));
