import { connectorOf, connectors } from '@parapet/connectors/all.ts';
import type { VendorApplication } from '@parapet/connectors/connector.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { onEach } from '../../core/bus.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { openOutbound } from '../../core/outbound.ts';
import { createAddressThrottle } from '../../domain/throttle.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutsideCases } from '../cases/cases.ports.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import type { OnVendorOutcome } from '../responses/responses.ports.ts';
import type { VulnerabilitiesService } from '../vulnerabilities/vulnerabilities.service.ts';
import { createApplications } from './applications.service.ts';
import { createAccounts } from './connections.accounts.ts';
import { createActionsWorker, startActionsWorker } from './connections.actions.ts';
import { createVendorHttp } from './connections.http.ts';
import { createIncidentsWorker, startIncidentsWorker } from './connections.incidents.ts';
import { connectionInvitesRoutes } from './connections.invites.routes.ts';
import { createConnectionInvites } from './connections.invites.ts';
import { connectionsRoutes } from './connections.routes.ts';
import { type ConnectionsService, createConnectionsService } from './connections.service.ts';
import { createTurnsOfConnections } from './connections.turn.ts';
import { createConnectionsWorker, startConnectionsWorker } from './connections.worker.ts';
import { createMicrosoft } from './consents.microsoft.ts';
import { consentsRoutes } from './consents.routes.ts';
import { removeExpired } from './consents.store.ts';
import { createConsents } from './consents.ts';
import { feedsRoutes } from './feeds.routes.ts';
import { createFeedsService, type SimulatedFeeds } from './feeds.service.ts';
import type { SyslogSources } from './syslog.ports.ts';
import { syslogRoutes } from './syslog.routes.ts';
import { createSyslogService, type SyslogDeps } from './syslog.service.ts';

// For the composition of the application; other features receive them as arguments.
export { createVendorHttp } from './connections.http.ts';
export { vendorTaskQueue } from './connections.tasks.ts';
export { entriesOf, importEntries } from './syslog.import.ts';

/** Large enough for the largest page of any vendor. */
const maxAnswerBytes = 32 * 1024 * 1024;
const timeoutMs = 30_000;

export interface ConnectionsRegisterDeps extends Platform {
  ingest: Pick<IngestService, 'take' | 'inTurn'>;
  onVendorOutcome: OnVendorOutcome;
  cases: () => OutsideCases;
  brand: Pick<BrandService, 'ofMails' | 'siteOf'>;
  outbox: Pick<OutboxService, 'queue'>;
  requireProvidersHost: SyslogDeps['requireProvidersHost'];
  advisories: VulnerabilitiesService['advisories'];
  simulatedFeeds: SimulatedFeeds;
  /** Simulated vendors of the demo. */
  vendors: readonly { kind: string; url: string; values: Record<string, string> }[];
  simulatedApplication: VendorApplication | undefined;
}

export function registerConnections(
  deps: ConnectionsRegisterDeps,
): Feature<{ connections: ConnectionsService; syslog: SyslogSources }> {
  const { config, isReplaying, bus, vendors, simulatedFeeds, simulatedApplication, db, clock, log } = deps;
  const alsoOrigins = [
    ...config.connectionOrigins,
    ...vendors.map(({ url }) => url),
    ...(simulatedApplication ? [simulatedApplication.login] : []),
    ...Object.values(simulatedFeeds).map((url) => new URL(url).origin),
  ];
  const outbound = openOutbound({
    allowsInsecure: false,
    alsoOrigins,
    timeoutMs,
    maxBytes: maxAnswerBytes,
    proxy: config.egressProxy,
  });
  const http = createVendorHttp(outbound);
  const examples = Object.fromEntries(vendors.map(({ kind, values }) => [kind, values]));
  const former = [...config.syslog, ...config.syslogUdp].map(({ port }) => port);
  const syslog = createSyslogService({ ...deps, permitted: config.syslogPorts, former });
  const shared = { ...deps, http, connectors, pushKinds: [syslog.kind], examples };
  const service = createConnectionsService(shared);
  const applications = createApplications(deps);
  const invites = createConnectionInvites({ ...shared, applications });
  const microsoft = createMicrosoft({ http, clock });
  const consents = createConsents({ ...shared, applications, microsoft, throttle: createAddressThrottle(clock) });
  const eventRetentionMs = config.eventRetentionDays * dayMs;
  const accounts = createAccounts({ ...deps, http });
  const turns = createTurnsOfConnections({ ...deps, accounts, connectorOf, eventRetentionMs, random: Math.random });
  const actions = createActionsWorker({ ...deps, accounts, connectorOf, onOutcome: deps.onVendorOutcome, random: Math.random });
  const incidents = createIncidentsWorker({ ...deps, accounts, connectors, random: Math.random });
  const worker = createConnectionsWorker({ ...deps, turns });
  const feeds = createFeedsService({ ...deps, http, simulated: simulatedFeeds });
  const run = async () => {
    if (!isReplaying()) await worker.run();
  };
  const runActions = async () => {
    if (!isReplaying()) await actions.run();
  };
  const runIncidents = async (...changed: readonly number[]) => {
    if (!isReplaying()) await incidents.run(...changed);
  };
  return {
    service: { connections: service, syslog: syslog.sources },
    routes: (serving) => {
      connectionsRoutes(serving, service);
      connectionInvitesRoutes(serving, invites);
      consentsRoutes(serving, consents, applications);
      feedsRoutes(serving, feeds);
      syslogRoutes(serving, syslog);
    },
    jobs: [
      { name: 'connections.pull', cron: '* * * * *', run },
      { name: 'connections.act', cron: '* * * * *', run: runActions },
      { name: 'connections.incidents', cron: '* * * * *', run: () => runIncidents() },
      { name: 'feeds.read', cron: '* * * * *', run: feeds.run },
      { name: 'connections.removeOldHours', cron: '25 3 * * *', run: worker.removeOld },
      { name: 'connections.removeOldConsents', cron: '35 3 * * *', run: () => scoped(db, 'system', removeExpired) },
    ],
    workers: [
      () => startConnectionsWorker(bus, { ...worker, run }, log),
      () => startActionsWorker(bus, { ...actions, run: runActions }, log),
      () => startIncidentsWorker(bus, { ...incidents, run: runIncidents }, log),
      () =>
        onEach(bus, 'feeds.due', () => void feeds.run().catch((error) => log.error({ err: error }, 'feeds could not be read'))),
    ],
    closers: [() => outbound.close()],
  };
}
