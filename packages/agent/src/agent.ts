/** The running agent: collects, ships, checks in and takes tasks, each in a loop of its own; one that fails does not stop the others. */
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
import { type Client, createClient, PortalUnavailableError, RequestRejectedError, Revoked } from './client.ts';
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

/** A revoked key is tried again now and then: somebody may have enrolled anew. */
const revokedPauseMs = 10 * 60_000;
const longPollSeconds = 50;
/** So often it is seen to that an isolation holds, and ends. */
const guardMs = 10_000;
/** So often check-ins fail before an isolated agent asks for the portal's name again. */
const failuresBeforeAsking = 5;
/** Of refused tasks the latest are told. */
const maxRefusals = 20;

export interface AgentDeps {
  state: string;
  settings: Settings;
  isDry: boolean;
  script: string;
  /** How long a new version may take to check in; the usual time where none is said. */
  trialMs?: number | undefined;
  signal: AbortSignal;
  log: (text: string) => void;
}

/** Runs until the signal, or until a new version was tried; then the service manager starts that, or this one anew. */
export async function runAgent({ state, settings, isDry, script, trialMs, signal: stopped, log }: AgentDeps): Promise<void> {
  const leave = acquireInstanceLock(state);
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped, ended.signal]);
  const troubles = createTroubles(log);
  const trouble = troubles.note;
  const client = createClient(settings);
  const isolation = createIsolation({ state, client, clock: hostClock, trouble });
  const host: AgentHost = isDry
    ? dryHost(state, settings.collectable)
    : linuxHost({ state, isolation, ...(settings.collectable && { collectable: settings.collectable }) });
  // Before anything else: an isolation that should hold, holds.
  await host.keep().catch((error: Error) => trouble(`The isolation could not be looked after: ${error.message}`));

  const upgrades = createUpgrades({ home: homeOf(script), state, releaseKey: settings.releaseKey, client, trouble, trialMs });
  let hasTaken = false;
  const buffer = await openBuffer(join(makePrivateFolder(state), 'buffer'), settings.bufferMiB * 1024 * 1024, trouble);
  const shipping = createShipping({ client, buffer, trouble });
  const ledger = await openLedger(ledgerFile(join(state, 'tasks.jsonl')));
  const teller = tellerOf(client);
  const executor = createExecutor({ ledger, host, teller, trouble });
  await executor.recover();

  const trust = createTaskTrust({
    agentId: settings.agentId,
    pinned: settings.taskKey ?? '',
    pin: (taskKey) => writeSettings(state, { ...settings, taskKey }),
    trouble,
  });
  /** Told at the next check-in. */
  let refusals: Refusal[] = [];

  /** Something changed that the portal waits for: the next check-in is now. */
  let hasNews = new AbortController();
  const checkInNow = () => {
    hasNews.abort();
    hasNews = new AbortController();
  };

  const checkIns = async () => {
    const inventories = createInventories({ trouble, state });
    const backoff = createBackoff(2_000, 60_000);
    let wantsInventory = false;
    let failures = 0;
    while (!signal.aborted) {
      let waitMs: number;
      // News that come while this check-in is under way are told at once after it.
      const news = hasNews.signal;
      try {
        const { inventory, hash } = await inventories.get();
        const report = upgrades.report();
        const refusedTasks = refusals.slice(0, maxRefusals);
        const said: CheckIn = {
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
        const call = { method: 'POST', path: agentPaths.checkIn, body: said, signal } as const;
        const answer: CheckInAnswer = checkInAnswer.parse(await client.json(call));
        refusals = refusals.slice(refusedTasks.length);
        await trust.learn(answer.taskKeys);
        if (report) await upgrades.told();
        await upgrades.healthy();
        backoff.reset();
        failures = 0;
        wantsInventory = answer.wantsInventory;
        if (answer.upgrade && (await upgrades.take(answer.upgrade))) {
          log(`Version ${answer.upgrade.version} is here; it is tried now.`);
          hasTaken = true;
          return;
        }
        // Hosts that started together drift apart.
        waitMs = answer.nextInSeconds * 1000 * (0.9 + Math.random() * 0.2);
      } catch (error) {
        if (signal.aborted) return;
        trouble(describe(error));
        waitMs =
          error instanceof Revoked
            ? revokedPauseMs
            : backoff.next(error instanceof PortalUnavailableError ? error.retryAfterMs : 0);
        if (++failures % failuresBeforeAsking === 0) await isolation.findPortalAgain().catch(() => {});
      }
      await pause(waitMs, AbortSignal.any([signal, news]));
    }
  };

  const guard = async () => {
    while (!signal.aborted) {
      await pause(guardMs, signal);
      await host.keep().catch((error: Error) => trouble(`The isolation could not be looked after: ${error.message}`));
    }
  };

  const tasks = async () => {
    const backoff = createBackoff(1_000, 60_000);
    while (!signal.aborted) {
      try {
        // A result that cannot be told now is told later; tasks are asked for all the same.
        const untold = await executor.tell().then(
          () => undefined,
          (error: Error) => error,
        );
        const wait = untold ? 0 : longPollSeconds;
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
          // Of one that was done, nothing else is said because of a copy.
          const { id, sequence } = ledger.find(task.sequence) ? { id: undefined, sequence: undefined } : task;
          unknown.push({ id, sequence, detail });
          return false;
        });
        if (unknown.length === 0 && !untold) backoff.reset();
        await executor.take(found, () => hostClock.uptime() - since);
        if (found.length > 0) {
          await executor.tell();
          checkInNow();
        }
        for (const each of unknown) trouble(each.detail);
        if (refusals.length > 0) checkInNow();
        for (const each of unknown) await teller.refuse(each);
        if (untold) throw untold;
      } catch (error) {
        if (signal.aborted) return;
        trouble(describe(error));
        await pause(
          error instanceof Revoked
            ? revokedPauseMs
            : backoff.next(error instanceof PortalUnavailableError ? error.retryAfterMs : 0),
          signal,
        );
      }
    }
  };

  log(`Agent ${agentVersion} of ${settings.organisationName} runs; its portal is ${settings.server}.`);
  // The first that ends (a new version) ends the others.
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
  leave();
  if (hasTaken && !stopped.aborted) await upgrades.tryOut(stopped);
}

const tellerOf = (client: Client) => ({
  async refuse({ id, sequence, detail }: UnknownTask) {
    // Without its number nobody can be told; it would be given again at once.
    if (id === undefined || sequence === undefined) throw new Error(detail);
    await this.result(id, { sequence, state: 'failed', detail });
  },
  async result(id: number, result: object) {
    await client.call({ method: 'POST', path: agentPaths.result(id), body: result });
  },
  async upload(id: number, path: string) {
    const bytes = await readFile(path).catch(() => {
      throw new RequestRejectedError(410, 'its copy is gone from this host.');
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
  error instanceof Revoked
    ? `The portal does not know this agent’s key any more. ${error.message}`
    : String((error as Error).message);

/** What went wrong lately, newest first, each said once. */
function createTroubles(log: (text: string) => void) {
  let latest: string[] = [];
  return {
    note(text: string) {
      // Neither half a character nor a zero: no database keeps them, and no check-in would arrive any more.
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
