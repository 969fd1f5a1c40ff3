/** When alerts are correlated and cases judged: after each commit that raised alerts, and by the clock for what that missed. */
import type { Bus } from '../../core/bus.ts';
import type { Log } from '../../core/log.ts';

/**
 * Runs `work` after alerts were raised; what is told while it runs is done by one run more. Answers how to stop: it waits for the run under way.
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
        // The job by the clock comes back to it.
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
