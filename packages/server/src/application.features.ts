/** Registers every feature, in the order of their dependencies. A new feature is one line here. */

import { startDemoPeers } from '@parapet/world/peers/all.ts';
import { startDemoVendors } from '@parapet/world/vendors/all.ts';
import { startFeeds } from '@parapet/world/vendors/feeds.ts';
import { startDemoIntelligence } from '@parapet/world/vendors/intelligence.ts';
import { startMicrosoftLogin } from '@parapet/world/vendors/microsoft.login.ts';
import { registerCasework } from './application.casework.ts';
import { filesOfClient } from './application.erasure.ts';
import { createReportSources } from './application.reports.ts';
import type { Config } from './core/config.ts';
import { scoped } from './core/db/scope.ts';
import type { Close, Feature, Platform } from './core/feature.ts';
import { signingKey } from './core/keys/signing.ts';
import { openOutbound } from './core/outbound.ts';
import { listUnfit } from './domain/approvers.ts';
import { createPasswordCheck } from './domain/passwordCheck.ts';
import { consumeAttempt, createAddressThrottle } from './domain/throttle.ts';
import { registerAccount } from './features/account/account.register.ts';
import { queueTask, registerAgents } from './features/agents/agents.register.ts';
import { registerAlarms, wrongPasswordsAMinute } from './features/alarms/alarms.register.ts';
import { registerAlerts } from './features/alerts/alerts.register.ts';
import { registerArchive } from './features/archive/archive.register.ts';
import { registerAssistants } from './features/assistants/assistants.register.ts';
import { registerAttack } from './features/attack/attack.register.ts';
import { checkpointSecret, leavesToErase, registerAudit } from './features/audit/audit.register.ts';
import { findActorOfUser, findAdministrators, idleMinutes, registerAuth } from './features/auth/auth.register.ts';
import { registerBalance } from './features/balance/balance.register.ts';
import { registerBilling } from './features/billing/billing.register.ts';
import { registerBrand } from './features/brand/brand.register.ts';
import { registerDomains } from './features/brand/domains.register.ts';
import { registerBulk } from './features/bulk/bulk.register.ts';
import type { OnChanged, OnSlaNotified } from './features/cases/cases.ports.ts';
import { saveNote } from './features/cases/cases.register.ts';
import { registerClientAccessLog } from './features/client-access-log/client-access-log.register.ts';
import { registerCollectors } from './features/collectors/collectors.register.ts';
import { createVendorHttp, registerConnections } from './features/connections/connections.register.ts';
import { registerCorrelation } from './features/correlation/correlation.register.ts';
import { registerDashboard } from './features/dashboard/dashboard.register.ts';
import { registerDecisioning } from './features/decisioning/decisioning.register.ts';
import { type DeliveriesRegisterDeps, registerDeliveries } from './features/deliveries/deliveries.register.ts';
import { createDemoBrand, demoEpss, demoExploited } from './features/demo/demo.register.ts';
import { registerDevices } from './features/devices/devices.register.ts';
import { registerErasure } from './features/erasure/erasure.register.ts';
import { registerEvents } from './features/events/events.register.ts';
import { registerImports } from './features/imports/imports.register.ts';
import { registerIngest } from './features/ingest/ingest.register.ts';
import { registerIngestKeys } from './features/ingest-keys/ingest-keys.register.ts';
import { registerIntelligence } from './features/intelligence/intelligence.register.ts';
import { type ProbeDeps, registerIsolation } from './features/isolation/isolation.register.ts';
import { registerMailSubscriptions } from './features/mail-subscriptions/mail-subscriptions.register.ts';
import { registerMcp } from './features/mcp/mcp.register.ts';
import { registerOffboarding } from './features/offboarding/offboarding.register.ts';
import { registerOnboarding } from './features/onboarding/onboarding.register.ts';
import { registerOperations } from './features/operations/operations.register.ts';
import { isProvidersHost, registerOrganisations, requireProvidersHost } from './features/organisations/organisations.register.ts';
import { registerOutbox } from './features/outbox/outbox.register.ts';
import { registerPastSearches } from './features/past-searches/pastSearches.register.ts';
import { registerProposals } from './features/proposals/proposals.register.ts';
import { registerRecalls } from './features/recalls/recalls.register.ts';
import { registerReports } from './features/reports/reports.register.ts';
import { mayApproveAs, textOf } from './features/responses/responses.register.ts';
import { registerRetention } from './features/retention/retention.register.ts';
import { registerRisk } from './features/risk/risk.register.ts';
import { registerRulePacks } from './features/rule-packs/packs.register.ts';
import { registerRules } from './features/rules/rules.register.ts';
import { registerSapphire } from './features/sapphire/sapphire.register.ts';
import { registerSearch } from './features/search/search.register.ts';
import { registerSetup } from './features/setup/setup.register.ts';
import { registerSilence } from './features/silence/silence.register.ts';
import { registerSuppressions } from './features/suppressions/suppressions.register.ts';
import { registerTags } from './features/tags/tags.register.ts';
import { registerTaxii } from './features/taxii/taxii.register.ts';
import { createPictureAddresses, registerUsers } from './features/users/users.register.ts';
import { registerViews } from './features/views/views.register.ts';
import { registerVulnerabilities } from './features/vulnerabilities/vulnerabilities.register.ts';
import { registerWebhookSources } from './features/webhook-sources/webhook-sources.register.ts';
import type { Detector } from './pipeline/detector.ts';
import type { DeviceRegister } from './pipeline/devices.ts';
import { rulesInForce } from './pipeline/field-health.ts';
import { deadReasons } from './pipeline/result.ts';

