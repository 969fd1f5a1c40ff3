/** The demo world: one process of the installation creates it on a clock of its own and keeps it moving; the others wait for it. */
import { setTimeout as pause } from 'node:timers/promises';
import { allClients } from '@parapet/contract/access.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { demoIndicators, demoIndicatorsName } from '@parapet/world/indicators.ts';
import { type CaseworkDeps, registerCasework } from './application.casework.ts';
import type { FeatureDeps, Features } from './application.features.ts';
import { type Clock, movableClock } from './core/clock.ts';
import { connect, type Database } from './core/db/connect.ts';
import { withExclusiveLock } from './core/db/lock.ts';
import { isDatabaseAway, scoped, type Tx } from './core/db/scope.ts';
import type { Close } from './core/feature.ts';
import { type Actor, scopeOf } from './core/http/actor.ts';
import { sealerOf } from './features/auth/auth.register.ts';
import type { CaseRecord } from './features/cases/cases.ports.ts';
import { lockCase } from './features/cases/cases.register.ts';
import { registerCorrelation } from './features/correlation/correlation.register.ts';
import { registerDecisioning } from './features/decisioning/decisioning.register.ts';
import { createOnCall } from './features/deliveries/deliveries.register.ts';
import {
  type AnalystActions,
  createDemoService,
  type DemoService,
  type Lane,
  type StudioActions,
} from './features/demo/demo.register.ts';
import { createIngest } from './features/ingest/ingest.register.ts';
import { createOutboxService } from './features/outbox/outbox.register.ts';
import { registerRules } from './features/rules/rules.register.ts';
import { registerSilence } from './features/silence/silence.register.ts';
import { registerVulnerabilities } from './features/vulnerabilities/vulnerabilities.register.ts';
import { eventIdOf } from './pipeline/steps/identify.ts';

/** Cases of an organisation that the demo’s analysts work at a time. */
const casesAtATime = 5;
/** Connections of the demo's year. */
const connections = 8;
/** Number of the advisory lock; sealing of the audit log has 2. */
const demoLock = 1;

export interface DemoDeps {
  platform: FeatureDeps;
  /** Of this process, on the real clock. */
  features: Features['demo'];
  isWorker: boolean;
  closers: Close[];
}

/** Resolves when the demo world is complete. */
export async function startDemo(deps: DemoDeps): Promise<void> {
  const { platform, features, isWorker, closers } = deps;
  const { url, log } = platform;
  const demo = createDemo(deps);
  const closing = new AbortController();
  closers.push(() => closing.abort());
  const waitForWorld = async () => {
    while (!closing.signal.aborted && !(await demo.isDone().catch(falseIfDatabaseAway))) await pause(500);
  };
  if (!isWorker) return waitForWorld();
  const leading = withExclusiveLock(url, demoLock, closing.signal, async (until) => {
    if (!(await demo.isDone())) await features.intelligence.importOwn(demoIndicatorsName, 'csv', demoIndicators);
    await demo.make();
    if (until.aborted) return;
    const stop = demo.streamLive();
    await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
    stop();
  });
  leading.catch((error) => log.error({ err: error }, 'the demo world stopped'));
  await Promise.race([waitForWorld(), leading]);
}

/**
 * Composes the features that the demo’s year passes through, on its own clocks. A crash of the database may lose its last half second, which the
 * next start sends again.
 */
function createDemo({ platform, features, closers }: DemoDeps): DemoService {
  const { keys, config, detector, log } = platform;
  const db = demoDatabase(platform);
  closers.push(() => db.close());
  const scanClock = movableClock(platform.clock.now());
  return createDemoService({
    db,
    wallClock: platform.clock,
    openLane: () => openLane({ ...platform, db }, features),
    studio: studioActions({ ...platform, db }, features),
    live: features.ingest,
    seed: config.demoSeed,
    scale: config.demoScale,
    months: Math.min(12, config.alertRetentionMonths - 1),
    dropOld: features.retention.dropOld,
    eventIdOf,
    sealMfaSecret: sealerOf(keys),
    vulnerabilities: { db, clock: scanClock, ...vulnerabilitiesOn(scanClock) },
    log,
  });

  function vulnerabilitiesOn(time: Clock) {
    const { advisories, scanOwn } = registerVulnerabilities({
      ...platform,
      db,
      clock: time,
      isLoaded: detector.isLoaded,
    }).service;
    return { importOwn: advisories.importOwn, scanOwn };
  }
}

/** Connections of its own, which leave the portal's to people: few, because each plans its prepared statements, and patient on a slow machine. */
const demoDatabase = ({ url, db: { observer }, log }: FeatureDeps): Database => ({
  ...connect({
    url,
    applicationName: 'portal demo',
    poolSize: connections,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    ...(observer && { observer }),
    log,
  }),
  isForgettable: true,
  isUnwatched: true,
  preparesRepeated: true,
});

/** The services of one organisation’s year, on a clock of their own. */
function openLane(platform: FeatureDeps, features: Features['demo']): Lane {
  const { db, devices } = platform;
  const clock = movableClock(platform.clock.now());
  const onClock = { ...platform, clock };
  const ingest = createIngest(onClock, platform.clock.now() - platform.config.eventRetentionDays * dayMs);
  const silence = registerSilence({ ...onClock, ingest }).service;
  const decisioning = registerDecisioning({ ...onClock, lookUp: features.intelligence.lookUp, model: features.model }).service;
  const correlation = registerCorrelation({ ...onClock, judge: () => decisioning.run() }).service;
  return {
    clock,
    ingest,
    watch: async (organisationId) => {
      await devices.flush(db);
      await silence.watch(organisationId);
    },
    judge: async (organisationId) => {
      await correlation.run(organisationId);
      await decisioning.run(organisationId);
    },
    parallel: Array.from({ length: casesAtATime }, () => {
      const ownClock = movableClock(platform.clock.now());
      return {
        clock: ownClock,
        actions: demoAnalystActions(ownClock, { ...features, caseworkDeps: { ...features.caseworkDeps, db } }),
      };
    }),
  };
}

