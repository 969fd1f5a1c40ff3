/**
 * Agent process: collection, shipping, check-ins and tasks run in independent loops; a failure in one does not stop the others.
 */
import { join } from 'node:path';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { openBuffer } from './buffer.ts';
import { createCheckIns } from './checkIns.ts';
import { createClient } from './client.ts';
import { hostClock, pause } from './clock.ts';
import { collect } from './collect.ts';
import { createExecutor } from './executor.ts';
import { makePrivateFolder } from './files.ts';
import { dryHost, linuxHost } from './hosts.ts';
import { createIsolation } from './isolation.ts';
import { ledgerFile, openLedger } from './ledger.ts';
import { type Settings, writeSettings } from './settings.ts';
import { createShipping } from './ship.ts';
import { acquireInstanceLock } from './single-instance.ts';
import { createReporter, followTasks } from './tasks.ts';
import { createRefusals, createTaskTrust } from './taskTrust.ts';
import { createTroubles } from './troubles.ts';
import { createUpgrades, homeOf } from './upgrade.ts';
import { agentVersion } from './version.ts';

/** Interval for enforcing and expiring the isolation. */
const guardMs = 10_000;

export interface AgentDeps {
  state: string;
  settings: Settings;
  isDry: boolean;
  script: string;
  /** Time limit for a new version to check in; defaults to the limit in upgrade.ts. */
  trialMs?: number | undefined;
  signal: AbortSignal;
  log: (text: string) => void;
}

/**
 * Runs until the signal aborts or a new version has been tried (the service manager then starts the current version). Returns true when the
 * agent leaves for good.
 */
export async function runAgent({ state, settings, isDry, script, trialMs, signal: stopped, log }: AgentDeps): Promise<boolean> {
  const releaseLock = acquireInstanceLock(state);
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped, ended.signal]);
  const troubles = createTroubles(log);
  const trouble = troubles.note;
  const client = createClient(settings);
  const clock = systemClock;
  const isolation = createIsolation({ state, client, clock: hostClock, trouble });
  const { collectable } = settings;
  const host = isDry ? dryHost(state, clock, collectable) : linuxHost({ state, isolation, clock, collectable });
  // Restore an isolation before doing anything else.
  const enforce = () => host.keep().catch((error: Error) => trouble(`Could not enforce the isolation: ${error.message}`));
  await enforce();

  const upgrades = createUpgrades({ home: homeOf(script), state, releaseKey: settings.releaseKey, client, trouble, trialMs });
  await upgrades.recover();
  const buffer = await openBuffer(join(makePrivateFolder(state), 'buffer'), settings.bufferMiB * 1024 * 1024, trouble);
  const shipping = createShipping({ client, buffer, trouble });
  const ledger = await openLedger(ledgerFile(join(state, 'tasks.jsonl')));
  const reporter = createReporter(client);
  const executor = createExecutor({ ledger, host, reporter, trouble });
  await executor.recover();

  const trust = createTaskTrust({
    agentId: settings.agentId,
    pinned: settings.taskKey ?? '',
    pin: (taskKey) => writeSettings(state, { ...settings, taskKey }),
    trouble,
  });
  const refusals = createRefusals();
  const checkIns = createCheckIns({
    state,
    clock,
    client,
    host,
    isolation,
    upgrades,
    buffer,
    shipping,
    ledger,
    trust,
    refusals,
    troubles,
    log,
  });

  let hasLeft = false;
  const onLeave = () => {
    hasLeft = true;
    ended.abort();
  };
  log(`Agent ${agentVersion} of ${settings.organisationName} started; portal: ${settings.server}.`);
  const [hasUpgrade] = await Promise.all([
    // The first loop to end (new version) stops the others.
    checkIns.run(signal).finally(() => ended.abort()),
    guard(enforce, signal),
    followTasks({ client, executor, reporter, ledger, trust, refusals, checkInNow: checkIns.now, onLeave, trouble, signal }),
    shipping.run(signal),
    collect({ state, settings, clock, buffer, trouble, signal }),
  ]);
  await buffer.close();
  await ledger.close();
  client.close();
  releaseLock();
  if (hasUpgrade && !hasLeft && !stopped.aborted) await upgrades.tryOut(stopped);
  return hasLeft;
}

async function guard(enforce: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(guardMs, signal);
    await enforce();
  }
}
