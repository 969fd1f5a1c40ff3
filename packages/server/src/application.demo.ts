/** The demo world: one process of the installation makes it on a clock of its own and keeps it moving, the others wait for it. */
import { setTimeout as pause } from 'node:timers/promises';
import { demoIndicators, demoIndicatorsName } from '@parapet/world/indicators.ts';
import { analystActionsOf, type CaseworkDeps, openCasework } from './application.casework.ts';
import { type Clock, movableClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { withExclusiveLock } from './core/db/lock.ts';
import { isDatabaseAway } from './core/db/scope.ts';
import type { Keys } from './core/keys/keys.ts';
import type { Log } from './core/log.ts';
import { sealerOf } from './features/auth/mfa.service.ts';
import type { CorrelationService } from './features/correlation/correlation.service.ts';
import type { DecisioningService } from './features/decisioning/decisioning.service.ts';
import { createDemoService } from './features/demo/demo.service.ts';
import type { DemoVulnerabilities } from './features/demo/demo.vulnerabilities.ts';
import type { IngestService } from './features/ingest/ingest.service.ts';
import type { IntelligenceService } from './features/intelligence/intelligence.service.ts';
import { createOutboxService } from './features/outbox/outbox.service.ts';
import type { ReportSchedules } from './features/reports/reports.schedules.ts';
import type { RetentionService } from './features/retention/retention.service.ts';
import type { SilenceService } from './features/silence/silence.service.ts';
import { eventIdOf } from './pipeline/steps/identify.ts';

const demoLock = 1;

export interface DemoDeps {
  config: Config;
  url: string;
  isWorker: boolean;
  caseworkDeps: Omit<CaseworkDeps, 'clock' | 'onChanged' | 'told'>;
  /** What the portal does on its own clock, done here on the clock of the demo's year. */
  intakeOn: (clock: Clock) => IngestService;
  silenceOn: (clock: Clock, intake: IngestService) => SilenceService;
  judgingOn: (clock: Clock) => DecisioningService;
  correlate: CorrelationService['run'];
  flushDevices: () => Promise<void>;
  /** The portal's own intake, for what goes on coming. */
  live: IngestService;
  dropOld: RetentionService['dropOld'];
  importOwn: IntelligenceService['importOwn'];
  vulnerabilitiesOn: (clock: Clock) => Pick<DemoVulnerabilities, 'importOwn' | 'scanOwn'>;
  schedules: Pick<ReportSchedules, 'list' | 'add'>;
  keys: Keys;
  closers: (() => Promise<unknown> | unknown)[];
  log: Log;
}

/** Settles when the world is there. */
export async function startDemo(parts: DemoDeps): Promise<void> {
  const { config, url, isWorker, caseworkDeps, closers, log } = parts;
  const { db, brand, alerts } = caseworkDeps;
  const clock = movableClock(Date.now());
  const scanClock = movableClock(Date.now());
  const judging = parts.judgingOn(clock);
  const intake = parts.intakeOn(clock);
  const silence = parts.silenceOn(clock, intake);
  const demo = createDemoService({
    db,
    clock,
    ingest: intake,
    watch: async (organisationId) => {
      await parts.flushDevices();
      await silence.watch(organisationId);
    },
    live: parts.live,
    seed: config.demoSeed,
    scale: config.demoScale,
    months: Math.min(12, config.alertRetentionMonths - 1),
    dropOld: parts.dropOld,
    judge: async (organisationId) => {
      await parts.correlate(organisationId);
      await judging.run(organisationId);
    },
    // Nobody is mailed about what happened before they came: the mails of that year are kept.
    hands: {
      ...analystActionsOf(
        db,
        alerts,
        openCasework({
          ...caseworkDeps,
          outbox: createOutboxService({ db, brand, keys: parts.keys, smtpUrl: undefined, log }),
          clock,
          onChanged: async () => {},
          told: async () => {},
        }),
      ),
      scheduleReport: async (actor, client, schedule) => {
        if ((await parts.schedules.list(actor, client)).total === 0) await parts.schedules.add(actor, client, schedule);
      },
    },
    eventIdOf,
    sealMfaSecret: sealerOf(parts.keys),
    vulnerabilities: { db, clock: scanClock, ...parts.vulnerabilitiesOn(scanClock) },
    log,
  });
  const closing = new AbortController();
  closers.push(() => closing.abort());
  const isMade = async () => {
    while (!closing.signal.aborted && !(await demo.isDone().catch(unlessAway))) await pause(500);
  };
  if (!isWorker) return isMade();
  const leading = withExclusiveLock(url, demoLock, closing.signal, async (until) => {
    if (!(await demo.isDone())) await parts.importOwn(demoIndicatorsName, 'csv', demoIndicators);
    await demo.make();
    if (until.aborted) return;
    const stop = demo.streamLive();
    await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
    stop();
  });
  leading.catch((error) => log.error({ err: error }, 'the demo world stands still'));
  await Promise.race([isMade(), leading]);
}

/** For a question that is asked again: a database that is away is no answer, every other failure is one. */
function unlessAway(error: unknown): false {
  if (isDatabaseAway(error)) return false;
  throw error;
}
