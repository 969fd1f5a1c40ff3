/**
 * Self-upgrade. Accepts only newer packages for this platform, signed with the release key pinned at enrolment. The new version
 * runs on trial as a child of the old one, which counts its starts and time, since a broken package may count neither. After
 * its first check-in, a single rename makes it current.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { agentPaths, type CheckIn, type CheckInAnswer, maxPackageBytes } from '@parapet/contract/agentProtocol.ts';
import { type Client, KeyRevokedError, PortalUnavailableError, ResponseTooLargeError } from './client.ts';
import { pause } from './clock.ts';
import { readJson, syncFolder, writeDurably } from './files.ts';
import { agentVersion, isNewer, platform } from './version.ts';

type Offer = NonNullable<CheckInAnswer['upgrade']>;
export type Report = NonNullable<CheckIn['upgrade']>;

interface Trial {
  from: string;
  to: string;
  starts: number;
}

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
  const trialFile = join(state, 'trial.json');
  const reportFile = join(state, 'upgrade.json');
  const trial = () => readJson<Trial>(trialFile);
  const saveReport = (report: Report) => writeDurably(reportFile, JSON.stringify(report));
  const refused = new Set<string>();
  /** Last version given up, persisted so that it is not tried again immediately. */
  const givenUpFile = join(state, 'given-up.json');

  async function switchTo(wanted: string): Promise<void> {
    const temporary = join(home!, 'current.new');
    await rm(temporary, { force: true });
    await symlink(join('releases', wanted), temporary);
    await rename(temporary, join(home!, 'current'));
    await syncFolder(home!);
  }

  async function install(offer: Offer): Promise<void> {
    const bytes = await client.call({
      method: 'GET',
      path: agentPaths.package(offer.version, offer.platform),
      timeoutMs: 10 * 60_000,
      maxAnswerBytes: Math.min(maxPackageBytes, offer.size),
    });
    if (bytes.length !== offer.size || createHash('sha256').update(bytes).digest('hex') !== offer.sha256)
      throw new Error('The download is not the package that was signed.');
    const folder = join(home!, 'releases', offer.version);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await writeDurably(join(folder, 'agent.mjs'), bytes, 0o755);
    // The package must start and print its version.
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'agent.mjs'), '--version'], {
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    if (stdout.trim() !== offer.version) throw new Error(`The package reports version ${stdout.trim().slice(0, 40)}.`);
    // An earlier trial of it may have killed this process.
    const before = trial();
    const starts = before?.to === offer.version ? before.starts : 0;
    await writeDurably(trialFile, JSON.stringify({ from: version, to: offer.version, starts } satisfies Trial));
  }

  async function giveUp({ from, to }: Trial, reason: string): Promise<void> {
    trouble(`Version ${to} was given up: ${reason}`);
    await writeDurably(givenUpFile, JSON.stringify({ version: to, detail: `${reason} Version ${from} is back.` }));
    await settle();
  }

  /** The portal does not offer a version again that it knows as failed: neither the report nor the end of the trial may get lost. */
  async function settle(): Promise<void> {
    const givenUp = readJson<{ version: string; detail?: string }>(givenUpFile);
    if (!givenUp || trial()?.to !== givenUp.version) return;
    const { version, detail = 'It was given up.' } = givenUp;
    await saveReport({ version, state: 'failed', detail });
    await rm(trialFile, { force: true });
  }

  /**
   * Starts a version as a child with this process's arguments. The child exits with its parent, so that two agents never run at
   * once.
   */
  const start = (wanted: string) =>
    spawn(process.execPath, [...process.execArgv, join(home!, 'releases', wanted, 'agent.mjs'), ...process.argv.slice(2)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });

  return {
    async take(offer) {
      const refusal = reasonAgainst(offer, { version, releaseKey, home });
      const mark = `${offer.version} ${offer.sha256}`;
      try {
        if (readJson<{ version: string }>(givenUpFile)?.version === offer.version) return false;
        if (refused.has(mark)) return false;
        if (refusal) {
          refused.add(mark);
          await saveReport({ version: offer.version, state: 'refused', detail: refusal });
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
        await saveReport({ version: offer.version, state: 'failed', detail: (error as Error).message.slice(0, 500) });
        return false;
      }
    },
    recover: settle,
    async tryOut(stopped) {
      const endsAt = performance.now() + trialMs;
      for (let now = trial(); now && !stopped.aborted; now = trial()) {
        if (now.starts >= maxStarts) return giveUp(now, `It started ${now.starts} times without reaching the portal.`);
        await writeDurably(trialFile, JSON.stringify({ ...now, starts: now.starts + 1 }));
        const child = start(now.to);
        const ended = endOf(child);
        const isUnderWay = () => existsSync(trialFile) && !stopped.aborted && performance.now() < endsAt;
        while (isUnderWay() && !(await Promise.race([ended, pause(200)])));
        const isOver = existsSync(trialFile) && !stopped.aborted && performance.now() >= endsAt;
        child.kill(isOver ? 'SIGKILL' : 'SIGTERM');
        await Promise.race([ended, pause(endsWithinMs)]);
        child.kill('SIGKILL');
        await ended;
        if (isOver) return giveUp(now, 'It did not reach the portal in time.');
        // Stopped by a person, it did not fail.
        if (stopped.aborted && trial()) return writeDurably(trialFile, JSON.stringify(now));
        if (existsSync(trialFile) && now.starts + 1 < maxStarts) await pause(pauseMs, stopped);
      }
    },
    async healthy() {
      const now = trial();
      if (!home || now?.to !== version) return;
      await switchTo(version);
      await saveReport({ version, state: 'installed', detail: `Version ${now.from} was replaced.` });
      await unlink(trialFile);
      // Keep the previous version for a manual rollback.
      for (const name of await readdir(join(home, 'releases')))
        if (name !== now.from && name !== version) await rm(join(home, 'releases', name), { recursive: true, force: true });
    },
    report: () => readJson<Report>(reportFile),
    reported: () => rm(reportFile, { force: true }),
  };
}

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