/** Emails of the demo's year are stored, never sent. */
function demoAnalystActions(clock: Clock, { caseworkDeps, schedules }: Features['demo']): AnalystActions {
  const { db, brand, keys, log } = caseworkDeps;
  const outbox = createOutboxService({ db, clock, brand, keys, smtpUrl: undefined, log });
  return {
    ...analystActionsOf({ ...caseworkDeps, clock, outbox, onChanged: async () => {}, onSlaNotified: async () => {} }),
    async scheduleReport(actor, client, schedule) {
      if ((await schedules.list(actor, client)).total === 0) await schedules.add(actor, client, schedule);
    },
  };
}

/** The rule base, webhooks and rotas. Changes of rules are loaded by `done`: each load takes as long as one of all of them. */
function studioActions(platform: FeatureDeps, { webhookSources }: Features['demo']): StudioActions {
  const detector = { ...platform.detector, reload: async () => {} };
  const rules = registerRules({ ...platform, detector }).service;
  const onCall = createOnCall(platform);
  return {
    draft: (actor, organisationId, rule) =>
      rules.saveDraft(actor, {
        ...rule,
        clientOrganizationID: organisationId,
        ruleID: null,
        afterVersion: 0,
        noiseBudget: 1_000,
      }),
    addTest: (actor, organisationId, ruleID, { name, isMatch, event }) =>
      rules.addTest(actor, { clientOrganizationID: organisationId, ruleID, name, isMatch, document: JSON.stringify(event) }),
    async move(actor, ruleID, state, why) {
      const { versions } = await rules.get(actor, allClients, ruleID);
      return rules.changeState(actor, versions[0]!.id, { state, why });
    },
    addException: (actor, organisationId, exception) =>
      rules.addException(actor, { ...exception, clientOrganizationID: organisationId, previewID: null }),
    addWebhook: (actor, organisationId, name, mapping) =>
      webhookSources.create(actor, organisationId, { name, authentication: 'header', header: 'x-api-key', mapping }),
    saveShifts: onCall.saveShifts,
    writeHandOver: onCall.addNote,
    done: () => platform.detector.reload(),
  };
}

/** Actions of the demo's analysts, through the code that people's calls reach. */
function analystActionsOf(deps: CaseworkDeps): Omit<AnalystActions, 'scheduleReport'> {
  const { db, alerts } = deps;
  const casework = registerCasework(deps);
  const { cases, transitions } = casework.cases.service;
  /** As `cases` changes it, without reading the row that people get in return. */
  const change = (actor: Actor, id: number, work: (tx: Tx, record: CaseRecord) => Promise<unknown>) =>
    scoped(db, 'system', async (tx) => {
      await work(tx, await lockCase(tx, scopeOf(actor), id));
    });
  const { responses, requests } = casework.responses.service;
  const caseMails = casework.caseMails.service;
  const reviews = casework.reviews.service;
  return {
    assign: (actor, id) => change(actor, id, (tx, record) => transitions.applyAnalyst(tx, actor, record, actor.userId)),
    conclude: (actor, id, { investigation, status, closing }) =>
      change(actor, id, async (tx, record) => {
        const concluded = await transitions.applyInvestigation(tx, actor, record, investigation);
        await transitions.applyStatus(tx, actor, concluded, status, closing);
      }),
    seen: (actor, caseID) => alerts.mark(actor, { caseID, alertIDs: [] }, false),
    note: (actor, caseID, text, isInternal) => cases.saveNote(actor, { caseID, text, isInternal }),
    narrative: (actor, client, caseID, text) => cases.saveNarrative(actor, client, { caseID, text }),
    escalate: (actor, caseID) => caseMails.sendEscalation(actor, { caseID }),
    isolate: async (actor, caseID, deviceID) =>
      (await responses.isolateHost(actor, { caseID, deviceID, isIsolated: true })).response.id,
    responses: {
      request: async (actor, body) => (await requests.request(actor, responseRequestsApi.request.body.parse(body))).id,
      approve: (actor, id, isApproved, note) => requests.approve(actor, id, { isApproved, note }),
      approveWaiting: async (actor, id) => {
        if (!(await requests.get(actor, id)).mayApprove) return;
        await requests.approve(actor, id, { isApproved: true, note: 'Seen in the case; go on.' });
      },
      undo: async (actor, id, note) => (await requests.undo(actor, id, { note })).id,
      addRule: (actor, client, rule) => requests.addRule(actor, client, responseRequestsApi.addRule.body.parse(rule)),
      protect: (actor, client, kind, value, reason) => requests.addProtected(actor, client, { kind, value, reason }),
      confirm: (actor, id) =>
        responses.acknowledge(actor, { id, isDone: true, isVerified: true, note: 'Done manually and verified.' }),
    },
    review: (actor, caseID, decisionID, notes) => reviews.review(actor, { caseID, decisionID, notes }),
    judgeDecisioning: (actor, caseID, isAIDecisioningCorrect, notes) =>
      reviews.updateDecisioningCorrectness(actor, { caseID, isAIDecisioningCorrect, notes }),
  };
}

/** For polling: no while the database is away; rethrows every other failure. */
function falseIfDatabaseAway(error: unknown): false {
  if (isDatabaseAway(error)) return false;
  throw error;
}
