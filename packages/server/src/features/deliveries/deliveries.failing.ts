/** Emails administrators about targets that keep failing: deliveries themselves can’t. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { onOneLine } from '../../core/mail/render.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { type Failing, listFailing } from './deliveries.work.store.ts';

export interface FailingDeps {
  db: Database;
  clock: Clock;
  brand: Pick<BrandService, 'ofMails'>;
  outbox: Pick<OutboxService, 'queue'>;
  administratorsOf: (tx: Tx, organisationId: number) => Promise<string[]>;
}

const failingMs = hourMs;

const unsentText = ({ waiting, givenUp }: Failing): string =>
  `${waiting} ${waiting === 1 ? 'delivery waits' : 'deliveries wait'}; ${givenUp} ${givenUp === 1 ? 'was' : 'were'} given up`;

/** One email for each outage of a target, an hour after its first failure. */
export const emailFailing = ({ db, clock, brand, outbox, administratorsOf }: FailingDeps): Promise<void> =>
  scoped(db, 'system', async (tx) => {
    for (const target of await listFailing(tx, new Date(clock.now() - failingMs))) {
      const { organisationId, error, since } = target;
      const to = await administratorsOf(tx, organisationId);
      if (to.length === 0) continue;
      const name = onOneLine(target.name, 100);
      const { origin } = await brand.ofMails(tx, organisationId);
      await outbox.queue(tx, {
        organisationId,
        kind: 'delivery.failing',
        name: `delivery-target-${target.id}-${since.getTime()}`,
        to,
        subject: `Deliveries to ${name} fail`,
        title: `${name} has accepted nothing for an hour`,
        facts: [
          ['Failing since', `${since.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
          ['Newest failure', onOneLine(error, 300)],
          ['Unsent', unsentText(target)],
        ],
        paragraphs: [
          'Waiting deliveries are repeated for 72 hours. Those that were given up can be replayed once the cause is gone.',
        ],
        action: { label: 'Open deliveries', url: `${origin}/apps/deliveries?client=${organisationId}&target=${target.id}` },
      });
    }
  });
