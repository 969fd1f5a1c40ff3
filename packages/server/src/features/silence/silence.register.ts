import type { Feature, Platform } from '../../core/feature.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import { createSilenceService, type SilenceService } from './silence.service.ts';

export interface SilenceDeps extends Platform {
  /** On the same clock. */
  ingest: Pick<IngestService, 'take'>;
}

export function registerSilence({ db, clock, isReplaying, ingest, log }: SilenceDeps): Feature<SilenceService> {
  const service = createSilenceService({ db, clock, take: ingest.take, log });
  const watch = async () => {
    if (!isReplaying()) await service.watch();
  };
  return { service, jobs: [{ name: 'silence.watch', cron: '*/5 * * * *', run: watch }] };
}
