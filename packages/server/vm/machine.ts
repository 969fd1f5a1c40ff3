/**
 * A fresh Debian booted with systemd in a container with its own network: a bridge on which the portal listens at one address and a stranger at
 * another. `close` removes everything except the unpacked Debian, which later runs copy.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import {
  appendFileSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const packages = [
  ...['systemd', 'systemd-sysv', 'libpam-systemd', 'dbus', 'nftables', 'iproute2', 'passwd', 'login', 'sudo', 'procps'],
  ...['curl', 'ca-certificates', 'rsyslog', 'rsyslog-elasticsearch'],
];
const strangersPort = 9000;
/** Environment of a root shell. */
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' };

/** From before the network is up: sends a word with the boot’s name to the stranger, and records the first contact with the portal. */
const probe = `#!/bin/bash
boot=$(cat /proc/sys/kernel/random/boot_id)
( while :; do echo "$boot" >/dev/udp/$1/${strangersPort}; sleep 0.02; done ) &
until timeout 1 bash -c "</dev/tcp/$2/$3"; do sleep 0.02; done
echo "$boot" >/run/portal-was-reached
wait
`;
const probeUnit = (words: string) => `[Unit]
DefaultDependencies=no
After=network-pre.target local-fs.target
Wants=network-pre.target
Before=network.target systemd-networkd.service shutdown.target
Conflicts=shutdown.target
[Service]
ExecStart=/usr/local/sbin/probe ${words}
StandardOutput=null
StandardError=null
[Install]
WantedBy=sysinit.target
`;

