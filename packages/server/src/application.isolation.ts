/** The portal once more, on a rehearsal of its database, without a port, jobs or workers: where the isolation probe makes its requests. */
import { setTimeout as pause } from 'node:timers/promises';
import { createApp } from './app.ts';
import { type FeatureDeps, registerFeatures } from './application.features.ts';
import type { Bus, BusMessages, Name } from './core/bus.ts';
import { movableClock } from './core/clock.ts';
import type { Close } from './core/feature.ts';
import type { Actor } from './core/http/actor.ts';
import type { ProbeDeps } from './features/isolation/isolation.register.ts';
import { createDeviceRegister } from './pipeline/devices.ts';

/** Time for messages to reach a stream; live searches are read every two seconds. */
const usualStreamMs = 4_500;
/** A longer one counts as failed. */
const answerMs = 30_000;
const noAnswer = { status: 504, bytes: Buffer.alloc(0) };
const actorHeader = 'x-actor';

/** Messages of this process only. */
function localBus() {
  const handlers = new Map<string, Set<(event: object) => void>>();
  const bus: Bus = {
    on: (name, handler) => {
      const of = handlers.get(name) ?? new Set();
      handlers.set(name, of.add(handler as (event: object) => void));
      return () => void of.delete(handler as (event: object) => void);
    },
    isListening: () => true,
    answersWithin: async () => true,
    close: async () => {},
  };
  const emit = <N extends Name>(name: N, event: BusMessages[N]) => {
    for (const handler of handlers.get(name) ?? []) handler(event);
  };
  return { bus, emit };
}

export const openStage =
  (platform: FeatureDeps, streamMs = usualStreamMs): ProbeDeps['open'] =>
  async (db, now) => {
    const closers: Close[] = [];
    const clock = movableClock(now);
    const { bus, emit } = localBus();
    const config = { ...platform.config, isDemo: false, isSafeMode: false, roles: ['api' as const] };
    const devices = createDeviceRegister(platform.detector.sourcesOf);
    const metrics = { ...platform.metrics, measureBy: () => {} };
    const features = await registerFeatures({ ...platform, config, db, bus, clock, metrics, devices }, closers);
    const actors = new Map<string, Actor>();
    const { app } = await createApp({
      features: features.all,
      servesPeople: true,
      servesIntake: false,
      identify: async ({ headers }) => actors.get(String(headers[actorHeader])),
      denied: async () => {},
      log: platform.log,
      trustProxy: false,
      webDir: '',
      notReady: async () => [],
      metrics: { text: async () => '', token: undefined },
    });
    const headersOf = (actor: Actor) => {
      actors.set(String(actor.userId), actor);
      return { [actorHeader]: String(actor.userId) };
    };
    return {
      async send(request, actor) {
        const answered = new AbortController();
        const pending = app.inject({ ...request, headers: headersOf(actor) });
        const late = pause(answerMs, undefined, { ref: false, signal: answered.signal });
        // Cleared at once: until then a timer would hold its whole request.
        const response = await Promise.race([pending, late]).finally(() => answered.abort());
        return response ? { status: response.statusCode, bytes: response.rawPayload } : noAnswer;
      },
      async follow(requests, actor, objects) {
        const streams = await Promise.all(
          requests.map(async (request) => {
            const response = await app.inject({ ...request, headers: headersOf(actor), payloadAsStream: true });
            const parts: Buffer[] = [];
            const stream = response.stream().on('data', (part: Buffer) => parts.push(part));
            return { status: response.statusCode, parts, stream };
          }),
        );
        if (streams.some(({ status }) => status === 200)) {
          // Live searches show what arrives after their beginning.
          clock.moveTo(Math.max(now, ...objects.map(({ alertAt }) => alertAt.getTime())) + 1);
          for (const { organisationId, alertId, caseId } of objects) {
            emit('alert.raised', { organisationId, alertIds: [alertId] });
            emit('case.changed', { organisationId, caseIds: [caseId], isNew: true });
          }
          await pause(streamMs);
          clock.moveTo(now);
        }
        return streams.map(({ status, parts, stream }) => {
          stream.destroy();
          return { status, bytes: Buffer.concat(parts) };
        });
      },
      async close() {
        await app.close();
        for (const close of closers.reverse()) await close();
      },
    };
  };
