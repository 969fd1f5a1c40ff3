/** Runs a real rsyslog that receives lines on a local port and ships them to the portal with its Elasticsearch output. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { rsyslogOutput } from '@parapet/contract/rules/shippers.ts';
import { freePort } from '../packages/server/test/ports.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Formats an RFC 3164 timestamp: local time, without the year. */
export const syslogTime = (at: Date) =>
  `${months[at.getMonth()]} ${String(at.getDate()).padStart(2)} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')}`;

export interface Rsyslog {
  /** Sends RFC 3164 lines. */
  log(lines: string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts rsyslog with the configuration shown beside a new key. */
export function startRsyslog({ portalUrl, key }: { portalUrl: string; key: string }): Promise<Rsyslog> {
  const { templates, action } = rsyslogOutput(portalUrl, key, {
    options: ['action.resumeinterval="1"', 'queue.type="linkedlist" queue.size="10000" queue.dequeuebatchsize="100"'],
  });
  return startRsyslogWith(['module(load="omelasticsearch")', ...templates, ...action].join('\n'));
}

/** Starts rsyslog with a file as stored in /etc/rsyslog.d. */
export async function startRsyslogWith(file: string): Promise<Rsyslog> {
  const folder = await mkdtemp(join(tmpdir(), 'parapet-rsyslog-'));
  const port = await freePort();
  const configuration = `
global(workDirectory="${folder}" maxMessageSize="64k")
module(load="imtcp")
input(type="imtcp" port="${port}" address="127.0.0.1")
${file}
`;
  await writeFile(join(folder, 'rsyslog.conf'), configuration);
  const child = spawn('/usr/sbin/rsyslogd', ['-n', '-f', join(folder, 'rsyslog.conf'), '-i', join(folder, 'rsyslog.pid')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const send = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(text));
      socket.once('error', reject);
      socket.once('close', () => resolve());
    });
  for (let tries = 0; ; tries++) {
    try {
      await send('');
      break;
    } catch (error) {
      if (tries > 100 || child.exitCode !== null) throw new Error(`rsyslog did not start: ${String(error)}`);
      await pause(100);
    }
  }
  return {
    log: (lines) => send(lines.map((line) => `${line}\n`).join('')),
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined)));
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}
