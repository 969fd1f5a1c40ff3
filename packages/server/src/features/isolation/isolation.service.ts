/** Tries the isolation of organisations: a night's pairs by the clock, all of them on request of the provider’s Host; and reads the results. */
import { providerId } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { isolationApi } from '@parapet/contract/isolation.ts';
import { publish } from '../../core/bus.ts';
import { holdLock } from '../../core/db/lock.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Platform } from '../../core/feature.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import './isolation.audit.ts';
import './isolation.messages.ts';
import { createRunner, nightStartOf, type RunnerDeps } from './isolation.runner.ts';
import * as store from './isolation.store.ts';

export type IsolationService = ReturnType<typeof createIsolationService>;

export interface IsolationDeps extends RunnerDeps, Pick<Platform, 'url'> {
  requireProvidersHost(actor: Actor, action: string): void;
}

/** Time that one run of the job takes up; the next one goes on. */
const sliceMs = 10 * 60_000;
const maxFindings = 200;

/** Key of the lock of the process that works on a request. */
const requestLock = 7305;

export function createIsolationService({ requireProvidersHost, url, ...deps }: IsolationDeps) {
  const { db, clock, log } = deps;
  const runner = createRunner(deps);
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;
  const isStopped = () => isClosed;
  /** One at a time. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = running.then(work, work);
    running = next.catch(() => {});
    return next;
  };

  return {
    /** Pairs of this night that were not tried yet. */
    runNight: (): Promise<void> =>
      inTurn(async () => {
        const now = clock.now();
        await runner.runSince({ since: nightStartOf(now), deadline: now + sliceMs, all: false }, isStopped);
      }),

    /** A request of the Host, if there is one. */
    runRequested: (): Promise<void> =>
      inTurn(async () => {
        const requestedAt = await readScoped(db, 'system', store.findRequest);
        // Held: another process works on it.
        const lock = requestedAt && (await holdLock(url, requestLock, () => {}));
        if (!lock) return;
        try {
          await runner.runSince({ since: requestedAt.getTime(), deadline: Number.POSITIVE_INFINITY, all: true }, isStopped);
        } finally {
          if (!isClosed) await scoped(db, 'system', (tx) => store.finishRequest(tx, requestedAt, new Date(clock.now())));
          await lock.release();
        }
      }),

    async get(actor: Actor, client: number): Promise<AnswerOf<typeof isolationApi.get>> {
      const scope = scopeFor(actor, client);
      const { organisations, ...proof } = await readScoped(db, scope, (tx) => store.readProof(tx, scope, new Date(clock.now())));
      const ids = scope === 'system' ? [] : scope.organisationIds;
      const others = await readScoped(db, 'system', (tx) => store.countOthers(tx, ids));
      const counts = actor.organisationId === providerId ? { organisations, others } : { organisations: null, others: null };
      return { ...proof, triedAt: proof.triedAt?.toISOString() ?? null, isWhole: organisations >= others, ...counts };
    },

    async findings(actor: Actor): Promise<AnswerOf<typeof isolationApi.findings>> {
      requireProvidersHost(actor, 'read findings about isolation');
      return readScoped(db, 'system', async (tx) => ({
        results: (await store.listFindings(tx, maxFindings)).map(({ foundAt, ...row }) => ({
          ...row,
          foundAt: foundAt.toISOString(),
        })),
        total: await store.countFindings(tx),
        isRunning: (await store.findRequest(tx)) !== undefined,
      }));
    },

    async request(actor: Actor): Promise<void> {
      requireProvidersHost(actor, 'try the isolation of organisations');
      await scoped(db, 'system', async (tx) => {
        await store.saveRequest(tx, new Date(clock.now()));
        await recordAudit(tx, actor, { action: 'isolation.requested', organisationId: actor.organisationId });
        await publish(tx, 'isolation.requested', {});
      });
    },

    async close(): Promise<void> {
      isClosed = true;
      await running.catch((error) => log.warn({ err: error }, 'the isolation of organisations was not tried to the end'));
    },
  };
}
