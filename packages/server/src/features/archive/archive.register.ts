import type { Feature, Platform } from '../../core/feature.ts';
import { type ArchiveService, createArchiveService } from './archive.service.ts';

export function registerArchive(deps: Platform): Feature<ArchiveService> {
  const service = createArchiveService({ ...deps, eventRetentionDays: deps.config.eventRetentionDays });
  // Before retention.drop, which leaves what is to be archived.
  return { service, jobs: [{ name: 'archive.run', cron: '15 2 * * *', run: service.run }] };
}
