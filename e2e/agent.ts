/**
 * Sandbox host for the real agent, built from Linux namespaces: a network with the portal and a third host, separate processes, accounts and boot
 * id. The machine’s firewall, accounts and addresses stay unchanged.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const agentScript = fileURLToPath(new URL('../packages/agent/dist/agent.mjs', import.meta.url));

/** The reason this machine cannot run the sandbox; undefined when it can. */
export function sandboxUnavailableReason(): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'this is not root';
  for (const tool of ['ip', 'nft', 'unshare', 'nsenter', 'useradd', 'setpriv'])
    if (spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0) return `${tool} is not here`;
  return spawnSync('unshare', ['-n', 'true']).status === 0 ? undefined : 'no network namespace can be made';
}

const portalAddress = '10.77.1.1';
const thirdAddress = '10.77.2.1';
const hostAddress = '10.77.2.2';
const portalPort = 8080;
const echoPort = 9000;

/** Echo server. */
const echo = `require('net').createServer((c) => c.on('error', () => {}).pipe(c)).listen(${echoPort}, process.argv[1], () => console.log('up'))`;
const relay = `const net = require('net'); net.createServer((c) => { const u = net.connect(process.argv[1]); c.on('error', () => u.destroy()); u.on('error', () => c.destroy()); c.pipe(u); u.pipe(c); }).listen(${portalPort}, '${portalAddress}', () => console.log('up'))`;
/** Client that sends a word every 100 ms and prints the echo. */
const talk = `const c = require('net').connect(${echoPort}, process.argv[1]); c.on('error', (e) => { console.log('error ' + e.code); process.exit(1) }); c.on('connect', () => setInterval(() => c.write('word '), 100)); c.on('data', (d) => process.stdout.write(d));`;
const once = `const c = require('net').connect(${echoPort}, process.argv[1]); setTimeout(() => process.exit(2), 1500); c.on('error', () => process.exit(1)); c.on('connect', () => c.write('hello')); c.on('data', () => process.exit(0));`;

