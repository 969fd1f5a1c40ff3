/** The composition root, to be read from top to bottom: database → stores and services → jobs → listeners → doors. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { createApp, type RegisteredRoute } from './app.ts';
import { recordAudit } from './core/audit.ts';
import { openBlobs } from './core/blobs.ts';
import { openBus } from './core/bus.ts';
import { systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { connect } from './core/db/connect.ts';
import { APP_ROLE, appUrl, migrate } from './core/db/migrate.ts';
import { openDatabase } from './core/db/open.ts';
import { scoped } from './core/db/scope.ts';
import { migrateJobs } from './core/jobs.ts';
import type { Log } from './core/log.ts';
import { createMetrics } from './core/metrics.ts';
import { openOutbound } from './core/outbound.ts';
import { createSeal, sharedSecret } from './core/secrets.ts';
import { createAccountService } from './features/account/account.service.ts';
import { createAgentsService } from './features/agents/agents.service.ts';
import { createAgentTasksService } from './features/agents/agentTasks.service.ts';
import { createAgentWireService } from './features/agents/agentWire.service.ts';
import { releaseKeyOf } from './features/agents/releaseKey.ts';
import { createReleasesService } from './features/agents/releases.service.ts';
import { createAlertsService } from './features/alerts/alerts.service.ts';
import { createAttackService } from './features/attack/attack.service.ts';
import { createAuditService } from './features/audit/audit.service.ts';
import { createAuthService } from './features/auth/auth.service.ts';
import { findActorOfUser } from './features/auth/auth.store.ts';
import { createIdentify } from './features/auth/identity.ts';
import { createIssuers } from './features/auth/issuers.ts';
import { createAuthLinks } from './features/auth/links.service.ts';
import { createSecondFactor } from './features/auth/mfa.service.ts';
import { createResetService } from './features/auth/reset.service.ts';
import { createSessions, idleMinutes } from './features/auth/sessions.ts';
import { createSingleSignOn } from './features/auth/sso.service.ts';
import { createAddressThrottle, takeTry } from './features/auth/throttle.ts';
import { createTokens } from './features/auth/tokens.ts';
import { createBrandService } from './features/brand/brand.service.ts';
import { createBrandingService } from './features/brand/branding.service.ts';
import { createBulkService } from './features/bulk/bulk.service.ts';
import { createBulkWorker } from './features/bulk/bulk.worker.ts';
import { mayApproveAs, textOf } from './features/cases/responses.rules.ts';
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
import { openCasework } from './house.casework.ts';
import { startDemo } from './house.demo.ts';
import { startJobs } from './house.jobs.ts';
import { openReporting } from './house.reports.ts';
import { createDetector } from './pipeline/detector.ts';
import { createDeviceRegister, flushRegularly } from './pipeline/devices.ts';
import { createKeeper } from './pipeline/keep.ts';

const migrations = fileURLToPath(new URL('./migrations', import.meta.url));
const webDir = fileURLToPath(new URL('../../web/dist', import.meta.url));
const agentDir = fileURLToPath(new URL('../../agent/', import.meta.url));
const dayMs = 86_400_000;
/** Of one person to Sapphire. */
const messagesAMinute = 20;
const tooManyMessages = 'That were 20 messages within a minute. Please wait a moment before you ask again.';
/** Of one address: a whole network may enrol from behind one. */
const enrolmentsAMinute = 300;

export interface House {
  app: FastifyInstance;
  routes: readonly RegisteredRoute[];
  syslogPorts: number[];
  /** Settles when everything of this process is ready; rejects when it cannot become so. */
  ready: Promise<void>;
  /** Stops taking anything in, finishes what is under way, then closes what is beneath. */
  close(): Promise<void>;
}

