import { targetKindOf, targetKinds } from '@parapet/connectors/out/all.ts';
import { deliveryDays } from '@parapet/contract/rules/deliveries.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { openOutbound } from '../../core/outbound.ts';
import { createAddressThrottle } from '../../domain/throttle.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { removeReceipts } from './deliveries.callbacks.store.ts';
import { callbackRoutes, createReceive } from './deliveries.callbacks.ts';
import { type ChatDeps, createChat } from './deliveries.chat.ts';
import { emailFailing, type FailingDeps } from './deliveries.failing.ts';
import { type CallDeps, createCall } from './deliveries.oncall.call.ts';
import { onCallRoutes } from './deliveries.oncall.routes.ts';
import { endUnsent } from './deliveries.oncall.store.ts';
import { createOnCall } from './deliveries.oncall.ts';
import { createPolls, pollWhenDue } from './deliveries.polls.ts';
import { openPushKeys } from './deliveries.push.keys.ts';
import { createPush } from './deliveries.push.ts';
import type { PollDeps } from './deliveries.readings.ts';
import { deliveriesRoutes } from './deliveries.routes.ts';
import { createDeliveriesService, type DeliveriesService } from './deliveries.service.ts';
import { createTurns, type TurnDeps } from './deliveries.turn.ts';
import { createPushVault, createVault } from './deliveries.vault.ts';
import { removeBefore } from './deliveries.work.store.ts';
import { createDeliveriesWorker, startDeliveriesWorker } from './deliveries.worker.ts';

export { createOnCall } from './deliveries.oncall.ts';

const timeoutMs = 10_000;
/** Requests of one address in a minute; a whole chat product has few. */
const callbacksAMinute = 1_200;
/** Longer than any signature is valid. */
const receiptMs = hourMs;

export interface DeliveriesRegisterDeps
  extends Platform,
    Pick<FailingDeps, 'administratorsOf'>,
    Pick<CallDeps, 'outbox'>,
    Pick<PollDeps, 'cases'>,
    Pick<ChatDeps, 'actorNow'> {
  chatCases: ChatDeps['cases'];
  brand: Pick<BrandService, 'ofMails'>;
  fileOf: TurnDeps['fileOf'];
  /** Simulated systems of the demo. */
  peers: readonly { kind: string; url: string; values: Record<string, string> }[];
}

export async function registerDeliveries(deps: DeliveriesRegisterDeps): Promise<Feature<DeliveriesService>> {
  const { config, db, keys, clock, bus, peers } = deps;
  const alsoOrigins = [...config.connectionOrigins, ...peers.map(({ url }) => url)];
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins, timeoutMs, proxy: config.egressProxy });
  const vault = createVault(db, keys);
  const examples = Object.fromEntries(peers.map(({ kind, values }) => [kind, values]));
  const call = createCall(deps);
  const pushKeys = await openPushKeys(keys);
  const pushVault = createPushVault(db, keys);
  const push = createPush({ ...deps, outbound, pushVault, pushKeys, mailFrom: config.mailFrom });
  const turnDeps = { ...deps, push, vault, outbound, kindOf: targetKindOf, call, random: Math.random };
  const onCall = createOnCall(deps);
  const chatKey = await keys.shared('chat links');
  const service = createDeliveriesService({ ...turnDeps, pushVault, pushKeys, chatKey, kinds: targetKinds, examples });
  const chat = createChat({ ...deps, chatKey, cases: deps.chatCases });
  const throttle = createAddressThrottle(clock, callbacksAMinute);
  const receive = createReceive({ ...turnDeps, chat, throttle });
  const polls = createPolls(turnDeps);
  const start = () => startDeliveriesWorker(bus, createDeliveriesWorker({ ...deps, turns: createTurns(turnDeps) }));
  const startPolls = () => pollWhenDue(bus, polls);
  const removeOld = () =>
    scoped(db, 'system', async (tx) => {
      await removeBefore(tx, new Date(clock.now() - deliveryDays * dayMs));
      await removeReceipts(tx, new Date(clock.now() - receiptMs));
    });
  return {
    service,
    async routes(serving) {
      deliveriesRoutes(serving, service);
      onCallRoutes(serving, onCall);
      const { app, isUnderMaintenance = false } = serving;
      await callbackRoutes(app, receive, { clock, throttle, isUnderMaintenance });
    },
    jobs: [
      { name: 'deliveries.removeOld', cron: '35 3 * * *', run: removeOld },
      { name: 'deliveries.readTickets', cron: '* * * * *', run: () => polls.runDue() },
      { name: 'deliveries.emailFailing', cron: '*/5 * * * *', run: () => emailFailing(deps) },
      { name: 'deliveries.endUnsentCalls', cron: '* * * * *', run: () => scoped(db, 'system', endUnsent) },
    ],
    workers: [start, startPolls],
    closers: [() => outbound.close(), () => chat.close()],
  };
}
