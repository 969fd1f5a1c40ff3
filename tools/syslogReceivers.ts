/**
 * Real receivers of syslog over TLS, for root on Debian: rsyslog with GnuTLS, and syslog-ng, which Debian doesn't install beside it and which is
 * therefore unpacked into a folder.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authority, serverCertificate, serverKey } from '@parapet/world/peers/syslog.certificates.ts';

const run = (command: string, words: string[], cwd = '/tmp') => {
  const { status, stderr } = spawnSync(command, words, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
};
const install = (...packages: string[]) => {
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
};
const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';

function findRsyslog(): string {
  if (!existsSync(`/usr/lib/${triplet}/rsyslog/lmnsd_gtls.so`)) install('rsyslog', 'rsyslog-gnutls');
  return '/usr/sbin/rsyslogd';
}

/** Folder with syslog-ng; its libraries are installed. */
function findSyslogNg(): string {
  const folder = join(tmpdir(), 'syslog-ng-unpacked');
  if (existsSync(join(folder, 'root/usr/sbin/syslog-ng'))) return join(folder, 'root');
  mkdirSync(folder, { recursive: true });
  // The dependencies of syslog-ng-core.
  const core = ['libcap2', 'libglib2.0-0', 'libssl3', 'libsystemd0'];
  install(...core, 'libivykis0', 'libnet1', 'libjson-c5', 'libwrap0', 'libpcre3');
  run('apt-get', ['download', 'syslog-ng-core'], folder);
  run('sh', ['-c', 'dpkg -x syslog-ng-core_*.deb root'], folder);
  return join(folder, 'root');
}

export interface SyslogReceiver {
  port: number;
  /** Lines that it wrote: `program|message id|severity|message`. */
  lines(): Promise<string[]>;
  close(): Promise<void>;
}

interface Files {
  folder: string;
  port: number;
  out: string;
}

const rsyslogFile = ({ folder, port, out }: Files) => `
global(workDirectory="${folder}" maxMessageSize="64k" defaultNetstreamDriver="gtls" defaultNetstreamDriverCAFile="${folder}/ca.pem"
  defaultNetstreamDriverCertFile="${folder}/cert.pem" defaultNetstreamDriverKeyFile="${folder}/key.pem")
module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="x509/certvalid")
template(name="line" type="string" string="%programname%|%msgid%|%syslogseverity-text%|%msg%\\n")
input(type="imtcp" port="${port}" address="127.0.0.1")
action(type="omfile" file="${out}" template="line")
`;
const syslogNgFile = ({ folder, port, out }: Files) => `
@version: 3.38
source s { syslog(ip("127.0.0.1") port(${port}) transport("tls")
  tls(key-file("${folder}/key.pem") cert-file("${folder}/cert.pem") ca-file("${folder}/ca.pem") peer-verify(required-trusted))); };
destination d { file("${out}" template("$PROGRAM|$MSGID|$LEVEL|$MSG\\n")); };
log { source(s); destination(d); };
`;

function startProcess(kind: 'rsyslog' | 'syslog-ng', folder: string): ChildProcess {
  if (kind === 'rsyslog') return spawn(findRsyslog(), ['-n', '-f', `${folder}/conf`, '-i', `${folder}/pid`], { stdio: 'ignore' });
  const root = findSyslogNg();
  const words = ['-F', '--no-caps', '-f', `${folder}/conf`, '--persist-file', `${folder}/persist`, '--pidfile', `${folder}/pid`];
  return spawn(
    `${root}/usr/sbin/syslog-ng`,
    [...words, '-c', `${folder}/control`, '--module-path', `${root}/usr/lib/syslog-ng/3.38`],
    {
      stdio: 'ignore',
      env: { ...process.env, LD_LIBRARY_PATH: `${root}/usr/lib/syslog-ng` },
    },
  );
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true) ?? socket.destroy());
    socket.once('error', () => resolve(false));
  });

/** Starts a receiver that accepts client certificates of the demo's authority. Rejects when it does not start within a minute. */
export async function startSyslogReceiver(kind: 'rsyslog' | 'syslog-ng', port: number): Promise<SyslogReceiver> {
  const folder = await mkdtemp(join(tmpdir(), 'parapet-syslog-'));
  const files = { folder, port, out: join(folder, 'out') };
  await Promise.all([
    writeFile(join(folder, 'ca.pem'), authority),
    writeFile(join(folder, 'cert.pem'), serverCertificate),
    writeFile(join(folder, 'key.pem'), serverKey),
    writeFile(join(folder, 'conf'), kind === 'rsyslog' ? rsyslogFile(files) : syslogNgFile(files)),
  ]);
  const child = startProcess(kind, folder);
  const until = Date.now() + 60_000;
  while (!(await isOpen(port)))
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${kind} did not start: exit code ${child.exitCode}.`);
  return {
    port,
    lines: async () => (await readFile(files.out, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
