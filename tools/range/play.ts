/** The range as a whole: its network, the portal’s stand-in, the hosts, and the playing of one technique. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type HostName, hosts } from './addresses.ts';
import { type Auditbeat, createAuditbeat, type Document } from './auditbeat.ts';
import { bootGuest, type Guest, type Ran } from './guest.ts';
import type { Image } from './image.ts';
import { openRangeNetwork, type RangeNetwork, sweepNetworks } from './network.ts';
import { lookupDocument } from './packetbeat.ts';
import type { PortalLine } from './portal.ts';
import type { Technique } from './technique.ts';

export interface Range {
  guests: Record<HostName, Guest>;
  /** Runs a script of the stranger. */
  stranger(script: string, seconds?: number): Promise<Ran>;
  /** Documents since the last call, once the shippers are quiet. */
  drain(quietMs?: number): Promise<Document[]>;
  play(technique: Technique): Promise<{ documents: Document[]; outputs: string[] }>;
  close(): Promise<void>;
}

const names = Object.keys(hosts) as HostName[];

export async function openRange(image: Image, accelerator: string): Promise<Range> {
  sweepNetworks();
  const network = openRangeNetwork();
  const documents: Document[] = [];
  let lastAt = Date.now();
  const take = (document: Document) => {
    documents.push(document);
    lastAt = Date.now();
  };
  const users = usersOf(image);
  const beats = Object.fromEntries(names.map((name) => [name, createAuditbeat(name, users)])) as Record<HostName, Auditbeat>;
  const opened: Guest[] = [];
  let standIn: ChildProcess | undefined;
  const close = async () => {
    await Promise.all(opened.map((guest) => guest.close()));
    standIn?.kill();
    network.close();
  };
  try {
    standIn = await openPortal(network, take);
    const booted = await Promise.all(
      names.map(async (name) => {
        const onAudit = beats[name].take;
        const guest = await bootGuest({ name, image, network, accelerator, onAudit });
        opened.push(guest);
        await guest.run('systemctl is-system-running --wait', { seconds: 240 });
        return [name, guest] as const;
      }),
    );
    const guests = Object.fromEntries(booted) as Record<HostName, Guest>;
    const stranger = (script: string, seconds = 60) => runStranger(network, image, script, seconds);
    const drain = async (quietMs = 1_400) => {
      const from = Date.now();
      while (Date.now() < from + 30_000 && Date.now() - Math.max(from, lastAt) < quietMs) await pause(100);
      await pause(300);
      for (const name of names) for (const document of beats[name].flush()) documents.push(document);
      return documents.splice(0).sort((a, b) => timeOf(a) - timeOf(b));
    };
    // The agent has begun to read; what booting wrote is no part of any recording.
    await pause(5_000);
    await drain();
    return { guests, stranger, drain, close, play: (technique) => play({ guests, stranger, drain }, technique) };
  } catch (error) {
    await close();
    throw error;
  }
}

const timeOf = (document: Document) => Date.parse(String(document['@timestamp'])) || 0;

async function play({ guests, stranger, drain }: Pick<Range, 'guests' | 'stranger' | 'drain'>, technique: Technique) {
  const { host, prepare, script, user, isSession, seconds = 60, undo } = technique;
  if (prepare) await guests[host].run(prepare);
  await drain(prepare ? 900 : 300);
  const outside = technique.stranger === undefined ? undefined : stranger(technique.stranger, seconds);
  if (outside && script) await pause(1_500);
  const inside =
    script === undefined ? undefined : guests[host].run(script, { user: user ?? 'root', seconds, isSession: isSession ?? true });
  const ran = (await Promise.all([outside, inside])).filter((one) => one !== undefined);
  const documents = await drain();
  if (undo) {
    await guests[host].run(undo);
    await drain(800);
  }
  return { documents, outputs: ran.map(({ status, output }) => `[${status}] ${output}`) };
}

async function openPortal(network: RangeNetwork, take: (document: Document) => void): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('portal.ts', import.meta.url));
  const child = network.spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let faults = '';
  child.stderr!.on('data', (text) => (faults += text));
  createInterface({ input: child.stdout! }).on('line', (text) => {
    const line = JSON.parse(text) as PortalLine;
    take(line.kind === 'document' ? (JSON.parse(line.raw) as Document) : lookupDocument(line, new Date()));
  });
  await Promise.race([once(child.stderr!, 'data'), once(child, 'close')]);
  if (child.exitCode !== null || !faults.includes('ready')) throw new Error(`The portal’s stand-in did not start: ${faults}`);
  return child;
}

/** A shell in the unpacked Debian, with processes and mounts of its own, in the range’s network. */
function runStranger(network: RangeNetwork, image: Image, script: string, seconds: number): Promise<Ran> {
  // sshpass needs a terminal, hence the second mount.
  const enter = 'mount -t proc proc "$1/proc" && mount -t devpts devpts "$1/dev/pts" && shift && exec chroot "$@"';
  const words = [
    'netns',
    'exec',
    network.name,
    'unshare',
    '-m',
    '-p',
    '-f',
    '--kill-child',
    'sh',
    '-c',
    enter,
    'sh',
    image.root,
    image.root,
  ];
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const child = spawn('ip', [...words, 'env', '-i', path, 'HOME=/root', 'bash', '-s'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  child.stdin.on('error', () => {});
  child.stdin.end(script);
  return new Promise((resolve) => child.once('exit', (status) => resolve({ status, output })));
}

function usersOf(image: Image): Map<string, string> {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const lines = readFileSync(`${image.root}/etc/passwd`, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => [line.split(':')[2]!, line.split(':')[0]!]));
}
