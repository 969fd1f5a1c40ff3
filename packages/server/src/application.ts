/** The composition root: database, platform, features, jobs, listeners. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { providerId } from '@parapet/contract/access.ts';
import type { FastifyInstance } from 'fastify';
import { createApp, type RegisteredRoute } from './app.ts';
import { startDemo } from './application.demo.ts';
import { type FeatureDeps, registerFeatures } from './application.features.ts';
import { openStage } from './application.isolation.ts';
import { startWorkers } from './application.jobs.ts';
import { startSyslog } from './application.syslog.ts';
import { openBlobs } from './core/blobs.ts';
import { type Bus, onEach, openBus } from './core/bus.ts';
import { systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { connect, type Database, type DatabaseObserver } from './core/db/connect.ts';
import { APP_ROLE, appUrl, migrate } from './core/db/migrate.ts';
import { beginDatabase, type OpeningDatabase } from './core/db/open.ts';
import { readScoped, requireProvenScope, scoped } from './core/db/scope.ts';
import { tableOf } from './core/db/statement-table.ts';
import type { Close } from './core/feature.ts';
import type { Denied } from './core/http/serve.ts';
import { migrateJobs } from './core/jobs.ts';
import { openKeys } from './core/keys/keys.ts';
import { readMasterKeys } from './core/keys/master.ts';
import type { Log } from './core/log.ts';
import { createMetrics, type Metrics } from './core/metrics.ts';
import { listenForMetrics } from './core/metricsServer.ts';
import { traceStatement } from './core/telemetry/tracing.ts';
import { recordAudit } from './domain/audit.ts';
import { openClickHouse } from './domain/events/clickhouse/open.ts';
import { loadNetworks } from './domain/networks.ts';
import { createAddressThrottle } from './domain/throttle.ts';
import { createDetector, type Detector, readBuiltIn } from './pipeline/detector.ts';
import { createDeviceRegister, flushRegularly } from './pipeline/devices.ts';
import type { BuiltIn } from './pipeline/rule-set.ts';
import { sealedColumns } from './sealed-columns.ts';

const migrations = fileURLToPath(new URL('./migrations', import.meta.url));
const webDir = fileURLToPath(new URL('../../web/dist', import.meta.url));
/** Limit of the database round trip in /readyz. */
const readinessLimitMs = 2_000;
const cspReportsAMinute = 30;
const keyBesideDataText =
  'The master key lies in the same database as the secrets that it protects. Set SECRET_KEY, SECRET_KEY_FILE or SECRET_KEY_COMMAND: docs/operating.md, "Keys".';
const safeModeText =
  'Safe mode: jobs, workers, connections, deliveries, emails and agent tasks are off. Start without SAFE_MODE to end it.';

export interface RunningApplication {
  app: FastifyInstance;
  routes: readonly RegisteredRoute[];
  /** Ports that are open now, in the order of their connections. */
  readonly syslogPorts: number[];
  readonly syslogUdpPorts: number[];
  /** Port that serves metrics without a token. */
  metricsPort: number | undefined;
  /** Advice to the operator about this installation, a sentence each. */
  warnings: readonly string[];
  /** True when an account can administrate the installation. */
  hasHost(): Promise<boolean>;
  /** Builds what the first event of each log source would otherwise wait for. */
  prepare(): void;
  /** Resolves when everything of this process is ready; rejects when it cannot become so. */
  ready: Promise<void>;
  /** Stops accepting work, finishes what is under way, then closes the platform. */
  close(): Promise<void>;
}

/** Parts that may be under way before the start; each missing one begins there. */
export interface Begun {
  /** Resolves when the web pages may be served; the demo world does not wait for them. */
  pagesBuilt?: Promise<unknown>;
  database?: OpeningDatabase;
  builtIn?: Promise<BuiltIn>;
}

