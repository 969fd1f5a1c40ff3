/** Scheduled and background work of the role `worker`. */
import type { Close, Feature, Job, Platform } from './core/feature.ts';
import { openJobs } from './core/jobs.ts';
import { tendKeys } from './core/keys/rotate.ts';

export async function startJobs(
  { url, db, keys, metrics, log }: Platform,
  features: readonly Feature[],
  closers: Close[],
): Promise<void> {
  const jobs = await openJobs({ url, log });
  closers.push(() => jobs.close());
  const own: Job[] = [{ name: 'keys.tend', cron: '50 * * * *', run: () => tendKeys(db, keys) }];
  for (const { name, cron, run } of [...own, ...features.flatMap((feature) => feature.jobs ?? [])]) {
    metrics.expectJob(name);
    await jobs.schedule(name, cron, () => metrics.timed(name, run));
  }
  for (const start of features.flatMap(({ workers }) => workers ?? [])) closers.push(start());
}
