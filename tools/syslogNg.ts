/** A real syslog-ng, for root on Debian, which doesn't install it beside rsyslog: it is unpacked into a folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function run(command: string, words: string[], cwd = '/tmp'): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr } = spawnSync(command, words, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
}

/** Installs Debian's packages. Throws with the words of apt. */
export function install(...packages: string[]): void {
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

/** Folder with syslog-ng; its libraries are installed. */
function findSyslogNg(): string {
  const folder = join(tmpdir(), 'syslog-ng-unpacked');
  const root = join(folder, 'root');
  if (existsSync(join(root, 'usr/sbin/syslog-ng'))) return root;
  mkdirSync(folder, { recursive: true });
  // The dependencies of syslog-ng-core.
  const core = ['libcap2', 'libglib2.0-0', 'libssl3', 'libsystemd0'];
  install(...core, 'libivykis0', 'libnet1', 'libjson-c5', 'libwrap0', 'libpcre3');
  run('apt-get', ['download', 'syslog-ng-core'], folder);
  run('sh', ['-c', 'dpkg -x syslog-ng-core_*.deb root'], folder);
  return root;
}

/** Starts it with the file `conf` of a folder, in which it writes its state. */
export function startSyslogNg(folder: string): ChildProcess {
  const root = findSyslogNg();
  const [modules] = globSync('usr/lib/syslog-ng/*/', { cwd: root });
  const files = [
    '-f',
    `${folder}/conf`,
    '--persist-file',
    `${folder}/persist`,
    '--pidfile',
    `${folder}/pid`,
    '-c',
    `${folder}/control`,
  ];
  return spawn(`${root}/usr/sbin/syslog-ng`, ['-F', '--no-caps', ...files, '--module-path', join(root, modules!)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, LD_LIBRARY_PATH: `${root}/usr/lib/syslog-ng` },
  });
}

export interface SyslogNgSender {
  /** Appends lines, such as `<86>Nov 29 10:00:00 web-1 sudo: …`, to the file that it follows. */
  log(...lines: string[]): Promise<void>;
  close(): Promise<void>;
}

/** Starts a syslog-ng that follows a file and sends its lines to a destination, such as `network("127.0.0.1" port(514) transport("udp"))`. */
export async function startSyslogNgSender(destination: string): Promise<SyslogNgSender> {
  const folder = await mkdtemp(join(tmpdir(), 'parapet-syslog-ng-'));
  await writeFile(join(folder, 'in'), '');
  const [version] = /\d+\.\d+/.exec(globSync('usr/lib/syslog-ng/*/', { cwd: findSyslogNg() })[0]!)!;
  const conf = `@version: ${version}
options { keep-hostname(yes); time-reopen(1); };
source s { file("${folder}/in" follow-freq(0.2)); };
destination d { ${destination}; };
log { source(s); destination(d); };
`;
  await writeFile(join(folder, 'conf'), conf);
  const child = startSyslogNg(folder);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    async log(...lines) {
      if (child.exitCode !== null)
        throw new Error(`syslog-ng ended with exit code ${child.exitCode}: ${await readFile(join(folder, 'conf'), 'utf8')}`);
      await appendFile(join(folder, 'in'), lines.map((line) => `${line}\n`).join(''));
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
