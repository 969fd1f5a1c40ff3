/**
 * Self-upgrade. Accepts only newer packages for this platform, signed with the release key pinned at enrolment. The new version
 * runs on trial as a child of the old one, which counts its starts and time, since a broken package may count neither. After
 * its first check-in, a single rename makes it current.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { agentPaths, type CheckInAnswer, maxPackageBytes } from '@parapet/contract/agentProtocol.ts';
import { type Client, KeyRevokedError, PortalUnavailableError, ResponseTooLargeError } from './client.ts';
import { pause } from './clock.ts';
import { syncFolder, writeDurably } from './files.ts';
import { createUpgradeRecords, type Report, type Trial } from './upgradeRecords.ts';
import { agentVersion, isNewer, platform } from './version.ts';

type Offer = NonNullable<CheckInAnswer['upgrade']>;

/** Limits for a trial: starts without a check-in, and total time. */
const maxStarts = 3;
const defaultTrialMs = 10 * 60_000;
const betweenStartsMs = 5_000;
/** Grace period after SIGTERM. */
const endsWithinMs = 20_000;

export interface Upgrades {
  /**
   * Downloads and verifies an offer. True: the version is installed; this process should release all resources and start the
   * trial.
   */
  take(offer: Offer): Promise<boolean>;
  /** Completes a giving up that the end of the previous process cut short; called at each start. */
  recover(): Promise<void>;
  /** Runs the new version until it checks in or is given up; the service then starts the right one. */
  tryOut(stopped: AbortSignal): Promise<void>;
  /** Called after a successful check-in; ends the trial of this version. */
  healthy(): Promise<void>;
  /** Report for the next check-in. */
  report(): Report | undefined;
  reported(): Promise<void>;
}

/** Layout: <home>/releases/<version>/agent.mjs; <home>/current is a link to one release. */
export function createUpgrades({
  home,
  state,
  releaseKey,
  client,
  trouble,
  version = agentVersion,
  trialMs = defaultTrialMs,
  pauseMs = Math.min(betweenStartsMs, trialMs / 12),
}: {
  /** Undefined if not installed by install.sh: upgrades are refused. */
  home: string | undefined;
  state: string;
  releaseKey: string;
  client: Pick<Client, 'call'>;
  trouble: (text: string) => void;
  version?: string;
  trialMs?: number | undefined;
  pauseMs?: number;
}): Upgrades {
  const records = createUpgradeRecords(state);
  const refused = new Set<string>();

  async function install(offer: Offer): Promise<void> {
    await checkStart(await download(offer, home!, client), offer.version);
    // An earlier trial of it may have killed this process.
    const before = records.trial();
    const starts = before?.to === offer.version ? before.starts : 0;
    await records.saveTrial({ from: version, to: offer.version, starts });
  }

  function giveUp(trial: Trial, reason: string): Promise<void> {
    trouble(`Version ${trial.to} was given up: ${reason}`);
    return records.giveUp(trial, reason);
  }

  return {
    async take(offer) {
      const refusal = reasonAgainst(offer, { version, releaseKey, home });
      const mark = `${offer.version} ${offer.sha256}`;
      try {
        if (records.givenUp()?.version === offer.version || refused.has(mark)) return false;
        if (refusal) {
          refused.add(mark);
          await records.saveReport({ version: offer.version, state: 'refused', detail: refusal });
          trouble(`Version ${offer.version} was refused: ${refusal}`);
          return false;
        }
        await install(offer);
        return true;
      } catch (error) {
        // Retry when the portal is unreachable. A package larger than signed counts as corrupt.
        if (
          error instanceof KeyRevokedError ||
          (error instanceof PortalUnavailableError && !(error instanceof ResponseTooLargeError))
        )
          throw error;
        refused.add(mark);
        await records.saveReport({ version: offer.version, state: 'failed', detail: (error as Error).message.slice(0, 500) });
        return false;
      }
    },
    recover: records.settle,
    async tryOut(stopped) {
      const endsAt = performance.now() + trialMs;
      for (let now = records.trial(); now && !stopped.aborted; now = records.trial()) {
        if (now.starts >= maxStarts) return giveUp(now, `It started ${now.starts} times without reaching the portal.`);
        await records.saveTrial({ ...now, starts: now.starts + 1 });
        const child = start(home!, now.to);
        const ended = endOf(child);
        const isUnderWay = () => records.isOnTrial() && !stopped.aborted && performance.now() < endsAt;
        while (isUnderWay() && !(await Promise.race([ended, pause(200)])));
        const isOver = records.isOnTrial() && !stopped.aborted && performance.now() >= endsAt;
        child.kill(isOver ? 'SIGKILL' : 'SIGTERM');
        await Promise.race([ended, pause(endsWithinMs)]);
        child.kill('SIGKILL');
        await ended;
        if (isOver) return giveUp(now, 'It did not reach the portal in time.');
        // Stopped by a person, it did not fail.
        if (stopped.aborted && records.trial()) return records.saveTrial(now);
        if (records.isOnTrial() && now.starts + 1 < maxStarts) await pause(pauseMs, stopped);
      }
    },
    async healthy() {
      const now = records.trial();
      if (!home || now?.to !== version) return;
      await switchTo(home, version);
      await records.saveReport({ version, state: 'installed', detail: `Version ${now.from} was replaced.` });
      await records.endTrial();
      // Keep the previous version for a manual rollback.
      for (const name of await readdir(join(home, 'releases')))
        if (name !== now.from && name !== version) await rm(join(home, 'releases', name), { recursive: true, force: true });
    },
    report: records.report,
    reported: records.removeReport,
  };
}

