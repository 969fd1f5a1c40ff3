import { targetKindOf, targetKinds } from '@parapet/connectors/out/all.ts';
import { deliveryDays } from '@parapet/contract/rules/deliveries.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { openOutbound } from '../../core/outbound.ts';
import { dayMs } from '../../domain/ranges.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { emailFailing, type FailingDeps } from './deliveries.failing.ts';
import { createPolls } from './deliveries.polls.ts';
import type { PollDeps } from './deliveries.readings.ts';
import { deliveriesRoutes } from './deliveries.routes.ts';
import { createDeliveriesService, type DeliveriesService } from './deliveries.service.ts';
import { createTurns } from './deliveries.turn.ts';
import { createVault } from './deliveries.vault.ts';
import { removeBefore } from './deliveries.work.store.ts';
import { createDeliveriesWorker, startDeliveriesWorker } from './deliveries.worker.ts';

const timeoutMs = 10_000;

export interface DeliveriesRegisterDeps
  extends Platform,
    Pick<FailingDeps, 'outbox' | 'administratorsOf'>,
    Pick<PollDeps, 'cases'> {
  brand: Pick<BrandService, 'ofMails'>;
  /** Simulated systems of the demo. */
  peers: readonly { kind: string; url: string; values: Record<string, string> }[];
}

export function registerDeliveries(deps: DeliveriesRegisterDeps): Feature<DeliveriesService> {
  const { config, db, keys, clock, bus, peers } = deps;
  const alsoOrigins = [...config.connectionOrigins, ...peers.map(({ url }) => url)];
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins, timeoutMs, proxy: config.egressProxy });
  const vault = createVault(db, keys);
  const examples = Object.fromEntries(peers.map(({ kind, values }) => [kind, values]));
  const turnDeps = { ...deps, vault, outbound, kindOf: targetKindOf, random: Math.random };
  const service = createDeliveriesService({ ...turnDeps, kinds: targetKinds, examples });
  const polls = createPolls(turnDeps);
  const start = () => startDeliveriesWorker(bus, createDeliveriesWorker({ ...deps, turns: createTurns(turnDeps) }));
  const removeOld = () => scoped(db, 'system', (tx) => removeBefore(tx, new Date(clock.now() - deliveryDays * dayMs)));
  return {
    service,
    routes: (serving) => deliveriesRoutes(serving, service),
    jobs: [
      { name: 'deliveries.removeOld', cron: '35 3 * * *', run: removeOld },
      { name: 'deliveries.readTickets', cron: '* * * * *', run: () => polls.runDue() },
      { name: 'deliveries.emailFailing', cron: '*/5 * * * *', run: () => emailFailing(deps) },
    ],
    workers: [start],
    closers: [() => outbound.close()],
  };
}
