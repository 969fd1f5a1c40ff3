/**
 * A feature as the application composes it: `<feature>.register.ts` exports one function that builds the feature’s services from the platform and from
 * the services it depends on, and returns what each process role runs. Every value is optional but the service.
 */
import type { FastifyInstance } from 'fastify';
import type { Blobs } from './blobs.ts';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './db/connect.ts';
import type { Serving } from './http/serve.ts';
import type { Keys } from './keys/keys.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Infrastructure that every feature may use. */
export interface Platform {
  config: Config;
  /** Connection string of the application’s role, for connections outside the pool. */
  url: string;
  db: Database;
  bus: Bus;
  blobs: Blobs;
  keys: Keys;
  clock: Clock;
  metrics: Metrics;
  /** True while the demo replays its year: jobs that create cases stay idle. */
  isReplaying: () => boolean;
  log: Log;
}

export interface Job {
  /** Stored with the queue; unique in the installation. */
  name: string;
  /** Cron expression in UTC. */
  cron: string;
  run: () => Promise<void>;
}

export type Close = () => Promise<unknown> | unknown;

export interface Feature<Service = unknown> {
  /** Used by the features registered after it. */
  service: Service;
  /** Calls of people and API keys; registered by the role `api`. */
  routes?: (serving: Serving) => void | Promise<void>;
  /** Calls of shippers and agents; registered by the role `ingest`. */
  intakeRoutes?: (app: FastifyInstance) => void | Promise<void>;
  /** Scheduled by the role `worker`. */
  jobs?: readonly Job[];
  /** Started by the role `worker` after its jobs; each returns how to stop it. */
  workers?: readonly (() => Close)[];
  /** Called last to first when the application stops, before those of features registered earlier. */
  closers?: readonly Close[];
}
