import type { Feature, Platform } from '../../core/feature.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import { createSilenceService, type SilenceService } from './silence.service.ts';

export interface SilenceDeps extends Platform {
  /** On the same clock. */
  ingest: Pick<IngestService, 'take'>;
}

export function registerSilence({ db, clock, ingest, log }: SilenceDeps): Feature<SilenceService> {
  const service = createSilenceService({ db, clock, take: ingest.take, log });
  return { service, jobs: [{ name: 'silence.watch', cron: '*/5 * * * *', run: () => service.watch() }] };
}
