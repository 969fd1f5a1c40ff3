/** Turns of delivery targets against simulated systems, on a real database, with a clock that the test moves. */
import { randomUUID } from 'node:crypto';
import { targetKindOf } from '@parapet/connectors/out/all.ts';
import type { TargetKind } from '@parapet/connectors/out/target.ts';
import type { DeliveryRuleInput } from '@parapet/contract/deliveries.ts';
import { deliveryEventValues } from '@parapet/contract/rules/deliveries.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Peer, Received } from '@parapet/world/peers/peer.ts';
import { type Insertable, sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { movableClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import type { Tables } from '../src/core/db/tables.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { type Cause, queueDeliveries } from '../src/domain/causes.ts';
import { pick } from '../src/domain/fields.ts';
import { findActorOfUser } from '../src/features/auth/auth.register.ts';
import { emailFailing, type FailingDeps } from '../src/features/deliveries/deliveries.failing.ts';
import { type CallDeps, createCall } from '../src/features/deliveries/deliveries.oncall.call.ts';
import { listPeople, replaceShifts } from '../src/features/deliveries/deliveries.oncall.store.ts';
import { openPushKeys } from '../src/features/deliveries/deliveries.push.keys.ts';
import { createPush } from '../src/features/deliveries/deliveries.push.ts';
import { insertRule } from '../src/features/deliveries/deliveries.rules.store.ts';
import { insertTarget, newTargetId } from '../src/features/deliveries/deliveries.store.ts';
import { createTurns, leaseMs, makeMessage, type TurnDeps } from '../src/features/deliveries/deliveries.turn.ts';
import { createPushVault, createVault, rotated } from '../src/features/deliveries/deliveries.vault.ts';
import { createDeliveriesWorker } from '../src/features/deliveries/deliveries.worker.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { keysOf } from './keys.ts';

/** Body of a webhook, verified by the published library at the time of its sending: the test’s clock. Throws for any other secret. */
export function verifiedWebhook(secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>): unknown {
  const { now } = Date;
  Date.now = () => Number(headers['webhook-timestamp']) * 1_000;
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = now;
  }
}

/** Everything of every client, at all times. */
export const everything = (targetId: number): DeliveryRuleInput => ({
  targetId,
  clientId: null,
  isOn: true,
  events: [...deliveryEventValues],
  minSeverity: 'informational',
  withEvents: true,
  digestMinutes: 0,
  verdicts: [],
  statuses: [],
  afterMinutes: 0,
  escalations: [],
  hours: null,
});

/** A brand with a name that tests look for. */
export const testBrand = {
  ofMails: async () => ({
    origin: 'https://portal.example',
    name: 'Harbor Security',
    accent: '#112233',
    senderName: 'Harbor Security',
    senderAddress: 'soc@harbor.example',
    footer: '',
  }),
};

/** The emails about a target: that it has failed for two hours, and to the person on call. */
export async function emailsOfTarget(deps: Omit<FailingDeps, 'administratorsOf'> & CallDeps, id: number): Promise<void> {
  const at = new Date(deps.clock.now());
  const { message, organisationId } = await scoped(deps.db, 'system', async (tx) => {
    const since = new Date(at.getTime() - 2 * hourMs);
    const failing = tx.updateTable('delivery_targets').set({ failing_since: since, error: 'No.' }).where('id', '=', id);
    const { organisation_id: owner } = await failing.returning('organisation_id').executeTakeFirstOrThrow();
    const [person] = await listPeople(tx, 'system', owner);
    await replaceShifts(tx, 'system', owner, 'UTC', [
      { userId: person!.id, place: 1, days: [1, 2, 3, 4, 5, 6, 7], from: 0, to: 1440 },
    ]);
    const about = { event: 'test', subject: 'test', objectId: 1, facts: {}, eventAt: at, messageId: randomUUID() };
    return { organisationId: owner, message: await makeMessage(tx, deps, owner, { ...about, clientId: owner, client: '' }) };
  });
  await emailFailing({ ...deps, administratorsOf: async () => ['admin@quay.example'] });
  await createCall(deps)({ id, organisationId, settings: { place: '1' } }, message);
}

export type DeliveriesFixture = Awaited<ReturnType<typeof deliveriesFixture>>;

export async function deliveriesFixture(
  peers: readonly Pick<Peer, 'url'>[],
  {
    given,
    timeoutMs = 2_000,
    ...over
  }: { given?: TestDatabase; timeoutMs?: number } & Partial<Pick<TurnDeps, 'kindOf' | 'brand' | 'fileOf'>> = {},
) {
  const database = given ?? (await testDatabase());
  const { db } = database;
  const clock = movableClock(Date.now());
  const keys = await keysOf(db);
  const vault = createVault(db, keys);
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: peers.map(({ url }) => url), timeoutMs });
  const mails: Parameters<CallDeps['outbox']['queue']>[1][] = [];
  const outbox = { queue: async (_tx: unknown, mail: (typeof mails)[number]) => void mails.push(mail), isSending: true };
  const [pushVault, pushKeys] = [createPushVault(db, keys), await openPushKeys(keys)];
  const ofPush = { pushVault, pushKeys, mailFrom: 'soc@harbor.example', actorNow: findActorOfUser };
  const deps: TurnDeps = {
    db,
    clock,
    call: createCall({ db, clock, outbox }),
    push: createPush({ db, clock, outbound, log: silentLog, ...ofPush }),
    vault,
    brand: testBrand,
    outbound,
    kindOf: targetKindOf,
    fileOf: async (organisationId, caseId, kind) => Buffer.from(`${kind} of case ${caseId} of ${organisationId}`),
    random: () => 0.5,
    log: silentLog,
    ...over,
  };
  const turns = createTurns(deps);
  let nextOrganisation = 800;

  const organisation = async (options: { isPartner?: boolean; parentId?: number; name?: string } = {}): Promise<number> => {
    const id = nextOrganisation++;
    await scoped(db, 'system', (tx) =>
      tx
        .insertInto('organisations')
        .values({
          id,
          name: options.name ?? `Organisation ${id}`,
          is_partner: options.isPartner ?? false,
          parent_id: options.parentId ?? null,
          is_mfa_compulsory: false,
        })
        .execute(),
    );
    return id;
  };

  return {
    database,
    db,
    clock,
    /** Emails to people on call. */
    mails,
    outbox,
    deps,
    push: { pushVault, pushKeys },
    organisation,
    /** Adds a target; returns its id and generated secret. */
    async target(organisationId: number, peer: Pick<Peer, 'kind' | 'values'>, more: Record<string, string> = {}) {
      const kind = deps.kindOf(peer.kind) as TargetKind;
      const values = { ...peer.values, ...more };
      const id = await scoped(db, 'system', newTargetId);
      const generated = rotated(kind, {}, clock.now());
      const secrets = await vault.seal(organisationId, id, { ...pick(kind.fields, values, true), ...generated?.secrets });
      const row = { id, organisationId, kind: peer.kind, name: `${peer.kind} ${id}`, settings: pick(kind.fields, values, false) };
      await scoped(db, 'system', (tx) => insertTarget(tx, { ...row, secrets, follows: kind.follows }));
      return { id, secret: generated?.secret ?? '' };
    },
    rule: (organisationId: number, input: DeliveryRuleInput) =>
      scoped(db, 'system', (tx) => insertRule(tx, organisationId, input)),
    /** Inserts a case; returns its id. */
    async case(organisationId: number, more: Partial<Insertable<Tables['cases']>> = {}): Promise<number> {
      const at = new Date(clock.now());
      const { id } = await scoped(db, 'system', (tx) =>
        tx
          .insertInto('cases')
          .values({
            organisation_id: organisationId,
            title: 'Password guessing on SRV-01',
            criticality: 4,
            first_alert_at: at,
            last_alert_at: at,
            ...more,
          } as Insertable<Tables['cases']>)
          .returning('id')
          .executeTakeFirstOrThrow(),
      );
      return id;
    },
    queue: (organisationId: number, ...causes: Omit<Cause, 'organisationId' | 'at'>[]) =>
      scoped(db, { organisationIds: [organisationId] }, (tx) =>
        queueDeliveries(
          tx,
          causes.map((cause) => ({ ...cause, organisationId, at: new Date(clock.now()) })),
        ),
      ),
    /** Takes a turn when the lease of a dead process is over. */
    turn: (id: number) => turns.run(id, new AbortController().signal),
    worker: () => createDeliveriesWorker({ db, clock, turns, log: silentLog }),
    rows: (targetId: number) =>
      scoped(db, 'system', (tx) =>
        tx.selectFrom('deliveries').selectAll().where('target_id', '=', targetId).orderBy('id').execute(),
      ),
    targetRow: (id: number) =>
      scoped(db, 'system', (tx) => tx.selectFrom('delivery_targets').selectAll().where('id', '=', id).executeTakeFirstOrThrow()),
    update: (id: number, set: string) =>
      scoped(db, 'system', (tx) => sql`update delivery_targets set ${sql.raw(set)} where id = ${id}`.execute(tx)),
    forward(ms: number): void {
      clock.moveTo(clock.now() + ms);
    },
    async close(): Promise<void> {
      await outbound.close();
      if (!given) await database.close();
    },
  };
}

export { leaseMs };
