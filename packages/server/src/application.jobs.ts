/** Scheduled and background work of the role `worker`. */
import type { Close, Feature, Job, Platform } from './core/feature.ts';
import { openJobs } from './core/jobs.ts';
import { tendKeys } from './core/keys/rotate.ts';

/** Starts the workers. Returns what begins the scheduled jobs; once the application closes it does nothing. */
export function startWorkers(platform: Platform, features: readonly Feature[], closers: Close[]): () => Promise<void> {
  let isClosing = false;
  let begun: Promise<Close> | undefined;
  closers.push(async () => {
    isClosing = true;
    await (await begun)?.();
  });
  for (const start of features.flatMap(({ workers }) => workers ?? [])) closers.push(start());
  return async () => {
    if (isClosing) return;
    begun = startJobs(platform, features);
    await begun;
  };
}

async function startJobs({ url, db, keys, metrics, log }: Platform, features: readonly Feature[]): Promise<Close> {
  const jobs = await openJobs({ url, log });
  const own: Job[] = [{ name: 'keys.tend', cron: '50 * * * *', run: () => tendKeys(db, keys) }];
  for (const { name, cron, run } of [...own, ...features.flatMap((feature) => feature.jobs ?? [])]) {
    metrics.expectJob(name);
    await jobs.schedule(name, cron, () => metrics.timed(name, run));
  }
  return () => jobs.close();
}
