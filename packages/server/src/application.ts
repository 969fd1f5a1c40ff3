/** The composition root, to be read from top to bottom: database → stores and services → jobs → listeners → doors. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { createApp, type RegisteredRoute } from './app.ts';
import { openCasework } from './application.casework.ts';
import { startDemo } from './application.demo.ts';
import { startJobs } from './application.jobs.ts';
import { openReporting } from './application.reports.ts';
import { createAfterwards } from './core/afterwards.ts';
import { openBlobs } from './core/blobs.ts';
import { openBus } from './core/bus.ts';
import { systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { connect } from './core/db/connect.ts';
import { APP_ROLE, appUrl, migrate } from './core/db/migrate.ts';
import { openDatabase } from './core/db/open.ts';
import { requireProvenScope, scoped } from './core/db/scope.ts';
import { createResolver } from './core/dns.ts';
import { migrateJobs } from './core/jobs.ts';
import { openKeys } from './core/keys/keys.ts';
import { readMasterKeys } from './core/keys/master.ts';
import { tendKeys } from './core/keys/rotate.ts';
import type { Log } from './core/log.ts';
import { createMetrics } from './core/metrics.ts';
import { listenForMetrics } from './core/metricsServer.ts';
import { openOutbound } from './core/outbound.ts';
import { createPasswordCheck } from './core/passwordCheck.ts';
import { recordAudit } from './domain/audit.ts';
import { createAccountService } from './features/account/account.service.ts';
import { createAgentProtocolService } from './features/agents/agentProtocol.service.ts';
import { createAgentsService } from './features/agents/agents.service.ts';
import { createAgentTasksService } from './features/agents/agentTasks.service.ts';
import { releaseKeyOf } from './features/agents/releaseKey.ts';
import { createReleasesService } from './features/agents/releases.service.ts';
import { openTaskKeys } from './features/agents/taskKeys.ts';
import { createAlarmsService, wrongPasswordsAMinute } from './features/alarms/alarms.service.ts';
import { createAlertsService } from './features/alerts/alerts.service.ts';
import { createAttackService } from './features/attack/attack.service.ts';
import { createAuditService } from './features/audit/audit.service.ts';
import { checkpointKey } from './features/audit/chain.format.ts';
import { createAuditSealer } from './features/audit/chain.sealer.ts';
import { checkpointSecret, verifyAll } from './features/audit/chain.verify.ts';
import { createAuthService } from './features/auth/auth.service.ts';
import { findActorOfUser } from './features/auth/auth.store.ts';
import { createIdentify } from './features/auth/identity.ts';
import { createIssuers } from './features/auth/issuers.ts';
import { createAuthLinks } from './features/auth/links.service.ts';
import { createSecondFactor } from './features/auth/mfa.service.ts';
import { removeSecondFactor } from './features/auth/mfa.store.ts';
import { createOwnFactorService } from './features/auth/ownFactor.service.ts';
import { createResetService } from './features/auth/reset.service.ts';
import { findAdministrators } from './features/auth/reset.store.ts';
import { createSessions, idleMinutes } from './features/auth/sessions.ts';
import { createSingleSignOn } from './features/auth/sso.service.ts';
import { createStepUp } from './features/auth/stepUp.service.ts';
import { createAddressThrottle, takeTry } from './features/auth/throttle.ts';
import { createTokens } from './features/auth/tokens.ts';
import { createBrandService } from './features/brand/brand.service.ts';
import { createBrandingService } from './features/brand/branding.service.ts';
import { createDomainsService } from './features/brand/domains.service.ts';
import { createBulkService } from './features/bulk/bulk.service.ts';
import { createBulkWorker } from './features/bulk/bulk.worker.ts';
import { createCollectorsService } from './features/collectors/collectors.service.ts';
import { createCorrelationService } from './features/correlation/correlation.service.ts';
import { createDashboardService } from './features/dashboard/dashboard.service.ts';
import { createProse } from './features/decisioning/decisioning.prose.ts';
import { createDecisioningService } from './features/decisioning/decisioning.service.ts';
import { demoForBrand } from './features/demo/demo.service.ts';
import { createDevicesService } from './features/devices/devices.service.ts';
import { createEventsService } from './features/events/events.service.ts';
import { createAdmission } from './features/ingest/admission.ts';
import { createIngestService } from './features/ingest/ingest.service.ts';
import { listenForSyslog } from './features/ingest/syslog.ts';
import { createIngestKeysService } from './features/ingest-keys/ingest-keys.service.ts';
import { createIntelligenceService } from './features/intelligence/intelligence.service.ts';
import { createMailSubscriptionsService } from './features/mail-subscriptions/mail-subscriptions.service.ts';
import { createOrganisationsService } from './features/organisations/organisations.service.ts';
import { createOutboxService } from './features/outbox/outbox.service.ts';
import { listUnfit } from './features/responses/responses.approvers.ts';
import { mayApproveAs, textOf } from './features/responses/responses.rules.ts';
import { createRetentionService } from './features/retention/retention.service.ts';
import { createRiskService } from './features/risk/risk.service.ts';
import { createSapphireService } from './features/sapphire/sapphire.service.ts';
import { createSearchService } from './features/search/search.service.ts';
import { createSilenceService } from './features/silence/silence.service.ts';
import { createSuppressionsService } from './features/suppressions/suppressions.service.ts';
import { createTagsService } from './features/tags/tags.service.ts';
import { createPictureAddresses, createPictures } from './features/users/users.pictures.ts';
import { createUsersService } from './features/users/users.service.ts';
import { createViewsService } from './features/views/views.service.ts';
import { createAdvisoriesService } from './features/vulnerabilities/advisories.service.ts';
import { createMatchingService } from './features/vulnerabilities/matching.service.ts';
import { createVulnerabilitiesService } from './features/vulnerabilities/vulnerabilities.service.ts';
import { createDetector } from './pipeline/detector.ts';
import { createDeviceRegister, flushRegularly } from './pipeline/devices.ts';
import { createEventWriter } from './pipeline/event-writer.ts';

const migrations = fileURLToPath(new URL('./migrations', import.meta.url));
const webDir = fileURLToPath(new URL('../../web/dist', import.meta.url));
const agentDir = fileURLToPath(new URL('../../agent/', import.meta.url));
const dayMs = 86_400_000;
/** How long the round trip of /readyz may take. */
const readinessLimitMs = 2_000;
/** Of one person to Sapphire. */
const messagesAMinute = 20;
const tooManyChecks = 'Domains were checked 20 times within ten minutes. Please wait before checking again.';
const tooManyMessages = 'That were 20 messages within a minute. Please wait a moment before you ask again.';
/** Of one address: a whole network may enrol from behind one. */
const enrolmentsAMinute = 300;
const cspReportsAMinute = 30;
const keyBesideDataText =
  'The master key lies in the same database as the secrets that it protects. Set SECRET_KEY, SECRET_KEY_FILE or SECRET_KEY_COMMAND: docs/operating.md, "Keys".';