export async function openHouse(config: Config, log: Log): Promise<House> {
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
    const bus = await openBus({ url, log });
    closers.push(() => bus.close());
    const metrics = createMetrics();
    const tokens = createTokens(await sharedSecret(db, 'access tokens', config.secretKey));

    // Detection and intake
    const eventRetentionMs = config.eventRetentionDays * dayMs;
    const detector = await createDetector({ db, rulesDir: config.rulesDir });
    for (const fault of detector.faults) log.warn({ ...fault }, 'a rule did not load');
    const devices = createDeviceRegister(detector.sourcesOf);
    closers.push(flushRegularly(devices, db, log));
    const intakeOn = (clock: typeof systemClock) =>
      createIngestService({
        keeper: createKeeper({ db, clock, detector, devices, foldWindowMs: config.foldWindowMs, log }),
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
    const providerSeal = createSeal(await sharedSecret(db, 'identity providers', config.secretKey));
    const organisations = createOrganisationsService({
      db,
      brand,
      branding: createBrandingService({ db, blobs, publicUrl: config.publicUrl }),
      seal: providerSeal,
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
    const outbox = createOutboxService({ db, brand, blobs, smtpUrl: config.smtpUrl, log });
    closers.push(() => outbox.close());
    const links = createAuthLinks({
      outbox,
      originOf: async (tx, organisationId) => (await brand.ofMails(tx, organisationId)).origin,
    });
    const addresses = createPictureAddresses(await sharedSecret(db, 'picture addresses', config.secretKey), systemClock);
    const audit = createAuditService({ db });

    // Alerts become cases, and cases are judged
    const correlation = createCorrelationService({ db, log });
    const intelligence = createIntelligenceService({ db, clock: systemClock });
    const proseModel = config.proseModel;
    const modelDoor =
      proseModel && openOutbound({ allowsInsecure: false, onlyOrigin: new URL(proseModel.url).origin, timeoutMs: 30_000 });
    closers.push(() => modelDoor?.close());
    const decisioningOn = (clock: typeof systemClock) =>
      createDecisioningService({
        db,
        clock,
        lookUp: intelligence.lookUp,
        writeProse: proseModel && modelDoor && createProse({ model: proseModel, outbound: modelDoor, log }),
        log,
      });
    const decisioning = decisioningOn(systemClock);

    // Cases: what a change of one means is one thing, whoever asks for it
    const subscriptions = createMailSubscriptionsService({
      db,
      clock: systemClock,
      brand,
      outbox,
      key: await sharedSecret(db, 'mail subscriptions', config.secretKey),
      approvals: { textOf, mayApproveAs },
    });
    const { socAddress, mailFrom } = config;
    const caseworkParts = { db, bus, blobs, brand, outbox, alerts, verified: decisioning.verified, socAddress, mailFrom };
    const casework = openCasework({
      ...caseworkParts,
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
    const agentWire = createAgentWireService({
      db,
      clock: systemClock,
      throttle: createAddressThrottle(systemClock, enrolmentsAMinute),
      onHolding: responses.onHolding,
      releaseKey,
    });

    const suppressions = createSuppressionsService({ db, setExcluded: manyCases.setExcluded });
    const bulkParts = { db, cases: manyCases, alerts, suppressions };

    // Every way in
    const sessions = createSessions({
      tokens,
      partnerOf: brand.partnerOf,
      pictureUrl: addresses.urlOf,
    });
    const throttle = createAddressThrottle(systemClock);
    const mfaSeal = createSeal(await sharedSecret(db, 'second factor', config.secretKey));
    const secondFactor = createSecondFactor({
      db,
      clock: systemClock,
      seal: mfaSeal,
      sessions,
      outbox,
      brandNameOf: async (tx, organisationId) => (await brand.ofMails(tx, organisationId)).name,
    });
    const outbound = openOutbound({ allowsInsecure: config.allowsInsecureIssuers });
    closers.push(() => outbound.close());
    const singleSignOn = createSingleSignOn({
      db,
      brand,
      issuers: createIssuers({ outbound, clock: systemClock, allowsInsecure: config.allowsInsecureIssuers }),
      seal: providerSeal,
      sessions,
      throttle,
      own: config.singleSignOn,
      log,
    });
    const reset = createResetService({
      db,
      links,
      outbox,
      brand,
      throttle,
      allowsRegistration: config.allowsRegistration,
      log,
    });
    closers.push(() => reset.close());
    const { customerSuccessUrl } = config;
    const auth = createAuthService({ db, tokens, sessions, secondFactor, throttle, customerSuccessUrl });

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
      waysIn: { auth, secondFactor, singleSignOn, reset },
      brand,
      outbox,
      users: createUsersService({ db, outbox, brand, addresses, invite: links.invite }),
      pictures: createPictures({ db, blobs, addresses }),
      audit,
      organisations,
      balance,
      reporting,
      releases,
      tags: createTagsService({ db }),
      bulk: createBulkService(bulkParts),
      responses,
      responseDesk: casework.responseDesk,
      caseMails,
      reviews: casework.reviews,
      subscriptions,
      suppressions,
      intelligence,
      events: createEventsService({ db, eventRetentionDays: config.eventRetentionDays }),
      ingestKeys,
      collectors,
      account: createAccountService({ db, idleMinutes }),
      views: createViewsService({ db }),
      search: createSearchService({ db }),
      sapphire: createSapphireService({
        db,
        clock: systemClock,
        log,
        services: { ...asked, responses: casework.responseDesk },
        takeMessage: (actor) =>
          scoped(db, 'system', (tx) =>
            takeTry(tx, 'sapphire', actor.userId, { most: messagesAMinute, minutes: 1, text: tooManyMessages }),
          ),
        model: proseModel && modelDoor && { ...proseModel, outbound: modelDoor },
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
        retention,
        silence: silenceOn(systemClock, ingest),
        correlation,
        decisioning,
        bulkWorker: createBulkWorker({
          ...bulkParts,
          actorNow: findActorOfUser,
          withdrawNotices: subscriptions.withdrawNotices,
          log,
        }),
        expireAgentTasks: agentTasks.expire,
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
            agentOf: agentWire.agentOf,
            configFor: collectors.fileFor,
            admission: createAdmission(config.maxInflightBytes),
            counted: metrics.counted,
            log,
          }
        : undefined,
      agents: does('ingest')
        ? {
            wire: agentWire,
            tasks: agentTasks,
            releases,
            bundle: { agent: join(agentDir, 'dist/agent.mjs'), install: join(agentDir, 'install.sh') },
          }
        : undefined,
      identify,
      isUnderMaintenance: config.isUnderMaintenance,
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
      notReady: () => [...missing, ...(bus.isListening() ? [] : ['database'])],
      metrics: { text: metrics.text, token: config.metricsToken },
    });
    closers.push(() => app.close());
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
          caseworkParts,
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
          mfaSeal,
          closers,
          log,
        }).then(() => void missing.delete('demo world'))
      : Promise.resolve();
    ready.catch(() => {});
    return { app, routes, syslogPorts: syslog?.ports ?? [], ready, close: closeAll };
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
