import { connectorOf, connectors } from '@parapet/connectors/all.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { openOutbound } from '../../core/outbound.ts';
import { dayMs } from '../../domain/ranges.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import { createVendorHttp } from './connections.http.ts';
import { connectionsRoutes } from './connections.routes.ts';
import { type ConnectionsService, createConnectionsService } from './connections.service.ts';
import { createTurnsOfConnections } from './connections.turn.ts';
import { createConnectionsWorker, startConnectionsWorker } from './connections.worker.ts';

/** Large enough for the largest page of any vendor. */
const maxAnswerBytes = 32 * 1024 * 1024;
const timeoutMs = 30_000;

export interface ConnectionsRegisterDeps extends Platform {
  ingest: Pick<IngestService, 'take' | 'inTurn'>;
  /** Simulated vendors of the demo. */
  vendors: readonly { kind: string; url: string; values: Record<string, string> }[];
}

export function registerConnections(deps: ConnectionsRegisterDeps): Feature<ConnectionsService> {
  const { config, isReplaying, bus, vendors, log } = deps;
  const alsoOrigins = [...config.connectionOrigins, ...vendors.map(({ url }) => url)];
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins, timeoutMs, maxBytes: maxAnswerBytes });
  const http = createVendorHttp(outbound);
  const examples = Object.fromEntries(vendors.map(({ kind, values }) => [kind, values]));
  const service = createConnectionsService({ ...deps, http, connectors, examples });
  const eventRetentionMs = config.eventRetentionDays * dayMs;
  const turns = createTurnsOfConnections({ ...deps, http, connectorOf, eventRetentionMs, random: Math.random });
  const worker = createConnectionsWorker({ ...deps, turns });
  const run = async () => {
    if (!isReplaying()) await worker.run();
  };
  return {
    service,
    routes: (serving) => connectionsRoutes(serving, service),
    jobs: [
      { name: 'connections.pull', cron: '* * * * *', run },
      { name: 'connections.removeOldHours', cron: '25 3 * * *', run: worker.removeOld },
    ],
    workers: [() => startConnectionsWorker(bus, { ...worker, run }, log)],
    closers: [() => outbound.close()],
  };
}
