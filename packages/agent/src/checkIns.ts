/** Check-ins: reports the host's state and receives the next interval, task keys and upgrades. */
import { agentPaths, type CheckIn, type CheckInAnswer, checkInAnswer } from '@parapet/contract/agentProtocol.ts';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { Buffered } from './buffer.ts';
import { type Client, retryDelayMs } from './client.ts';
import { createBackoff, pause } from './clock.ts';
import type { AgentHost } from './hosts.ts';
import { createInventories } from './inventory.ts';
import type { Isolation } from './isolation.ts';
import type { Ledger } from './ledger.ts';
import type { Shipping } from './ship.ts';
import type { Refusals, TaskTrust } from './taskTrust.ts';
import { describeError, type Troubles } from './troubles.ts';
import type { Upgrades } from './upgrade.ts';
import { agentVersion } from './version.ts';

/** Consecutive failed check-ins before an isolated agent resolves the portal's name again. */
const failuresBeforeLookup = 5;

export interface CheckIns {
  /** Runs until the signal aborts; true once a new version is installed and ready for its trial. */
  run(signal: AbortSignal): Promise<boolean>;
  /** Triggers an immediate check-in. */
  now(): void;
}

export interface CheckInDeps {
  state: string;
  clock: Clock;
  client: Client;
  host: AgentHost;
  isolation: Isolation;
  upgrades: Upgrades;
  buffer: Buffered;
  shipping: Shipping;
  ledger: Ledger;
  trust: TaskTrust;
  refusals: Refusals;
  troubles: Troubles;
  log: (text: string) => void;
}

export function createCheckIns(deps: CheckInDeps): CheckIns {
  const { client, host, isolation, upgrades, ledger, trust, refusals, troubles } = deps;
  const inventories = createInventories({ trouble: troubles.note, state: deps.state, clock: deps.clock });
  let wantsInventory = false;
  /** Aborted to trigger an immediate check-in. */
  let wakeUp = new AbortController();

  async function checkIn(signal: AbortSignal): Promise<CheckInAnswer> {
    const { inventory, hash } = await inventories.get();
    const upgrade = upgrades.report();
    const refusedTasks = refusals.waiting();
    const body: CheckIn = {
      version: agentVersion,
      inventoryHash: hash,
      ...(wantsInventory && { inventory }),
      holding: await host.holding(),
      buffer: deps.buffer.figures(),
      ...deps.shipping.figures(),
      errors: troubles.latest(),
      lastSequence: ledger.last(),
      taskKey: trust.pinned(),
      ...(refusedTasks.length > 0 && { refusedTasks }),
      ...(upgrade && { upgrade }),
    };
    const answer = checkInAnswer.parse(await client.json({ method: 'POST', path: agentPaths.checkIn, body, signal }));
    refusals.reported(refusedTasks.length);
    await trust.learn(answer.taskKeys);
    if (upgrade) await upgrades.reported();
    await upgrades.healthy();
    wantsInventory = answer.wantsInventory;
    return answer;
  }

  return {
    now() {
      wakeUp.abort();
      wakeUp = new AbortController();
    },
    async run(signal) {
      const backoff = createBackoff(2_000, 60_000);
      let failures = 0;
      while (!signal.aborted) {
        let waitMs: number;
        // A change during this check-in triggers another one immediately afterwards.
        const wakeUpSignal = wakeUp.signal;
        try {
          const { upgrade, nextInSeconds } = await checkIn(signal);
          backoff.reset();
          failures = 0;
          if (upgrade && (await upgrades.take(upgrade))) {
            deps.log(`Version ${upgrade.version} installed; starting its trial.`);
            return true;
          }
          // Jitter spreads hosts that started together.
          waitMs = nextInSeconds * 1000 * (0.9 + Math.random() * 0.2);
        } catch (error) {
          if (signal.aborted) return false;
          troubles.note(describeError(error));
          waitMs = retryDelayMs(error, backoff);
          if (++failures % failuresBeforeLookup === 0) await isolation.refreshPortalAddresses().catch(() => {});
        }
        await pause(waitMs, AbortSignal.any([signal, wakeUpSignal]));
      }
      return false;
    },
  };
}
