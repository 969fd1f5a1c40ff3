import { withExclusiveLock } from '../../core/db/lock.ts';
import type { Close, Feature, Platform } from '../../core/feature.ts';
import type { Log } from '../../core/log.ts';
import { auditRoutes } from './audit.routes.ts';
import { type AuditService, createAuditService } from './audit.service.ts';
import { checkpointKey } from './chain.format.ts';
import { type AuditSealer, createAuditSealer } from './chain.sealer.ts';
import { checkpointSecret, verifyAll } from './chain.verify.ts';

// For the composition of the application; other features receive them as arguments.
export { leavesToErase } from './chain.erase.ts';
export { checkpointSecret } from './chain.verify.ts';

/** Number of the advisory lock; the demo’s is 1. */
const sealingLock = 2;

export async function registerAudit({ db, url, keys, clock, log }: Platform): Promise<Feature<AuditService>> {
  const service = createAuditService({ db, clock });
  const key = checkpointKey(await keys.shared(checkpointSecret));
  return {
    service,
    routes: (serving) => auditRoutes(serving, service),
    jobs: [
      { name: 'audit.drop', cron: '45 3 * * *', run: service.dropOld },
      { name: 'audit.verify', cron: '20 4 * * *', run: () => verifyAll({ db, clock, publicKey: key.publicKey, log }) },
    ],
    workers: [() => startSealing(url, createAuditSealer({ db, clock, key, log }), log)],
  };
}

/** Seals the audit log in one process of the installation at a time. */
function startSealing(url: string, sealer: AuditSealer, log: Log): Close {
  const closing = new AbortController();
  const sealing = withExclusiveLock(url, sealingLock, closing.signal, sealer.run).catch((error: unknown) =>
    log.error({ err: error }, 'sealing of the audit log stopped'),
  );
  return async () => {
    closing.abort();
    await sealing;
  };
}
