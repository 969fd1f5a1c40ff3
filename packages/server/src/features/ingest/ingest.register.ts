import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import type { Detector } from '../../pipeline/detector.ts';
import type { DeviceRegister } from '../../pipeline/devices.ts';
import { createEventWriter } from '../../pipeline/event-writer.ts';
import { createAdmission } from './admission.ts';
import { hecRoutes } from './hec.routes.ts';
import { type IngestRoutesDeps, ingestRoutes } from './ingest.routes.ts';
import { createIngestService, type IngestService } from './ingest.service.ts';
import { otlpRoutes } from './otlp.routes.ts';
import { type WebhookDeps, webhookRoutes } from './webhook.routes.ts';

// For the composition of the application; other features receive them as arguments.
export { openListeners, type SyslogListeners } from './syslog.listeners.ts';

export interface IngestDeps extends Platform {
  detector: Detector;
  devices: DeviceRegister;
}

/** `storedFrom` as of the event writer. */
export const createIngest = (
  { db, clock, config, metrics, detector, devices, log }: IngestDeps,
  storedFrom?: number,
): IngestService =>
  createIngestService({
    eventWriter: createEventWriter({ db, clock, detector, devices, groupingWindowMs: config.groupingWindowMs, storedFrom, log }),
    detector,
    clock,
    eventRetentionMs: config.eventRetentionDays * dayMs,
    counted: metrics.counted,
    times: metrics,
  });

export function registerIngest(
  deps: IngestDeps & Pick<IngestRoutesDeps, 'organisationOf' | 'agentOf' | 'configFor'> & Pick<WebhookDeps, 'webhooks'>,
): Feature<IngestService> {
  const { clock, config, metrics, organisationOf, agentOf, configFor, webhooks, log } = deps;
  const service = createIngest(deps);
  const admission = createAdmission(config.maxInflightBytes);
  return {
    service,
    async intakeRoutes(app) {
      let isStopping = false;
      const isStopped = () => isStopping;
      const intake = { ingest: service, organisationOf, admission, isStopping: isStopped, counted: metrics.counted, log };
      await ingestRoutes(app, { ...intake, agentOf, configFor });
      await hecRoutes(app, { ...intake, clock });
      await otlpRoutes(app, { ...intake, clock });
      await webhookRoutes(app, { ...intake, clock, webhooks });
      app.addHook('preClose', async () => {
        isStopping = true;
      });
    },
  };
}
