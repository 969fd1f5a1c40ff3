/**
 * Agent process: collection, shipping, check-ins and tasks run in independent loops; a failure in one does not stop the others.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  agentPaths,
  type CheckIn,
  type CheckInAnswer,
  checkInAnswer,
  maxCollectedBytes,
} from '@parapet/contract/agentProtocol.ts';
import { openBuffer } from './buffer.ts';
import { type Client, createClient, KeyRevokedError, PortalUnavailableError, RequestRejectedError } from './client.ts';
import { createBackoff, hostClock, pause } from './clock.ts';
import { collect } from './collect.ts';
import { createExecutor, readTasks, type UnknownTask } from './executor.ts';
import { makePrivateFolder } from './files.ts';
import { type AgentHost, dryHost, linuxHost } from './hosts.ts';
import { createInventories } from './inventory.ts';
import { createIsolation } from './isolation.ts';
import { ledgerFile, openLedger } from './ledger.ts';
import { type Settings, writeSettings } from './settings.ts';
import { createShipping } from './ship.ts';
import { acquireInstanceLock } from './single-instance.ts';
import { createTaskTrust, newNonce, type Refusal } from './taskTrust.ts';
import { createUpgrades, homeOf } from './upgrade.ts';
import { agentVersion } from './version.ts';

/** Retry interval for a revoked key; the host may have been re-enrolled. */
const revokedPauseMs = 10 * 60_000;
const longPollSeconds = 50;
/** Interval for enforcing and expiring the isolation. */
const guardMs = 10_000;
/** Consecutive failed check-ins before an isolated agent resolves the portal's name again. */
const failuresBeforeLookup = 5;
/** Maximum refused tasks reported per check-in. */
const maxRefusals = 20;

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

