/** Real receivers of syslog over TLS, for root on Debian: rsyslog with GnuTLS, and syslog-ng. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authority, serverCertificate, serverKey } from '@parapet/world/peers/syslog.certificates.ts';
import { install, startSyslogNg } from './syslogNg.ts';

const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';

function findRsyslog(): string {
  if (!existsSync(`/usr/lib/${triplet}/rsyslog/lmnsd_gtls.so`)) install('rsyslog', 'rsyslog-gnutls');
  return '/usr/sbin/rsyslogd';
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
  return startSyslogNg(folder);
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