export interface Done {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Machine {
  portalAddress: string;
  /** Host name of the portal on the machine. */
  portalName: string;
  hostname: string;
  /** Runs a command in a root shell. */
  sh(script: string, timeoutMs?: number): Promise<Done>;
  /** Boots and waits until systemd has started everything; the probe contacts `portalPort`. */
  boot(portalPort: number): Promise<void>;
  /** Reboots like `systemctl reboot`. */
  reboot(): Promise<void>;
  bootId(): Promise<string>;
  /** Packets of that boot that reached the stranger. */
  receivedFrom(bootId: string): number;
  /** True when a connection to the stranger succeeds. */
  reachesStranger(): Promise<boolean>;
  close(): Promise<void>;
}

function must(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, PATH: env.PATH } });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}\n${stdout?.slice(-1000)}`);
}

/** Mirror of this host’s apt sources. */
function mirror(): string {
  const args = ['indextargets', '--format', '$(REPO_URI)', 'Origin: Debian', 'Label: Debian'];
  const [uri] = spawnSync('apt-get', args, { encoding: 'utf8' }).stdout.split('\n', 1);
  if (!uri) throw new Error('apt has no source of Debian on this host.');
  return uri;
}

/** Debian as unpacked by its installer; cached between runs. */
function debian(): string {
  const mark = createHash('sha256').update(packages.join()).digest('hex').slice(0, 12);
  const image = join(tmpdir(), `parapet-debian-12-${mark}`);
  if (existsSync(image)) {
    // It is booted as root.
    if (lstatSync(image).uid !== 0) throw new Error(`${image} belongs to another user. Remove it and run again.`);
    return image;
  }
  console.log('Unpacking Debian 12 (a minute) …');
  const beside = mkdtempSync(join(tmpdir(), 'parapet-debian-'));
  try {
    const root = join(beside, 'root');
    must('debootstrap', '--variant=minbase', `--include=${packages.join()}`, 'bookworm', root, mirror());
    renameSync(root, image);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return image;
}

const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]) || 0;

const folderOf = (pid: number | string) => join(tmpdir(), `parapet-booted-${pid}`);
const bridgeOf = (pid: number | string) => `mdrb${pid}`;

/** Removes leftovers of a killed run; its machine ended with it. */
function sweep(): void {
  const left = [
    ...readdirSync(tmpdir()).map((name) => /^parapet-booted-(\d+)$/.exec(name)?.[1]),
    ...readdirSync('/sys/class/net').map((name) => /^mdrb(\d+)$/.exec(name)?.[1]),
  ];
  for (const pid of left) {
    if (!pid || existsSync(`/proc/${pid}`)) continue;
    spawnSync('ip', ['link', 'del', bridgeOf(pid)]);
    rmSync(folderOf(pid), { recursive: true, force: true });
  }
}

interface Network {
  bridge: string;
  portalAddress: string;
  strangersAddress: string;
  machineAddress: string;
  /** Packets by text that reached the stranger. */
  offsets: Map<string, number>;
  close(): void;
}

/** A bridge with the portal’s address, and a stranger that counts packets and accepts connections. */
async function openNetwork(): Promise<Network> {
  const bridge = bridgeOf(process.pid);
  const net = `10.78.${process.pid % 250}`;
  const [portalAddress, machineAddress, strangersAddress] = [`${net}.1`, `${net}.2`, `${net}.3`];
  const offsets = new Map<string, number>();
  const packets = createSocket('udp4', (text) => {
    const name = String(text).trim();
    offsets.set(name, (offsets.get(name) ?? 0) + 1);
  });
  const stranger = createServer((socket) => socket.on('error', () => {}).end('hello\n'));
  const close = () => {
    packets.close();
    stranger.close();
    spawnSync('ip', ['link', 'del', bridge]);
  };
  try {
    must('ip', 'link', 'add', bridge, 'type', 'bridge');
    must('ip', 'addr', 'add', `${portalAddress}/24`, 'dev', bridge);
    must('ip', 'addr', 'add', `${strangersAddress}/24`, 'dev', bridge);
    must('ip', 'link', 'set', bridge, 'up');
    await new Promise<void>((resolve) => packets.bind(strangersPort, strangersAddress, resolve));
    await new Promise<void>((resolve) => stranger.listen(strangersPort, strangersAddress, resolve));
    return { bridge, portalAddress, strangersAddress, machineAddress, offsets, close };
  } catch (error) {
    close();
    throw error;
  }
}

interface Container {
  sh: Machine['sh'];
  /** Boots and waits until systemd has started everything. */
  up(): Promise<void>;
  /** Reboots like `systemctl reboot`. */
  reboot(): Promise<void>;
  kill(): Promise<void>;
}

interface ContainerDeps {
  root: string;
  hostname: string;
  bridge: string;
  consoleFile: string;
}

function createContainer({ root, hostname, bridge, consoleFile }: ContainerDeps): Container {
  let running: ReturnType<typeof start> | undefined;
  const consoleTail = () => readFileSync(consoleFile, 'utf8').slice(-20_000);

  function start() {
    const words = ['-D', root, `--machine=${hostname}`, '--register=no', '--keep-unit', '--boot', `--network-bridge=${bridge}`];
    // Ends with its parent process, and the machine with it.
    const bound = ['setpriv', '--pdeathsig', 'TERM', 'systemd-nspawn', ...words, '--resolv-conf=off'];
    // On a systemd host, provides a control group.
    const scope = existsSync('/run/systemd/system') ? ['systemd-run', '--scope', '-q', '-p', 'Delegate=yes'] : [];
    const [command, ...args] = [...scope, ...bound] as [string, ...string[]];
    // A file instead of a pipe: it must outlive this process while the machine stops.
    const log = openSync(consoleFile, 'a');
    const child = spawn(command, args, { stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, ended, init: 0 };
  }

  function sh(script: string, timeoutMs = 60_000): Promise<Done> {
    const words = ['-t', String(running?.init), '-m', '-u', '-i', '-n', '-p', '--', 'bash', '-c', script];
    const child = spawn('nsenter', words, { stdio: ['ignore', 'pipe', 'pipe'], env, timeout: timeoutMs, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => (stdout += text));
    child.stderr.on('data', (text) => (stderr += text));
    return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
  }

  async function up(): Promise<void> {
    running = start();
    const { child } = running;
    for (const end = Date.now() + 60_000; ; await pause(50)) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`The machine did not boot:\n${consoleTail()}`);
      const init = childOf(child.pid!);
      if (!init || !existsSync(`/proc/${init}/comm`) || readFileSync(`/proc/${init}/comm`, 'utf8') !== 'systemd\n') continue;
      running.init = init;
      const { stdout } = await sh('systemctl is-system-running --wait', 60_000);
      if (/^(running|degraded)/.test(stdout)) return;
    }
  }

  return {
    sh,
    up,
    async reboot() {
      void sh('systemctl reboot');
      const status = await Promise.race([running?.ended, pause(60_000, 'nothing')]);
      // nspawn’s exit code for a reboot.
      if (status !== 133) throw new Error(`The machine ended with ${status} instead of starting again:\n${consoleTail()}`);
      await up();
    },
    async kill() {
      if (!running || running.child.exitCode !== null || running.child.signalCode !== null) return;
      // The kernel ends the first process of a container with all its processes.
      if (running.init) spawnSync('kill', ['-KILL', String(running.init)]);
      const isOver = await Promise.race([running.ended.then(() => true), pause(10_000, false)]);
      if (!isOver) running.child.kill('SIGKILL');
      await running.ended;
    },
  };
}

export async function openMachine(): Promise<Machine> {
  sweep();
  const hostname = `booted${process.pid}`;
  const portalName = 'portal.test';
  const folder = folderOf(process.pid);
  const root = join(folder, 'root');
  const write = (path: string, text: string, mode = 0o644) => writeFileSync(join(root, path), text, { mode });
  const network = await openNetwork();
  const { bridge, portalAddress, strangersAddress, machineAddress } = network;
  const container = createContainer({ root, hostname, bridge, consoleFile: join(folder, 'console') });

  async function close(): Promise<void> {
    await container.kill();
    network.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  try {
    mkdirSync(folder, { mode: 0o700 });
    must('cp', '-a', debian(), root);
    // Without it, the first boot would enable every unit.
    write('etc/machine-id', `${randomBytes(16).toString('hex')}\n`);
    write('etc/hostname', `${hostname}\n`);
    appendFileSync(join(root, 'etc/hosts'), `127.0.1.1 ${hostname}\n${portalAddress} ${portalName}\n`);
    write(
      'etc/systemd/network/10-host0.network',
      `[Match]\nName=host0\n[Network]\nAddress=${machineAddress}/24\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n`,
    );
    write('usr/local/sbin/probe', probe, 0o755);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    portalAddress,
    portalName,
    hostname,
    sh: container.sh,
    async boot(portalPort) {
      write('etc/systemd/system/probe.service', probeUnit(`${strangersAddress} ${portalAddress} ${portalPort}`));
      must('systemctl', `--root=${root}`, 'enable', '-q', 'systemd-networkd.service', 'probe.service');
      await container.up();
    },
    reboot: container.reboot,
    bootId: async () => (await container.sh('cat /proc/sys/kernel/random/boot_id')).stdout.trim(),
    receivedFrom: (bootId) => network.offsets.get(bootId) ?? 0,
    async reachesStranger() {
      const greeting = `read word </dev/tcp/${strangersAddress}/${strangersPort} && [ "$word" = hello ]`;
      return (await container.sh(`timeout 2 bash -c '${greeting}'`)).status === 0;
    },
    close,
  };
}
