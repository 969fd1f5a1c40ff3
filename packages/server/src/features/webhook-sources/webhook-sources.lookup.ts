/** Webhook sources as the intake uses them: found by address, with the opened secret. */
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { WebhookLookup } from './webhook-sources.ports.ts';
import { addRefused, countRequest, findByAddress } from './webhook-sources.store.ts';

/** Data source of events that name no host. */
export const sourceNameOf = (name: string): string => `${name} (webhook)`;

const maxCached = 1_000;
/** Between writes of unproven requests to a source, in milliseconds. */
const unprovenMs = 60_000;

export function createWebhookLookup({
  db,
  keys,
  clock,
}: {
  db: Database;
  keys: Pick<Keys, 'open'>;
  clock: Clock;
}): WebhookLookup {
  const opened = new Map<number, { sealed: Buffer; secret: string }>();
  const unproven = new Map<number, { waiting: number; writtenAt: number }>();

  const secretOf = async (id: number, organisationId: number, sealed: Buffer): Promise<string> => {
    const known = opened.get(id);
    if (known?.sealed.equals(sealed)) return known.secret;
    const place = { organisationId, column: 'webhook_sources.secret', id } as const;
    const secret = (await readScoped(db, 'system', (tx) => keys.open(tx, place, sealed))).toString();
    if (opened.size >= maxCached) opened.clear();
    opened.set(id, { sealed, secret });
    return secret;
  };

  return {
    async find(address) {
      if (!/^[\w-]{24}$/.test(address)) return undefined;
      const row = await readScoped(db, 'system', (tx) => findByAddress(tx, address));
      if (!row) return undefined;
      const { id, organisationId, name, authentication, header, mapping, isPaused } = row;
      const secret = await secretOf(id, organisationId, row.secret);
      return { id, organisationId, source: sourceNameOf(name), authentication, header, secret, mapping, isPaused };
    },

    async count(source, request) {
      const refusal = request.refusal === undefined ? undefined : storable(request.refusal).slice(0, 500);
      const counted = { ...request, refusal, now: new Date(clock.now()) };
      await scoped(db, { organisationIds: [source.organisationId] }, (tx) => countRequest(tx, source, counted));
    },

    async countUnproven(source) {
      const now = clock.now();
      const { waiting, writtenAt } = unproven.get(source.id) ?? { waiting: 0, writtenAt: Number.NEGATIVE_INFINITY };
      const isDue = now - writtenAt >= unprovenMs;
      if (unproven.size >= maxCached && !unproven.has(source.id)) unproven.clear();
      unproven.set(source.id, isDue ? { waiting: 0, writtenAt: now } : { waiting: waiting + 1, writtenAt });
      if (isDue) await scoped(db, { organisationIds: [source.organisationId] }, (tx) => addRefused(tx, source, waiting + 1));
    },
  };
}
