/**
 * The agent replaces itself only by a package that is signed with the key it pinned at enrolment, for its platform, and newer. The new one is tried
 * first, as a child of the old one, which alone counts its starts and its time: a package may be too broken to count anything. Only when it has
 * checked in it becomes the one that the service starts, by one rename.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { agentPaths, type CheckIn, type CheckInAnswer, maxPackageBytes } from '@parapet/contract/agentProtocol.ts';
import { type Client, PortalUnavailableError, Revoked, TooMuch } from './client.ts';
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

/** So often a new version may start without having checked in once, and so long all of it may take. */
const maxStarts = 3;
const defaultTrialMs = 10 * 60_000;
const betweenStartsMs = 5_000;
/** A child that was asked to end gets no longer than this. */
const endsWithinMs = 20_000;

export interface Upgrades {
  /** Takes an offer up; true: the new version is on the disk, and this process should let go of everything and try it. */
  take(offer: Offer): Promise<boolean>;
  /** Runs it until it has checked in or was given up; either way the service then starts the right one. */
  tryOut(stopped: AbortSignal): Promise<void>;
  /** The portal answered: if this version is on trial, it works. */
  healthy(): Promise<void>;
  /** What is to be told at the next check-in. */
  report(): Report | undefined;
  told(): Promise<void>;
}

/** Where the installation keeps its versions: <home>/releases/<version>/agent.mjs, and <home>/current leads to one. */
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
  /** Undefined: this agent was not installed, and is not changed. */
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
  const say = (report: Report) => writeDurably(reportFile, JSON.stringify(report));
  const refused = new Set<string>();
  /** The last version that was given up; remembered over starts, else it would be taken again at once. */
  const givenUpFile = join(state, 'given-up.json');

  async function switchTo(wanted: string): Promise<void> {
    const beside = join(home!, 'current.new');
    await rm(beside, { force: true });
    await symlink(join('releases', wanted), beside);
    await rename(beside, join(home!, 'current'));
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
      throw new Error('What was given out is not the package that was signed.');
    const folder = join(home!, 'releases', offer.version);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await writeDurably(join(folder, 'agent.mjs'), bytes, 0o755);
    // It must at least start and know itself.
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'agent.mjs'), '--version'], {
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    if (stdout.trim() !== offer.version) throw new Error(`The package calls itself ${stdout.trim().slice(0, 40)}.`);
    // It may have taken this process with it before now.
    const before = trial();
    const starts = before?.to === offer.version ? before.starts : 0;
    await writeDurably(trialFile, JSON.stringify({ from: version, to: offer.version, starts } satisfies Trial));
  }

  async function giveUp({ from, to }: Trial, why: string): Promise<void> {
    await writeDurably(givenUpFile, JSON.stringify({ version: to }));
    await say({ version: to, state: 'failed', detail: `${why} Version ${from} is back.` });
    await rm(trialFile, { force: true });
    trouble(`Version ${to} was given up: ${why}`);
  }

  /** With the same words as this process; it ends with it, since nothing may be done by two agents. */
  const start = (wanted: string) =>
    spawn(process.execPath, [...process.execArgv, join(home!, 'releases', wanted, 'agent.mjs'), ...process.argv.slice(2)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });

  return {
    async take(offer) {
      const no = reasonAgainst(offer, { version, releaseKey, home });
      const mark = `${offer.version} ${offer.sha256}`;
      try {
        if (readJson<{ version: string }>(givenUpFile)?.version === offer.version) {
          // It may have died while it gave it up.
          await rm(trialFile, { force: true });
          return false;
        }
        if (refused.has(mark)) return false;
        if (no) {
          refused.add(mark);
          await say({ version: offer.version, state: 'refused', detail: no });
          trouble(`Version ${offer.version} was refused: ${no}`);
          return false;
        }
        await install(offer);
        return true;
      } catch (error) {
        // Away is nobody's fault; it is offered again. More than was signed is as wrong as other bytes.
        if (error instanceof Revoked || (error instanceof PortalUnavailableError && !(error instanceof TooMuch))) throw error;
        refused.add(mark);
        await say({ version: offer.version, state: 'failed', detail: (error as Error).message.slice(0, 500) });
        return false;
      }
    },
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
      await say({ version, state: 'installed', detail: `Version ${now.from} was replaced.` });
      await unlink(trialFile);
      // The one before stays, in case a person wants it back.
      for (const name of await readdir(join(home, 'releases')))
        if (name !== now.from && name !== version) await rm(join(home, 'releases', name), { recursive: true, force: true });
    },
    report: () => readJson<Report>(reportFile),
    told: () => rm(reportFile, { force: true }),
  };
}

function endOf(child: ChildProcess): Promise<true> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(true));
    child.once('error', () => resolve(true));
  });
}

/** Why an offer is not taken; undefined: it may be. */
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
    // A key or signature that is none.
  }
  return 'Its signature is not by the release key.';
}

/** The installation that this script runs from; undefined outside of one. */
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