/** Enrolments of one address in a minute; a whole network may share it. */
const enrolmentsAMinute = 300;
const domainChecks = {
  max: 20,
  minutes: 10,
  text: 'Domains were checked 20 times within ten minutes. Please wait before checking again.',
};
const sapphireMessages = { max: 20, minutes: 1, text: 'You’ve sent 20 messages in a minute. Try again shortly.' };

/** Simulated vendors and targets, in a demo whose one process has both roles: people's calls and the work. */
async function startSimulations({ isDemo, isSafeMode, roles, port }: Config, closers: Close[]) {
  if (!isDemo || isSafeMode || !roles.includes('api') || !roles.includes('worker'))
    return { vendors: [], peers: [], simulatedFeeds: {}, simulatedApplication: undefined, simulatedIntelligence: undefined };
  const { vendors, close } = await startDemoVendors(port === 0 ? 0 : port + 1);
  const { peers, close: closePeers } = await startDemoPeers(port === 0 ? 0 : port + 1 + vendors.length);
  const feeds = await startFeeds(
    { epss: demoEpss, kev: demoExploited },
    port === 0 ? 0 : port + 1 + vendors.length + peers.length,
  );
  const taken = 1 + vendors.length + peers.length + Object.keys(feeds.urls).length;
  const microsoft = await startMicrosoftLogin(port === 0 ? 0 : port + taken);
  const intelligence = await startDemoIntelligence(port === 0 ? 0 : port + taken + 1);
  closers.push(close, closePeers, feeds.close, microsoft.close, intelligence.close);
  const { application: simulatedApplication } = microsoft;
  return { vendors, peers, simulatedFeeds: feeds.urls, simulatedApplication, simulatedIntelligence: intelligence };
}

export interface FeatureDeps extends Platform {
  detector: Detector;
  devices: DeviceRegister;
  /** Of the web pages, once they are built. */
  version: () => Promise<string>;
  /** Opens this portal within a rehearsal of its database. */
  openStage: (deps: FeatureDeps) => ProbeDeps['open'];
}

export type Features = Awaited<ReturnType<typeof registerFeatures>>;

