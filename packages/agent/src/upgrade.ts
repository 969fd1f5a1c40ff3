/**
 * The agent replaces itself only by a package that is signed with the key it pinned at enrolment, for its platform, and newer. It switches by one
 * rename; the new one must check in, else the old one comes back.
 */
import { execFile } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { agentPaths, type CheckIn, type CheckInAnswer, maxPackageBytes } from '@parapet/contract/agentWire.ts';
import { Away, type Client, Revoked, TooMuch } from './client.ts';
import { readJson, syncFolder, writeDurably } from './files.ts';
import { agentVersion, isNewer, platform } from './version.ts';

type Offer = NonNullable<CheckInAnswer['upgrade']>;
export type Report = NonNullable<CheckIn['upgrade']>;

interface Trial {
  from: string;
  to: string;
  starts: number;
}

/** So often a new version may start without having checked in once. */
const mostStarts = 3;
const healthyWithinMs = 10 * 60_000;

export interface Upgrades {
  /** Takes an offer up; true: the new version is in place, and this process should end so that it starts. */
  take(offer: Offer): Promise<boolean>;
  /** At a start: counts it; true: this version was given up and the one before is in place again. */
  begin(): Promise<boolean>;
  /** The portal answered: this version works. */
  healthy(): Promise<void>;
  /** When this version must have checked in, in ms; undefined where it is no new one. */
  deadlineMs(): number | undefined;
  giveUp(why: string): Promise<void>;
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
}: {
  /** Undefined: this agent was not installed, and is not changed. */
  home: string | undefined;
  state: string;
  releaseKey: string;
  client: Pick<Client, 'call'>;
  trouble: (text: string) => void;
  version?: string;
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
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'agent.mjs'), '--version'], { timeout: 30_000 });
    if (stdout.trim() !== offer.version) throw new Error(`The package calls itself ${stdout.trim().slice(0, 40)}.`);
    await writeDurably(trialFile, JSON.stringify({ from: version, to: offer.version, starts: 0 } satisfies Trial));
    await switchTo(offer.version);
  }

  async function giveUp(why: string): Promise<void> {
    const { from, to } = trial() as Trial;
    await switchTo(from);
    await writeDurably(givenUpFile, JSON.stringify({ version: to }));
    await say({ version: to, state: 'failed', detail: `${why} Version ${from} is back.` });
    await unlink(trialFile);
    trouble(`Version ${to} was given up: ${why}`);
  }

  return {
    async take(offer) {
      const no = reasonAgainst(offer, { version, releaseKey, home });
      const mark = `${offer.version} ${offer.sha256}`;
      try {
        if (refused.has(mark) || readJson<{ version: string }>(givenUpFile)?.version === offer.version) return false;
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
        if (error instanceof Revoked || (error instanceof Away && !(error instanceof TooMuch))) throw error;
        refused.add(mark);
        await say({ version: offer.version, state: 'failed', detail: (error as Error).message.slice(0, 500) });
        return false;
      }
    },
    async begin() {
      const now = trial();
      if (!now || !home) return false;
      // A switch that was interrupted before the rename.
      if (now.to !== version) {
        await unlink(trialFile);
        return false;
      }
      if (now.starts >= mostStarts) {
        await giveUp(`It started ${now.starts} times without reaching the portal.`);
        return true;
      }
      await writeDurably(trialFile, JSON.stringify({ ...now, starts: now.starts + 1 }));
      return false;
    },
    async healthy() {
      const now = trial();
      if (!now) return;
      await unlink(trialFile);
      await say({ version: now.to, state: 'installed', detail: `Version ${now.from} was replaced.` });
      // The one before stays, in case a person wants it back.
      for (const name of await readdir(join(home!, 'releases')))
        if (name !== now.from && name !== now.to) await rm(join(home!, 'releases', name), { recursive: true, force: true });
    },
    deadlineMs: () => (trial() ? healthyWithinMs : undefined),
    giveUp,
    report: () => readJson<Report>(reportFile),
    told: () => rm(reportFile, { force: true }),
  };
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