const scriptOf = (home: string, version: string) => join(home, 'releases', version, 'agent.mjs');

async function switchTo(home: string, wanted: string): Promise<void> {
  const temporary = join(home, 'current.new');
  await rm(temporary, { force: true });
  await symlink(join('releases', wanted), temporary);
  await rename(temporary, join(home, 'current'));
  await syncFolder(home);
}

/** Stores the package under its version; returns the path of its script. Throws if it is not the signed one. */
async function download(offer: Offer, home: string, client: Pick<Client, 'call'>): Promise<string> {
  const bytes = await client.call({
    method: 'GET',
    path: agentPaths.package(offer.version, offer.platform),
    timeoutMs: 10 * 60_000,
    maxAnswerBytes: Math.min(maxPackageBytes, offer.size),
  });
  if (bytes.length !== offer.size || createHash('sha256').update(bytes).digest('hex') !== offer.sha256)
    throw new Error('The download is not the package that was signed.');
  const script = scriptOf(home, offer.version);
  await mkdir(dirname(script), { recursive: true, mode: 0o755 });
  await writeDurably(script, bytes, 0o755);
  return script;
}

/** Throws unless the package starts and prints its version. */
async function checkStart(script: string, version: string): Promise<void> {
  const options = { timeout: 30_000, killSignal: 'SIGKILL' } as const;
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--version'], options);
  if (stdout.trim() !== version) throw new Error(`The package reports version ${stdout.trim().slice(0, 40)}.`);
}

/** Starts a version as a child with this process's arguments. The child exits with its parent, so that two agents never run at once. */
const start = (home: string, wanted: string) =>
  spawn(process.execPath, [...process.execArgv, scriptOf(home, wanted), ...process.argv.slice(2)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

function endOf(child: ChildProcess): Promise<true> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(true));
    child.once('error', () => resolve(true));
  });
}

/** Reason to refuse an offer; undefined if it is acceptable. */
export function reasonAgainst(
  offer: Offer,
  { version, releaseKey, home }: { version: string; releaseKey: string; home: string | undefined },
): string | undefined {
  if (!home) return 'This agent was not installed by install.sh and does not replace itself.';
  if (!releaseKey) return 'No release key was pinned at enrolment.';
  if (offer.platform !== platform) return `It is for ${offer.platform}, this host is ${platform}.`;
  if (!isNewer(offer.version, version)) return `It is not newer than ${version}.`;
  if (offer.size > maxPackageBytes) return 'It is too large.';
  try {
    const text = Buffer.from(`${offer.version} ${offer.platform} ${offer.sha256} ${offer.size}`);
    const key = createPublicKey(releaseKey);
    if (key.asymmetricKeyType === 'ed25519' && verify(null, text, key, Buffer.from(offer.signature, 'base64url')))
      return undefined;
  } catch {
    // Malformed key or signature.
  }
  return 'Its signature is not by the release key.';
}

/** Installation folder of the script; undefined outside an installation. */
export function homeOf(script: string): string | undefined {
  const home = dirname(dirname(dirname(script)));
  return existsSync(join(home, 'releases')) && isLink(join(home, 'current')) ? home : undefined;
}

function isLink(path: string): boolean {
  try {
    return readlinkSync(path) !== '';
  } catch {
    return false;
  }
}