export interface Done {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface AgentSandbox {
  /** The portal’s address from the host. */
  url: string;
  folder: string;
  state: string;
  /** Runs a command on the host to its end. */
  run(command: string[]): Promise<Done>;
  /** Starts a long-running command, which ends with the sandbox. */
  start(command: string[]): { output: () => string; pid: () => number; kill: (signal?: NodeJS.Signals) => Promise<void> };
  agent(...words: string[]): Promise<Done>;
  startAgent(...words: string[]): ReturnType<AgentSandbox['start']>;
  /** Connectivity with the third host, for connections opened by the host and by the third host. */
  reachesThird(): Promise<boolean>;
  isReachedByThird(): Promise<boolean>;
  /** Opens a lasting connection to the third host. */
  talkToThird(): ReturnType<AgentSandbox['start']>;
  /** Kills every process of the host as in a power cut and boots it again, without its firewall rules and with its disk. */
  reboot(): Promise<void>;
  close(): Promise<void>;
}

/** `portalPortHere`: the portal’s port on 127.0.0.1 of this machine. */
export async function createAgentSandbox(portalPortHere: number): Promise<AgentSandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-lab-'));
  const mark = `parapet-${process.pid}-${randomBytes(2).toString('hex')}`;
  const spaces = { host: `${mark}-h`, portal: `${mark}-p`, third: `${mark}-t` };
  const children = new Set<ChildProcess>();
  const must = (command: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  };
  const started = (command: string, args: string[]) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output = (output + text).slice(-100_000)));
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    void ended.then(() => children.delete(child));
    return { child, output: () => output, ended };
  };
  const up = async ({ output, child }: ReturnType<typeof started>) => {
    for (let tries = 0; !output().includes('up'); tries++) {
      if (tries > 200 || child.exitCode !== null) throw new Error(`it did not start: ${output()}`);
      await pause(25);
    }
  };

  // A private /etc: accounts created, locked and removed there do not exist on this machine.
  const etc = join(folder, 'etc');
  cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(etc, 'machine-id'), `${randomBytes(16).toString('hex')}\n`);
  for (const name of ['log', 'var', 'var-work']) mkdirSync(join(folder, name));

  const gate: Server = createServer((socket) => {
    const inner = connect(portalPortHere, '127.0.0.1');
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
    socket.pipe(inner);
    inner.pipe(socket);
  });
  const gatePath = join(folder, 'gate.sock');
  await new Promise<void>((resolve) => gate.listen(gatePath, resolve));

  for (const space of Object.values(spaces)) must('ip', 'netns', 'add', space);
  const wire = (a: string, addressA: string, b: string, addressB: string, name: string) => {
    must('ip', '-n', a, 'link', 'add', name, 'type', 'veth', 'peer', 'name', name, 'netns', b);
    for (const [space, address] of [
      [a, addressA],
      [b, addressB],
    ] as const) {
      must('ip', '-n', space, 'addr', 'add', `${address}/30`, 'dev', name);
      must('ip', '-n', space, 'link', 'set', name, 'up');
      must('ip', '-n', space, 'link', 'set', 'lo', 'up');
    }
  };
  wire(spaces.host, '10.77.1.2', spaces.portal, portalAddress, 'to-portal');
  wire(spaces.host, hostAddress, spaces.third, thirdAddress, 'to-third');
  await up(started('ip', ['netns', 'exec', spaces.portal, process.execPath, '-e', relay, gatePath]));
  await up(started('ip', ['netns', 'exec', spaces.third, process.execPath, '-e', echo, thirdAddress]));

  let machine: ReturnType<typeof started>;
  let init = 0;
  async function boot(): Promise<void> {
    const bootId = join(folder, 'boot_id');
    writeFileSync(bootId, `${randomUUID()}\n`);
    const script = `mount --bind ${etc} /etc && mount --bind ${bootId} /proc/sys/kernel/random/boot_id && mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /opt && mount -t overlay overlay -o lowerdir=/var/lib,upperdir=${join(folder, 'var')},workdir=${join(folder, 'var-work')} /var/lib && echo up && exec sleep infinity`;
    // A separate boot-time clock that starts near zero.
    const offset = String(3 - Math.floor(uptime()));
    const made = [
      '--mount',
      '--pid',
      '--time',
      '--boottime',
      offset,
      '--fork',
      '--kill-child',
      '--mount-proc',
      'sh',
      '-c',
      script,
    ];
    machine = started('ip', ['netns', 'exec', spaces.host, 'unshare', ...made]);
    await up(machine);
    init = childOf(machine.child.pid!);
    await up(lab.startHere(process.execPath, '-e', echo, hostAddress));
  }
  const inside = (command: string[]) => ['-t', String(init), '--mount', '--pid', '--net', '--time', '--', ...command];

  const lab = {
    startHere: (...command: string[]) => started('nsenter', inside(command)),
    start(command: string[]) {
      const { child, output, ended } = started('nsenter', inside(command));
      return {
        output,
        pid: () => childOf(child.pid!),
        async kill(signal: NodeJS.Signals = 'SIGKILL') {
          if (child.exitCode === null && child.signalCode === null) process.kill(childOf(child.pid!), signal);
          await ended;
        },
      };
    },
    async run(command: string[]): Promise<Done> {
      const child = spawn('nsenter', inside(command), { stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (text) => (stdout += text));
      child.stderr.on('data', (text) => (stderr += text));
      const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { status, stdout, stderr };
    },
  };
  const state = join(folder, 'state');
  await boot();
  const reaches = async (space: string, address: string) => {
    const child = spawn('ip', ['netns', 'exec', space, process.execPath, '-e', once, address], { stdio: 'ignore' });
    return (await new Promise((resolve) => child.once('close', resolve))) === 0;
  };

  return {
    url: `http://${portalAddress}:${portalPort}`,
    folder,
    state,
    run: lab.run,
    start: lab.start,
    agent: (...words) => lab.run([process.execPath, agentScript, ...words, '--state', state]),
    startAgent: (...words) => lab.start([process.execPath, agentScript, 'run', ...words, '--state', state]),
    reachesThird: () => reaches(spaces.host, thirdAddress),
    isReachedByThird: () => reaches(spaces.third, hostAddress),
    talkToThird: () => lab.start([process.execPath, '-e', talk, thirdAddress]),
    async reboot() {
      process.kill(init, 'SIGKILL');
      await machine.ended;
      must('ip', 'netns', 'exec', spaces.host, 'nft', 'flush', 'ruleset');
      await boot();
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      if (existsSync(`/proc/${init}`)) process.kill(init, 'SIGKILL');
      await machine.ended;
      for (const space of Object.values(spaces)) spawnSync('ip', ['netns', 'del', space]);
      gate.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** The child process of a wrapper such as nsenter. */
function childOf(pid: number): number {
  const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  if (!child) throw new Error(`process ${pid} has no child`);
  return child;
}