export interface RunningApplication {
  app: FastifyInstance;
  routes: readonly RegisteredRoute[];
  syslogPorts: number[];
  /** Where metrics are served without a token. */
  metricsPort: number | undefined;
  /** What the operator should change about this installation, a sentence each. */
  warnings: readonly string[];
  /** Settles when everything of this process is ready; rejects when it cannot become so. */
  ready: Promise<void>;
  /** Stops taking anything in, finishes what is under way, then closes what is beneath. */
  close(): Promise<void>;
}

export async function startApplication(config: Config, log: Log): Promise<RunningApplication> {
  const does = (role: Config['roles'][number]) => config.roles.includes(role);
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) {
      try {
        await close();
      } catch (error) {
        log.error({ err: error }, 'something did not close cleanly');
      }
    }
    closers.length = 0;
  };

  try {
    // Database
    const ownerUrl = await openDatabase(config, log, closers);
    await migrate({ ownerUrl, folder: migrations, log, ...(config.appDatabaseUrl && { givenAppUrl: config.appDatabaseUrl }) });
    if (does('worker')) await migrateJobs(ownerUrl, APP_ROLE);
    const url = config.appDatabaseUrl ?? appUrl(ownerUrl);
    const db = connect({ url, applicationName: `portal ${config.roles.join(',')}`, poolSize: 20, log });
    closers.push(() => db.close());
    await requireProvenScope(db);
    const bus = await openBus({ url, log, onSilence: () => db.suspend(), onAnswer: () => db.resume() });
    const keys = await openKeys({
      db,
      ...(await readMasterKeys(config)),
      onUnreadable: (column, count) => log.error({ column, count }, 'values that no configured key opens were left as they are'),
    });
    // A demo protects nothing: its passwords are public.
    const warnings = keys.isBesideData && !config.isDemo ? [keyBesideDataText] : [];
    for (const warning of warnings) log.warn({}, warning);
    closers.push(() => bus.close());
    const metrics = createMetrics();
    const tokens = createTokens(await keys.shared('access tokens'));

    // Detection and intake
    const eventRetentionMs = config.eventRetentionDays * dayMs;
    const detector = await createDetector({ db, rulesDir: config.rulesDir });
    for (const fault of detector.faults) log.warn({ ...fault }, 'a rule did not load');
    const devices = createDeviceRegister(detector.sourcesOf);
    closers.push(flushRegularly(devices, db, log));
    const intakeOn = (clock: typeof systemClock) =>
      createIngestService({
        keeper: createEventWriter({ db, clock, detector, devices, groupingWindowMs: config.groupingWindowMs, log }),
        detector,
        clock,
        eventRetentionMs,
        counted: metrics.counted,
      });
    const ingest = intakeOn(systemClock);
    const silenceOn = (clock: typeof systemClock, { take }: typeof ingest) => createSilenceService({ db, clock, take, log });
    const ingestKeys = createIngestKeysService({ db });

    // What people ask
    const identify = createIdentify({ db, tokens });
    const alerts = createAlertsService({ db, bus, log });
    closers.push(() => alerts.close());
    const blobs = openBlobs(config.s3, join(config.dataDir, 'files'));
    const brand = createBrandService({
      db,
      blobs,
      publicUrl: config.publicUrl,
      mailFrom: config.mailFrom,
      demo: config.isDemo ? demoForBrand : null,
      hasOwnSingleSignOn: config.singleSignOn !== undefined,
      allowsRegistration: config.allowsRegistration,
      hasCustomerSuccess: config.customerSuccessUrl !== undefined,
      isUnderMaintenance: config.isUnderMaintenance,
      version: await versionOfPages(),
    });
    const organisations = createOrganisationsService({
      db,
      brand,
      branding: createBrandingService({ db, blobs, publicUrl: config.publicUrl, mailFrom: config.mailFrom }),
      keys,
      alertRetentionMonths: config.alertRetentionMonths,
      eventRetentionDays: config.eventRetentionDays,
      allowsInsecureIssuers: config.allowsInsecureIssuers,
    });
    const collectors = createCollectorsService({
      db,
      clock: systemClock,
      makeKey: async (actor, client, name) => (await ingestKeys.create(actor, client, name)).key,
      originOf: async (organisationId) => (await scoped(db, 'system', (tx) => brand.ofMails(tx, organisationId))).origin,
    });
    const outbox = createOutboxService({ db, brand, blobs, keys, smtpUrl: config.smtpUrl, log });
    closers.push(() => outbox.close());
    const alarms = createAlarmsService({
      db,
      clock: systemClock,
      outbox,
      countWrongPassword: createAddressThrottle(systemClock, wrongPasswordsAMinute),
      counted: metrics.alarmed,
      originOf: async (tx, organisationId) => (await brand.ofMails(tx, organisationId)).origin,
      log,
    });
    closers.push(() => alarms.close());
    const domains = createDomainsService({
      db,
      clock: systemClock,
      resolver: createResolver({ servers: config.dnsServers }),
      outbox,
      administratorsOf: findAdministrators,
      takeTry: (organisationId) =>
        scoped(db, 'system', (tx) => takeTry(tx, 'domain', organisationId, { most: 20, minutes: 10, text: tooManyChecks })),
      log,
    });
    const links = createAuthLinks({
      outbox,
      originOf: async (tx, organisationId) => (await brand.ofMails(tx, organisationId)).origin,
    });
    const addresses = createPictureAddresses(await keys.shared('picture addresses'), systemClock);
    const audit = createAuditService({ db });
    const auditKey = checkpointKey(await keys.shared(checkpointSecret));

    // Alerts become cases, and cases are judged
    const correlation = createCorrelationService({ db, log });
    const intelligence = createIntelligenceService({ db, clock: systemClock });
    const proseModel = config.proseModel;
    const modelClient =
      proseModel && openOutbound({ allowsInsecure: false, onlyOrigin: new URL(proseModel.url).origin, timeoutMs: 30_000 });
    closers.push(() => modelClient?.close());
    const decisioningOn = (clock: typeof systemClock) =>
      createDecisioningService({
        db,
        clock,
        lookUp: intelligence.lookUp,
        writeProse: proseModel && modelClient && createProse({ model: proseModel, outbound: modelClient, log }),
        log,
      });
    const decisioning = decisioningOn(systemClock);

    // Cases: what a change of one means is one thing, whoever asks for it
    const subscriptions = createMailSubscriptionsService({
      db,
      clock: systemClock,
      brand,
      outbox,
      key: await keys.shared('mail subscriptions'),
      approvals: { textOf, mayApproveAs, listUnfit },
    });
    const { socAddress, mailFrom } = config;
    const caseworkDeps = { db, bus, blobs, brand, outbox, alerts, verified: decisioning.verified, socAddress, mailFrom };
    const casework = openCasework({
      ...caseworkDeps,
      clock: systemClock,
      onChanged: subscriptions.caseChanged,
      told: subscriptions.clocksTold,
    });
    const { cases, manyCases, responses, caseMails } = casework;
    closers.push(() => cases.close());

    // Agents
    const releaseKey = await releaseKeyOf(config);
    const releases = createReleasesService({ db, blobs, clock: systemClock, releaseKey });
    const agentTasks = createAgentTasksService({ db, bus, clock: systemClock, blobs, onResult: responses.onResult, log });
    const taskKeys = await openTaskKeys({ db, clock: systemClock, secretOf: keys.shared });
    const agentProtocol = createAgentProtocolService({
      db,
      clock: systemClock,
      throttle: createAddressThrottle(systemClock, enrolmentsAMinute),
      onHolding: responses.onHolding,
      releaseKey,
      taskKeys,
    });

    const suppressions = createSuppressionsService({ db, setExcluded: manyCases.setExcluded });
    const bulkDeps = { db, cases: manyCases, alerts, suppressions };

    // Every way in
    const sessions = createSessions({
      tokens,
      partnerOf: brand.partnerOf,
      pictureUrl: addresses.urlOf,
      maxSessions: config.maxSessionsPerUser,
    });
    const throttle = createAddressThrottle(systemClock);
    const secondFactor = createSecondFactor({
      db,
      clock: systemClock,
      keys,
      sessions,
      outbox,
      brand,
    });
    const outbound = openOutbound({ allowsInsecure: config.allowsInsecureIssuers });
    closers.push(() => outbound.close());
    const singleSignOn = createSingleSignOn({
      db,
      brand,
      issuers: createIssuers({ outbound, clock: systemClock, allowsInsecure: config.allowsInsecureIssuers }),
      keys,
      sessions,
      throttle,
      own: config.singleSignOn,
      acrValues: config.secondFactorAcrValues,
      clock: systemClock,
      log,
    });
    const checkPassword = await createPasswordCheck(config.commonPasswordsFile);
    const afterwards = createAfterwards(db, log);
    closers.push(() => afterwards.close());
    const reset = createResetService({
      db,
      links,
      outbox,
      brand,
      throttle,
      allowsRegistration: config.allowsRegistration,
      checkPassword,
      afterwards,
    });
    const { customerSuccessUrl } = config;
    const auth = createAuthService({
      db,
      tokens,
      sessions,
      secondFactor,
      throttle,
      customerSuccessUrl,
      onWrongPassword: alarms.wrongPassword,
      outbox,
      afterwards,
    });

    const risk = createRiskService({ db });
    const attack = createAttackService({ db, isLoaded: detector.isLoaded });
    const vulnerabilitiesOn = (clock: typeof systemClock) =>
      createVulnerabilitiesService({
        db,
        clock,
        advisories: createAdvisoriesService({ db, clock }),
        matching: createMatchingService({ db, clock, log }),
        isLoaded: detector.isLoaded,
        alertRetentionMonths: config.alertRetentionMonths,
      });
    const vulnerabilities = vulnerabilitiesOn(systemClock);
    const { balance, reporting } = openReporting({ db, blobs, brand, outbox, attack, isLoaded: detector.isLoaded, log });
    const asked = {
      alerts,
      cases,
      dashboard: createDashboardService({ db, riskScoresNow: risk.scoresNow }),
      attack,
      vulnerabilities,
      risk,
      devices: createDevicesService({ db, upgrade: releases.upgradeDevices }),
      agents: createAgentsService({ db, clock: systemClock }),
    };
    const services = {
      ...asked,
      waysIn: { auth, secondFactor, singleSignOn, reset, stepUp: createStepUp({ db, secondFactor, throttle }) },
      brand,
      domains,
      outbox,
      users: createUsersService({ db, outbox, brand, addresses, links, removeSecondFactor, checkPassword }),
      pictures: createPictures({ db, blobs, addresses }),
      audit,
      organisations,
      balance,
      reporting,
      releases,
      tags: createTagsService({ db }),
      bulk: createBulkService(bulkDeps),
      responses,
      responseRequests: casework.responseRequests,
      caseMails,
      reviews: casework.reviews,
      subscriptions,
      suppressions,
      intelligence,
      events: createEventsService({ db, eventRetentionDays: config.eventRetentionDays }),
      ingestKeys,
      collectors,
      account: createAccountService({ db, idleMinutes, outbox }),
      ownFactor: createOwnFactorService({ db, outbox, brand, secondFactor }),
      views: createViewsService({ db }),
      search: createSearchService({ db }),
      sapphire: createSapphireService({
        db,
        clock: systemClock,
        log,
        services: { ...asked, responses: casework.responseRequests },
        takeMessage: (actor) =>
          scoped(db, 'system', (tx) =>
            takeTry(tx, 'sapphire', actor.userId, { most: messagesAMinute, minutes: 1, text: tooManyMessages }),
          ),
        model: proseModel && modelClient && { ...proseModel, outbound: modelClient },
      }),
    };

    const missing = new Set(config.isDemo ? ['demo world'] : []);

    // Work by the clock
    const retention = createRetentionService({
      db,
      clock: systemClock,
      log,
      alertRetentionMonths: config.alertRetentionMonths,
      eventRetentionDays: config.eventRetentionDays,
      longestWindowMs: detector.longestWindowMs,
    });
    await retention.makeMonths();
    if (does('worker'))
      await startJobs({
        url,
        bus,
        services,
        sealer: createAuditSealer({ db, clock: systemClock, key: auditKey, log }),
        verifyAudit: () => verifyAll({ db, publicKey: auditKey.publicKey, log }),
        retention,
        silence: silenceOn(systemClock, ingest),
        correlation,
        decisioning,
        bulkWorker: createBulkWorker({
          ...bulkDeps,
          actorNow: findActorOfUser,
          withdrawNotices: subscriptions.withdrawNotices,
          log,
        }),
        expireAgentTasks: agentTasks.expire,
        tendKeys: () => tendKeys(db, keys),
        makesCases: () => missing.size === 0,
        closers,
        log,
      });

    // Doors
    const { app, routes } = await createApp({
      services: does('api') ? services : undefined,
      ingest: does('ingest')
        ? {
            ingest,
            organisationOf: ingestKeys.organisationOf,
            agentOf: agentProtocol.agentOf,
            configFor: collectors.fileFor,
            admission: createAdmission(config.maxInflightBytes),
            counted: metrics.counted,
            log,
          }
        : undefined,
      agents: does('ingest')
        ? {
            wire: agentProtocol,
            taskKeys,
            tasks: agentTasks,
            releases,
            bundle: { agent: join(agentDir, 'dist/agent.mjs'), install: join(agentDir, 'install.sh') },
          }
        : undefined,
      identify,
      isUnderMaintenance: config.isUnderMaintenance,
      budgets: { limits: config.limits, raise: alarms.raise, refused: metrics.refused },
      denied: (actor, operation, request) =>
        scoped(db, 'system', (tx) =>
          recordAudit(tx, actor, {
            action: 'call.denied',
            organisationId: actor.organisationId,
            // A path may be a capability.
            target: `${operation} ${request.url.slice(0, 300).replace(/[\w-]{43,}/g, '(token)')}`,
          }),
        ),
      log,
      trustProxy: config.trustProxy,
      webDir,
      notReady: async () => [...missing, ...((await bus.answersWithin(readinessLimitMs)) ? [] : ['database'])],
      metrics: { text: metrics.text, token: config.metricsToken },
      cspReports: { throttle: createAddressThrottle(systemClock, cspReportsAMinute), counted: metrics.cspReported },
    });
    closers.push(() => app.close());
    const metricsServer = config.metricsListener && (await listenForMetrics({ ...config.metricsListener, text: metrics.text }));
    if (metricsServer) closers.push(() => metricsServer.close());
    const syslog =
      does('ingest') && config.syslog.length > 0
        ? await listenForSyslog({
            ingest,
            clock: systemClock,
            host: config.syslogHost,
            ports: config.syslog,
            isTakingIn: organisations.isTakingIn,
            tls: config.syslogTls,
            log,
          })
        : undefined;
    if (syslog) closers.push(() => syslog.close());

    const ready = config.isDemo
      ? startDemo({
          config,
          url,
          isWorker: does('worker'),
          caseworkDeps,
          intakeOn,
          silenceOn,
          judgingOn: decisioningOn,
          correlate: correlation.run,
          flushDevices: () => devices.flush(db),
          live: ingest,
          dropOld: retention.dropOld,
          importOwn: intelligence.importOwn,
          vulnerabilitiesOn,
          schedules: reporting.schedules,
          keys,
          closers,
          log,
        }).then(() => void missing.delete('demo world'))
      : Promise.resolve();
    ready.catch(() => {});
    return { app, routes, syslogPorts: syslog?.ports ?? [], metricsPort: metricsServer?.port, warnings, ready, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Names the web pages that this process serves, so that open ones notice newer ones; 'dev' where none were built. */
async function versionOfPages(): Promise<string> {
  const stamp = await readFile(join(webDir, '.built-from')).catch(() => undefined);
  return stamp ? createHash('sha256').update(stamp).digest('hex').slice(0, 12) : 'dev';
}