export async function startApplication(config: Config, log: Log, begun: Begun = {}): Promise<RunningApplication> {
  const { pagesBuilt = Promise.resolve(), database = beginDatabase(config, log) } = begun;
  const builtIn = begun.builtIn ?? readBuiltIn(config.rulesDir, join(config.dataDir, 'cache'));
  // Thrown where it is awaited.
  builtIn.catch(() => {});
  const { closers, ownerUrl } = database;
  const close = () => closeAll(closers, log);
  try {
    return Object.assign(await start({ config, log, closers, ownerUrl, builtIn }, pagesBuilt), { close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Last to first; logs failures. */
async function closeAll(closers: Close[], log: Log): Promise<void> {
  for (const close of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'something did not close cleanly');
    }
  }
  closers.length = 0;
}

type Start = Pick<FeatureDeps, 'config' | 'log'> & OpeningDatabase & { builtIn: Promise<BuiltIn> };

async function start(
  { config, log, closers, ownerUrl, builtIn }: Start,
  pagesBuilt: Promise<unknown>,
): Promise<Omit<RunningApplication, 'close'>> {
  const does = (role: Config['roles'][number]) => config.roles.includes(role);
  const works = does('worker') && !config.isSafeMode;
  /** Parts that are not ready yet. */
  const hasWorld = config.isDemo && !config.isSafeMode;
  const missing = new Set(hasWorld ? ['demo world'] : []);

  const version = pagesBuilt.then(versionOfPages);
  version.catch(() => {});
  const opening = { config, log, closers, ownerUrl, builtIn, isReplaying: () => missing.size > 0, version: () => version };
  const platform = await openPlatform(opening);
  const { bus, clock, metrics } = platform;
  const warnings = warningsOf(platform);
  for (const warning of warnings) log.warn({}, warning);
  const features = await registerFeatures(platform, closers);

  // Months first: jobs and intake write into their partitions.
  await features.retention.makeMonths();
  const beginJobs = works ? startWorkers(platform, features.all, closers) : async () => {};
  // Jobs go by the real clock, the demo's year by its own.
  const ready = hasWorld
    ? startDemo({ platform, features: features.demo, isWorker: works, closers }).then(() => {
        missing.delete('demo world');
        return beginJobs();
      })
    : beginJobs();
  ready.catch(() => {});
  if (!hasWorld) await ready;

  await pagesBuilt;
  const { app, routes } = await createApp({
    features: features.all,
    servesPeople: does('api'),
    servesIntake: does('ingest'),
    identify: features.identify,
    denied: auditDenied(platform),
    recordAccess: features.recordAccess,
    isUnderMaintenance: config.isUnderMaintenance,
    budgets: { limits: config.limits, raise: features.alarms.raise, refused: metrics.refused },
    log,
    trustProxy: config.trustProxy,
    webDir,
    notReady: async () => [...missing, ...((await bus.answersWithin(readinessLimitMs)) ? [] : ['database'])],
    metrics: { text: metrics.text, token: config.metricsToken },
    access: { detail: config.accessLog, answered: metrics.answered },
    cspReports: { throttle: createAddressThrottle(clock, cspReportsAMinute), counted: metrics.cspReported },
  });
  closers.push(() => app.close());
  const metricsServer = config.metricsListener && (await listenForMetrics({ ...config.metricsListener, text: metrics.text }));
  if (metricsServer) closers.push(() => metricsServer.close());
  const syslog = does('ingest') ? await startSyslog(platform, features) : undefined;
  if (syslog) closers.push(() => syslog.close());

  return {
    app,
    routes,
    get syslogPorts() {
      return syslog?.ports('tcp') ?? [];
    },
    get syslogUdpPorts() {
      return syslog?.ports('udp') ?? [];
    },
    metricsPort: metricsServer?.port,
    warnings,
    hasHost: () => hasHost(platform.db),
    prepare: () => platform.detector.prepare(),
    ready,
  };
}

export type PlatformDeps = Pick<FeatureDeps, 'isReplaying' | 'version'> & Start;

/** Migrates and connects the database, then opens everything that features share. */
export async function openPlatform({ closers, ownerUrl: opening, builtIn, ...deps }: PlatformDeps): Promise<FeatureDeps> {
  const { config, log } = deps;
  const ownerUrl = await opening;
  await migrate({ ownerUrl, folder: migrations, log, ...(config.appDatabaseUrl && { givenAppUrl: config.appDatabaseUrl }) });
  if (config.roles.includes('worker')) await migrateJobs(ownerUrl, APP_ROLE);
  const url = config.appDatabaseUrl ?? appUrl(ownerUrl);
  const metrics = createMetrics();
  if (config.otlp) {
    const { startTelemetry } = await import('./core/telemetry/otlp.ts');
    closers.push(startTelemetry(config.otlp, metrics));
  }
  const db = connect({
    url,
    applicationName: `portal ${config.roles.join(',')}`,
    poolSize: 20,
    isSafeMode: config.isSafeMode,
    observer: observing(metrics),
    log,
  });
  closers.push(() => db.close());
  await requireProvenScope(db);
  closers.push(await openClickHouse(db, config.clickHouse));
  if (config.addressTables.length > 0) log.info(await loadNetworks(config.addressTables), 'address tables were read');
  const bus = await openBus({ url, log, onSilence: () => db.suspend(), onAnswer: () => db.resume() });
  closers.push(() => bus.close());
  const keys = await openKeys({
    db,
    columns: sealedColumns,
    ...(await readMasterKeys(config)),
    onUnreadable: (column, count) => log.error({ column, count }, 'values that no configured key opens were left as they are'),
  });
  const detector = await createDetector({ db, builtIn: await builtIn });
  closers.push(followRules(detector, bus, log));
  const devices = createDeviceRegister(detector.sourcesOf, detector.fieldsOfSource);
  closers.push(flushRegularly(devices, db, log));
  return {
    ...deps,
    url,
    db,
    bus,
    blobs: openBlobs(config.s3, join(config.dataDir, 'files')),
    keys,
    clock: systemClock,
    metrics,
    detector,
    devices,
    openStage,
  };
}

const observing = ({ waited, ran }: Metrics): DatabaseObserver => ({
  waited,
  ran: (statement, started, error) => {
    const table = tableOf(statement);
    ran(table, (performance.now() - started) / 1000);
    traceStatement(table, statement, started, error);
  },
});

/** Interval of the check for changed rules, for a missed message. */
const rulesCheckMs = 60_000;

/** Takes up changed rules, and logs each that does not load once. */
function followRules(detector: Detector, bus: Bus, log: Log): Close {
  const logged = new Set<string>();
  const logFaults = () => {
    for (const fault of detector.faults) {
      const text = JSON.stringify(fault);
      if (!logged.has(text)) log.warn({ ...fault }, 'a rule did not load');
      logged.add(text);
    }
  };
  logFaults();
  const reload = () =>
    void detector.reload().then(logFaults, (error) => log.error({ err: error }, 'changed rules could not be read'));
  const off = onEach(bus, 'rules.changed', reload);
  const timer = setInterval(reload, rulesCheckMs).unref();
  return () => {
    off();
    clearInterval(timer);
  };
}

const hasHost = (db: Database): Promise<boolean> =>
  readScoped(db, 'system', async (tx) => {
    const host = await tx
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'Host')
      .where('organisation_id', '=', providerId)
      .where('is_deleted', '=', false)
      .limit(1)
      .executeTakeFirst();
    return host !== undefined;
  });

/** A demo protects nothing: its passwords are public. */
const warningsOf = ({ keys, config }: FeatureDeps): string[] => [
  ...(keys.isBesideData && !config.isDemo ? [keyBesideDataText] : []),
  ...(config.isSafeMode ? [safeModeText] : []),
];

const auditDenied =
  ({ db }: FeatureDeps): Denied =>
  (actor, operation, request) =>
    scoped(db, 'system', (tx) =>
      recordAudit(tx, actor, {
        action: 'call.denied',
        organisationId: actor.organisationId,
        // A path may carry a one-time token.
        target: `${operation} ${request.url.slice(0, 300).replace(/[\w-]{43,}/g, '(token)')}`,
      }),
    );

/** Version of the web pages that this process serves, for open pages to notice a newer one; 'dev' where none were built. */
async function versionOfPages(): Promise<string> {
  const stamp = await readFile(join(webDir, '.built-from')).catch(() => undefined);
  return stamp ? createHash('sha256').update(stamp).digest('hex').slice(0, 12) : 'dev';
}
