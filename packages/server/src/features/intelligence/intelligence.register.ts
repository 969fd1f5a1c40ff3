import type { Http } from '@parapet/connectors/connector.ts';
import { onEach } from '../../core/bus.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { type Outbound, openOutbound } from '../../core/outbound.ts';
import { feedsRoutes } from './feeds.routes.ts';
import { createFeedsService, type FeedExamples } from './feeds.service.ts';
import { intelligenceRoutes } from './intelligence.routes.ts';
import { createIntelligenceService, type IntelligenceService } from './intelligence.service.ts';

/** Of one page of a feed. */
const maxAnswerBytes = 16 * 1024 * 1024;
const timeoutMs = 30_000;

export interface IntelligenceRegisterDeps extends Platform {
  createHttp: (outbound: Pick<Outbound, 'fetch'>) => Http;
  /** Simulated servers of the demo. */
  simulated: { origins: readonly string[]; examples: FeedExamples } | undefined;
}

export function registerIntelligence(deps: IntelligenceRegisterDeps): Feature<IntelligenceService> {
  const { db, clock, config, bus, log, isReplaying, simulated } = deps;
  const service = createIntelligenceService({ db, clock });
  const outbound = openOutbound({
    allowsInsecure: false,
    alsoOrigins: [...config.connectionOrigins, ...(simulated?.origins ?? [])],
    timeoutMs,
    maxBytes: maxAnswerBytes,
    proxy: config.egressProxy,
  });
  const feeds = createFeedsService({ ...deps, http: deps.createHttp(outbound), examples: simulated?.examples ?? {} });
  const run = async () => {
    if (!isReplaying()) await feeds.run();
  };
  return {
    service,
    routes: (serving) => {
      intelligenceRoutes(serving, service);
      feedsRoutes(serving, feeds);
    },
    jobs: [{ name: 'intelligenceFeeds.read', cron: '* * * * *', run }],
    workers: [
      () =>
        onEach(
          bus,
          'intelligenceFeeds.due',
          () => void run().catch((error) => log.error({ err: error }, 'intelligence feeds could not be read')),
        ),
    ],
    closers: [() => outbound.close()],
  };
}
