/** Live stream: a few events each tick, and occasionally one that triggers a rule. */
import { backgroundWeight, harmless } from './background.ts';
import { fleetOf } from './fleet.ts';
import { shipment } from './history.ts';
import { sites } from './organisations.ts';
import { happen } from './plan.ts';
import { randomFor } from './random.ts';
import type { Emitted, Shipment } from './types.ts';

export interface LiveOptions {
  seed: string;
  /** Increments by one; the same tick at the same time yields the same events. */
  tick: number;
  /** Milliseconds since 1970 UTC. */
  now: number;
}

/** With a tick every five seconds: one alert trigger about every 75 seconds. */
const happeningChance = 1 / 15;
const eventsPerTick = [1, 4] as const;

/** Shipments of the last seconds, one for each client and index, oldest first. */
export function liveShipment({ seed, tick, now }: LiveOptions): Shipment[] {
  // Includes the time: ticks restart from 0, and events must not repeat.
  const random = randomFor(seed, 'live', tick, now);
  const moment = () => now - random.int(200, 4_800);
  const events: Emitted[] = [];
  for (let count = random.int(...eventsPerTick); count > 0; count--) {
    const site = random.weighted(sites, ({ share }) => share);
    const devices = fleetOf(site.organisationId).filter((device) => device.silentForDays === undefined);
    events.push(
      harmless(
        random.weighted(devices, ({ role }) => backgroundWeight[role]),
        moment(),
        random,
      ),
    );
  }
  if (random.chance(happeningChance)) {
    const site = random.weighted(sites, ({ share }) => share);
    const eventsUntil = (endsBefore: number) =>
      happen(site, randomFor(seed, 'live-happening', tick, now), now, () => now - endsBefore);
    // Multi-minute triggers end now: no event may be in the future.
    const happened = eventsUntil(1_500);
    const late = Math.max(0, ...happened.map((event) => event.at - now));
    events.push(...(late === 0 ? happened : eventsUntil(late + 2_000)));
  }
  const bundles = new Map<string, Emitted[]>();
  for (const event of events) {
    const key = `${event.organisationId}/${event.index}`;
    const bundle = bundles.get(key);
    if (bundle) bundle.push(event);
    else bundles.set(key, [event]);
  }
  return [...bundles.values()].map((bundle) => shipment(now, bundle));
}