/** Runs until the signal aborts or a new version has been tried; the service manager then starts the current version. */
export async function runAgent({ state, settings, isDry, script, trialMs, signal: stopped, log }: AgentDeps): Promise<void> {
  const releaseLock = acquireInstanceLock(state);
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped, ended.signal]);
  const troubles = createTroubles(log);
  const trouble = troubles.note;
  const client = createClient(settings);
  const isolation = createIsolation({ state, client, clock: hostClock, trouble });
  const host: AgentHost = isDry
    ? dryHost(state, settings.collectable)
    : linuxHost({ state, isolation, ...(settings.collectable && { collectable: settings.collectable }) });
  // Restore an isolation before doing anything else.
  await host.keep().catch((error: Error) => trouble(`Could not enforce the isolation: ${error.message}`));

  const upgrades = createUpgrades({ home: homeOf(script), state, releaseKey: settings.releaseKey, client, trouble, trialMs });
  await upgrades.recover();
  let hasUpgrade = false;
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
  /** Reported at the next check-in. */
  let refusals: Refusal[] = [];

  /** Aborted to trigger an immediate check-in. */
  let wakeUp = new AbortController();
  const checkInNow = () => {
    wakeUp.abort();
    wakeUp = new AbortController();
  };

  const checkIns = async () => {
    const inventories = createInventories({ trouble, state });
    const backoff = createBackoff(2_000, 60_000);
    let wantsInventory = false;
    let failures = 0;
    while (!signal.aborted) {
      let waitMs: number;
      // A change during this check-in triggers another one immediately afterwards.
      const wakeUpSignal = wakeUp.signal;
      try {
        const { inventory, hash } = await inventories.get();
        const report = upgrades.report();
        const refusedTasks = refusals.slice(0, maxRefusals);
        const request: CheckIn = {
          version: agentVersion,
          inventoryHash: hash,
          ...(wantsInventory && { inventory }),
          holding: await host.holding(),
          buffer: buffer.figures(),
          ...shipping.figures(),
          errors: troubles.latest(),
          lastSequence: ledger.last(),
          taskKey: trust.pinned(),
          ...(refusedTasks.length > 0 && { refusedTasks }),
          ...(report && { upgrade: report }),
        };
        const call = { method: 'POST', path: agentPaths.checkIn, body: request, signal } as const;
        const answer: CheckInAnswer = checkInAnswer.parse(await client.json(call));
        refusals = refusals.slice(refusedTasks.length);
        await trust.learn(answer.taskKeys);
        if (report) await upgrades.reported();
        await upgrades.healthy();
        backoff.reset();
        failures = 0;
        wantsInventory = answer.wantsInventory;
        if (answer.upgrade && (await upgrades.take(answer.upgrade))) {
          log(`Version ${answer.upgrade.version} installed; starting its trial.`);
          hasUpgrade = true;
          return;
        }
        // Jitter spreads hosts that started together.
        waitMs = answer.nextInSeconds * 1000 * (0.9 + Math.random() * 0.2);
      } catch (error) {
        if (signal.aborted) return;
        trouble(describe(error));
        waitMs =
          error instanceof KeyRevokedError
            ? revokedPauseMs
            : backoff.next(error instanceof PortalUnavailableError ? error.retryAfterMs : 0);
        if (++failures % failuresBeforeLookup === 0) await isolation.refreshPortalAddresses().catch(() => {});
      }
      await pause(waitMs, AbortSignal.any([signal, wakeUpSignal]));
    }
  };

  const guard = async () => {
    while (!signal.aborted) {
      await pause(guardMs, signal);
      await host.keep().catch((error: Error) => trouble(`Could not enforce the isolation: ${error.message}`));
    }
  };

  const tasks = async () => {
    const backoff = createBackoff(1_000, 60_000);
    while (!signal.aborted) {
      try {
        // Failed reports are retried later and must not delay fetching tasks.
        const reportError = await executor.report().then(
          () => undefined,
          (error: Error) => error,
        );
        const wait = reportError ? 0 : longPollSeconds;
        const nonce = newNonce();
        const { tasks, unknown, taskKeys } = readTasks(
          await client.json({
            method: 'GET',
            path: `${agentPaths.tasks}?after=${ledger.last()}&wait=${wait}&nonce=${nonce}`,
            timeoutMs: (wait + 20) * 1000,
            signal,
          }),
        );
        const since = hostClock.uptime();
        await trust.learn(taskKeys);
        const found = tasks.filter((task) => {
          const fault = trust.fault(task, nonce);
          if (fault === undefined) return true;
          const detail = `Refused: task ${task.sequence} is not the portal’s own: ${fault}. It was not done.`;
          refusals = [...refusals, { sequence: task.sequence, reason: detail }].slice(-maxRefusals);
          // A replayed copy must not overwrite the result of an executed task.
          const { id, sequence } = ledger.find(task.sequence) ? { id: undefined, sequence: undefined } : task;
          unknown.push({ id, sequence, detail });
          return false;
        });
        if (unknown.length === 0 && !reportError) backoff.reset();
        await executor.take(found, () => hostClock.uptime() - since);
        if (found.length > 0) {
          await executor.report();
          checkInNow();
        }
        for (const each of unknown) trouble(each.detail);
        if (refusals.length > 0) checkInNow();
        for (const each of unknown) await reporter.refuse(each);
        if (reportError) throw reportError;
      } catch (error) {
        if (signal.aborted) return;
        trouble(describe(error));
        await pause(
          error instanceof KeyRevokedError
            ? revokedPauseMs
            : backoff.next(error instanceof PortalUnavailableError ? error.retryAfterMs : 0),
          signal,
        );
      }
    }
  };

  log(`Agent ${agentVersion} of ${settings.organisationName} started; portal: ${settings.server}.`);
  // The first loop to end (new version) stops the others.
  const endAll = () => ended.abort();
  await Promise.all([
    checkIns().finally(endAll),
    guard(),
    tasks(),
    shipping.run(signal),
    collect({ state, settings, buffer, trouble, signal }),
  ]);
  await buffer.close();
  await ledger.close();
  client.close();
  releaseLock();
  if (hasUpgrade && !stopped.aborted) await upgrades.tryOut(stopped);
}

const createReporter = (client: Client) => ({
  async refuse({ id, sequence, detail }: UnknownTask) {
    // Without id and sequence the refusal cannot be reported, and the task would be dispatched again immediately.
    if (id === undefined || sequence === undefined) throw new Error(detail);
    await this.result(id, { sequence, state: 'failed', detail });
  },
  async result(id: number, result: object) {
    await client.call({ method: 'POST', path: agentPaths.result(id), body: result });
  },
  async upload(id: number, path: string) {
    const bytes = await readFile(path).catch(() => {
      throw new RequestRejectedError(410, 'its copy no longer exists on this host.');
    });
    if (bytes.length > maxCollectedBytes) throw new RequestRejectedError(413, 'its copy is too large.');
    await client.call({
      method: 'PUT',
      path: agentPaths.file(id),
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      timeoutMs: 10 * 60_000,
    });
  },
});

const describe = (error: unknown): string =>
  error instanceof KeyRevokedError
    ? `The portal no longer accepts this agent’s key. ${error.message}`
    : String((error as Error).message);

/** Recent distinct errors, newest first. */
function createTroubles(log: (text: string) => void) {
  let latest: string[] = [];
  return {
    note(text: string) {
      // PostgreSQL rejects NUL and lone surrogates, which would fail every further check-in.
      const line = text
        .replaceAll(/[\s\0]+/g, ' ')
        .slice(0, 500)
        .toWellFormed();
      if (latest[0] !== line) log(line);
      latest = [line, ...latest.filter((other) => other !== line)].slice(0, 20);
    },
    latest: () => latest,
  };
}
