import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { signingKey } from '../../core/keys/signing.ts';
import { openOutbound } from '../../core/outbound.ts';
import type { Detector } from '../../pipeline/detector.ts';
import { packsRoutes } from './packs.routes.ts';
import { createPacksService, type PacksService } from './packs.service.ts';
import { removeOldImports } from './packs.store.ts';
import { runImports, startImportWorker } from './packs.worker.ts';

const signingSecret = 'rule packs';
const timeoutMs = 120_000;
const maxAnswerBytes = 192 * 1024 * 1024;

export function registerRulePacks(platform: Platform & { detector: Detector }): Feature<PacksService> {
  const { db, bus, keys, config } = platform;
  const outbound = openOutbound({
    allowsInsecure: false,
    alsoOrigins: config.connectionOrigins,
    timeoutMs,
    maxBytes: maxAnswerBytes,
    proxy: config.egressProxy,
  });
  const deps = { ...platform, outbound, signingKey: async () => signingKey(await keys.shared(signingSecret)) };
  const service = createPacksService(deps);
  return {
    service,
    routes: (serving) => packsRoutes(serving, service),
    jobs: [
      { name: 'rulePacks.read', cron: '* * * * *', run: () => runImports(deps) },
      {
        name: 'rulePacks.removeOldImports',
        cron: '35 3 * * *',
        run: () => scoped(db, 'system', async (tx) => void (await removeOldImports(tx))),
      },
    ],
    workers: [() => startImportWorker(bus, deps)],
    closers: [() => outbound.close()],
  };
}