/** Adds what closes each feature to `closers` as it is registered. Returns all features, and the services that the application itself uses. */
export async function registerFeatures(deps: FeatureDeps, closers: Close[]) {
  const { db, keys, clock, config, version } = deps;
  const { isLoaded, longestWindowMs } = deps.detector;
  const all: Feature[] = [];
  const add = <Service>(feature: Feature<Service>): Service => {
    all.push(feature);
    closers.push(...(feature.closers ?? []));
    return feature.service;
  };

  const { vendors, peers, simulatedFeeds, simulatedApplication, simulatedIntelligence } = await startSimulations(config, closers);

  // Organisations and their mail
  const ingestKeys = add(registerIngestKeys(deps));
  const alerts = add(registerAlerts(deps));
  const { brand, branding } = add(registerBrand({ ...deps, version, demo: config.isDemo ? createDemoBrand(clock) : null }));
  const organisations = add(registerOrganisations({ ...deps, brand, branding }));
  const outbox = add(registerOutbox({ ...deps, brand }));
  const deliveryDeps = { ...deps, brand, outbox, peers, administratorsOf: findAdministrators, actorNow: findActorOfUser };
  // Cases are registered later: a change of one causes deliveries, and a changed ticket changes a case.
  const ofCases: Pick<DeliveriesRegisterDeps, 'cases' | 'chatCases' | 'fileOf'> = {
    cases: () => outside,
    chatCases: () => cases,
    fileOf: (...of) => cases.fileOf(...of),
  };
  const deliveries = add(await registerDeliveries({ ...deliveryDeps, ...ofCases }));
  add(registerBilling({ ...deps, deliveries }));
  const countWrongPassword = createAddressThrottle(clock, wrongPasswordsAMinute);
  const alarms = add(registerAlarms({ ...deps, outbox, brand, countWrongPassword }));
  const takeCheck = (organisationId: number) =>
    scoped(db, 'system', (tx) => consumeAttempt(tx, 'domain', organisationId, domainChecks));
  add(registerDomains({ ...deps, outbox, administratorsOf: findAdministrators, consumeAttempt: takeCheck }));
  add(await registerAudit(deps));
  const { recordAccess } = add(registerClientAccessLog(deps));

  // Alerts become cases, and cases are judged
  const model = config.proseModel && {
    ...config.proseModel,
    outbound: openOutbound({
      allowsInsecure: false,
      onlyOrigin: new URL(config.proseModel.url).origin,
      timeoutMs: 30_000,
      proxy: config.egressProxy,
    }),
  };
  closers.push(() => model?.outbound.close());
  const intelligence = add(registerIntelligence({ ...deps, createHttp: createVendorHttp, simulated: simulatedIntelligence }));
  const decisioning = add(registerDecisioning({ ...deps, lookUp: intelligence.lookUp, model }));
  const correlation = add(registerCorrelation({ ...deps, judge: () => decisioning.run() }));

  // Casework
  const approvals = { textOf, mayApproveAs, listUnfit };
  const subscriptions = add(await registerMailSubscriptions({ ...deps, brand, outbox, approvals }));
  const onSlaNotified: OnSlaNotified = async (tx, notified) => {
    await subscriptions.slaTimersNotified(tx, notified);
    await deliveries.slaTimersNotified(tx, notified);
  };
  const onChanged: OnChanged = async (tx, actor, changes) => {
    await subscriptions.caseChanged(tx, actor, changes);
    await deliveries.casesChanged(tx, actor, changes);
  };
  const withdrawNotices: typeof subscriptions.withdrawNotices = async (tx, scope, change, cases) => {
    await subscriptions.withdrawNotices(tx, scope, change, cases);
    await deliveries.withdraw(tx, change, cases);
  };
  const caseworkDeps = { ...deps, brand, outbox, alerts, verified: decisioning.verified };
  const casework = registerCasework({ ...caseworkDeps, onChanged, onSlaNotified });
  const { responses, requests } = add(casework.responses);
  const { cases, bulkCases, outside } = add(casework.cases);
  const proposals = add(registerProposals({ ...deps, cases: casework.access, saveNote, requests: requests.proposals }));
  add(casework.caseMails);
  add(casework.reviews);
  const suppressions = add(registerSuppressions({ ...deps, setExcluded: bulkCases.setExcluded }));
  const bulkDeps = { ...deps, cases: bulkCases, alerts, suppressions };
  add(registerBulk({ ...bulkDeps, actorNow: findActorOfUser, withdrawNotices }));

  // Agents and intake
  const { onResult, onHolding, onVendorOutcome } = responses;
  const throttle = createAddressThrottle(clock, enrolmentsAMinute);
  const { releases, protocol } = add(await registerAgents({ ...deps, onResult, onHolding, throttle }));
  const collectors = add(registerCollectors({ ...deps, ingestKeys, brand }));
  const { organisationOf } = ingestKeys;
  const { lookup: webhooks, sources: webhookSources } = add(registerWebhookSources({ ...deps, brand }));
  const shippers = { organisationOf, agentOf: protocol.agentOf, configFor: collectors.fileFor, webhooks };
  const ingest = add(registerIngest({ ...deps, ...shippers }));
  add(registerImports({ ...deps, ingest }));
  add(registerSilence({ ...deps, ingest }));
  const vulnerabilities = add(registerVulnerabilities({ ...deps, isLoaded }));
  const connectionDeps = {
    ...deps,
    ingest,
    vendors,
    simulatedFeeds,
    simulatedApplication,
    onVendorOutcome,
    brand,
    outbox,
    cases: () => outside,
  };
  const { advisories } = vulnerabilities;
  const { syslog } = add(registerConnections({ ...connectionDeps, advisories, requireProvidersHost }));
  add(registerArchive(deps));
  add(registerRecalls(deps));
  const erasure = add(
    registerErasure({
      ...deps,
      key: signingKey(await keys.shared(checkpointSecret)),
      filesOf: filesOfClient,
      leavesOf: leavesToErase,
      brandOf: brand.ofReports,
    }),
  );
  const retention = add(registerRetention({ ...deps, longestWindowMs, organisations, isProvidersHost, erasure }));

  // Sign-in and accounts
  const addresses = createPictureAddresses(await keys.shared('picture addresses'), clock);
  const checkPassword = await createPasswordCheck(config.commonPasswordsFile);
  const authDeps = { ...deps, brand, outbox, alarms, checkPassword, pictureUrl: addresses.urlOf };
  const { identify, links, removeSecondFactor } = add(await registerAuth(authDeps));
  const users = add(registerUsers({ ...deps, outbox, brand, addresses, links, removeSecondFactor, checkPassword }));
  add(registerOffboarding({ db, clock, blobs: deps.blobs, organisations, queueTask }));
  add(registerOnboarding({ db, organisations, users, outbox }));
  add(registerAccount({ ...deps, idleMinutes, outbox }));

  // Figures and reports
  const risk = add(registerRisk(deps));
  add(registerRules(deps));
  add(registerRulePacks(deps));
  add(registerPastSearches(deps));
  const attack = add(registerAttack({ ...deps, inForce: rulesInForce(deps.detector) }));
  add(registerDashboard({ ...deps, risk }));
  const devices = add(registerDevices({ ...deps, releases }));
  const balance = add(registerBalance({ ...deps, deadReasons }));
  const sources = createReportSources({ clock, attack, balance, isLoaded });
  const { reports, schedules } = add(registerReports({ ...deps, brand, outbox, sources, actorNow: findActorOfUser }));

  // The rest
  add(registerTags(deps));
  const events = add(registerEvents({ ...deps, actorNow: findActorOfUser }));
  add(registerViews(deps));
  add(registerSearch(deps));
  const operations = add(registerOperations({ ...deps, requireProvidersHost }));
  const actorOf: ProbeDeps['actorOf'] = (tx, userId) => findActorOfUser(tx, userId, undefined);
  add(registerIsolation({ ...deps, requireProvidersHost, open: deps.openStage(deps), actorOf }));
  add(registerSetup({ ...deps, outbox, checkBackup: operations.checkBackup }));
  const takeMessage = ({ userId }: { userId: number }) =>
    scoped(db, 'system', (tx) => consumeAttempt(tx, 'sapphire', userId, sapphireMessages));
  add(registerSapphire({ ...deps, services: { alerts, cases, risk }, takeMessage, model }));
  const assistants = add(await registerAssistants({ ...deps, brand, actorOf: (tx, id) => findActorOfUser(tx, id, undefined) }));
  add(registerTaxii({ ...deps, siteOf: brand.siteOf }));
  add(registerMcp({ ...deps, assistants, services: { alerts, cases, devices, events, organisations, proposals, reports } }));

  return {
    all,
    identify,
    recordAccess,
    alarms,
    organisations,
    ingest,
    syslog,
    retention,
    demo: { caseworkDeps, intelligence, correlation, model, ingest, retention, vulnerabilities, schedules, webhookSources },
  };
}
