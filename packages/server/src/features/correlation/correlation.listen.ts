/** Triggers of correlation and decisioning: each commit that raises alerts, and a job for missed messages. */
import type { Bus } from '../../core/bus.ts';
import type { Log } from '../../core/log.ts';

/**
 * Runs `work` after alerts are raised; messages during a run cause one more run. Returns a function that stops it after the current run.
 */
export function runOnAlerts(bus: Pick<Bus, 'on'>, work: () => Promise<unknown>, log: Log): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  let isStopped = false;
  const loop = async () => {
    do {
      isAskedAgain = false;
      try {
        await work();
      } catch (error) {
        // The job repeats it.
        log.error({ err: error }, 'alerts could not be made into cases');
      }
    } while (isAskedAgain && !isStopped);
  };
  const run = () => {
    if (isStopped) return;
    isAskedAgain = true;
    running ??= loop().finally(() => {
      running = undefined;
    });
  };
  const ends = [bus.on('alert.raised', run), bus.on('bus.reconnected', run)];
  return async () => {
    isStopped = true;
    for (const end of ends) end();
    await running;
  };
}
