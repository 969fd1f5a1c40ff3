/** A booted machine of the range: a virtual machine of its own kernel, so that its audit records are its own. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type HostName, hosts } from './addresses.ts';
import type { Image } from './image.ts';
import type { RangeNetwork } from './network.ts';

/** A record of the kernel: its type and its text. */
export type AuditRecord = [type: number, text: string];

export interface Ran {
  /** Null when it was ended after its time. */
  status: number | null;
  output: string;
}

export interface SessionOptions {
  user?: string;
  seconds?: number;
  /** False: a process without a login, as of a service. */
  isSession?: boolean;
}

export interface Guest {
  /** Runs a script in a login shell of an account. */
  run(script: string, options?: SessionOptions): Promise<Ran>;
  close(): Promise<void>;
}

export interface GuestDeps {
  name: HostName;
  image: Image;
  network: RangeNetwork;
  accelerator: string;
  onAudit: (records: AuditRecord[]) => void;
}

const emulation = 'tcg,thread=multi';
const bootMs = 240_000;

export async function bootGuest({ name, image, network, accelerator, onAudit }: GuestDeps): Promise<Guest> {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-range-guest-'));
  const port = join(folder, 'control');
  const log = openSync(join(folder, 'console'), 'a');
  const { mac, units } = hosts[name];
  const wantedUnits = units.map((unit) => `systemd.wants=${unit}.service`).join(' ');
  const args = [
    ...['-accel', accelerator, '-cpu', accelerator === 'kvm' ? 'host' : 'max', '-m', '1024', '-smp', '2'],
    ...['-display', 'none', '-serial', 'stdio', '-monitor', 'none', '-no-reboot'],
    ...['-kernel', image.kernel, '-initrd', image.initrd],
    ...['-append', `root=/dev/vda rw console=ttyS0 mitigations=off audit=1 quiet systemd.hostname=${name} ${wantedUnits}`],
    ...['-drive', `file=${image.disk},format=raw,if=virtio,snapshot=on`],
    ...['-netdev', `tap,id=n0,ifname=${network.tapOf(name)},script=no,downscript=no`],
    ...['-device', `virtio-net-pci,netdev=n0,mac=${mac}`],
    ...['-device', 'virtio-serial-pci', '-chardev', `socket,id=c0,path=${port},server=on,wait=off`],
    ...['-device', 'virtserialport,chardev=c0,name=range'],
  ];
  const child = network.spawn('setpriv', ['--pdeathsig', 'TERM', 'qemu-system-x86_64', ...args], { stdio: ['ignore', log, log] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const tail = () => readFileSync(join(folder, 'console'), 'utf8').slice(-3000);
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const socket = await connected(port, () => child.exitCode !== null);
    const control = createControl(socket, onAudit);
    const isReady = await Promise.race([control.ready.then(() => true), ended, pause(bootMs, false)]);
    if (!isReady) throw new Error(`${name} did not boot:\n${tail()}`);
    return {
      run: (script, { user = 'root', seconds = 60, isSession = true } = {}) =>
        control.request({ user, seconds, session: isSession, script: Buffer.from(script).toString('base64') }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function connected(path: string, isOver: () => boolean): Promise<Socket> {
  for (const end = Date.now() + 20_000; Date.now() < end && !isOver(); await pause(100)) {
    if (!existsSync(path)) continue;
    const socket = createConnection(path);
    const isOpen = await new Promise<boolean>((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    );
    if (isOpen) return socket;
  }
  throw new Error('The virtual machine did not start.');
}

function createControl(socket: Socket, onAudit: (records: AuditRecord[]) => void) {
  const waiting = new Map<number, (ran: Ran) => void>();
  let last = 0;
  let begin = () => {};
  const ready = new Promise<void>((resolve) => {
    begin = resolve;
  });
  createInterface({ input: socket }).on('line', (line) => {
    let message: { ready?: boolean; audit?: AuditRecord[]; id?: number } & Partial<Ran>;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message.ready) begin();
    if (message.audit) onAudit(message.audit);
    if (message.id === undefined) return;
    waiting.get(message.id)?.({ status: message.status ?? null, output: message.output ?? '' });
    waiting.delete(message.id);
  });
  return {
    ready,
    request(request: object): Promise<Ran> {
      const id = ++last;
      socket.write(`${JSON.stringify({ id, ...request })}\n`);
      return new Promise((resolve) => waiting.set(id, resolve));
    },
  };
}

/** `kvm` where a kernel starts with it; elsewhere (also in virtual machines that only seem to have it) emulation. */
export async function accelerator(image: Image): Promise<string> {
  if (!existsSync('/dev/kvm')) return emulation;
  const args = [
    '-accel',
    'kvm',
    '-cpu',
    'host',
    '-m',
    '512',
    '-display',
    'none',
    '-serial',
    'stdio',
    '-monitor',
    'none',
    '-no-reboot',
  ];
  const child = spawn('qemu-system-x86_64', [...args, '-kernel', image.kernel, '-append', 'console=ttyS0 earlyprintk=serial'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (part) => (text += part));
  child.on('error', () => {});
  for (const end = Date.now() + 6_000; Date.now() < end && child.exitCode === null && !text.includes('Linux version'); )
    await pause(100);
  child.kill('SIGKILL');
  return text.includes('Linux version') ? 'kvm' : emulation;
}
