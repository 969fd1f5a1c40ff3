/** Raw syslog for tests and browser tests: RFC 3164 lines and the documents that rsyslog posts for them. */
import { fileLine, rfc3164, rsyslogDocument, type SyslogLine, sshdAccepted, sshdFailed, sudoCommand } from './events/linux.ts';
import type { Document } from './types.ts';

export interface RawLine {
  /** `<38>Nov  5 09:14:05 web01 sshd[2211]: Failed password …` */
  rfc3164: string;
  /** The line without its priority, as in a log file. */
  line: string;
  /** Document posted by rsyslog's omelasticsearch. */
  document: Document;
}

const raw = (host: string, at: number, line: SyslogLine): RawLine => ({
  rfc3164: rfc3164(host, at, line),
  line: fileLine(host, at, line),
  document: rsyslogDocument(host, at, line, '127.0.0.1'),
});

/** Failed SSH password. `at` is milliseconds since 1970 UTC. */
export const sshdFailure = (host: string, user: string, ip: string, at: number, port = 50_022): RawLine =>
  raw(host, at, { program: 'sshd', pid: 2211, facility: 'auth', text: sshdFailed(user, ip, port, user === 'root') });

/** Accepted SSH password. */
export const sshdSuccess = (host: string, user: string, ip: string, at: number, port = 50_022): RawLine =>
  raw(host, at, { program: 'sshd', pid: 2211, facility: 'auth', text: sshdAccepted(user, ip, port, 'password') });

/** Command run with sudo, for example `/usr/bin/cat /etc/shadow`. */
export const sudoLine = (host: string, user: string, command: string, at: number): RawLine =>
  raw(host, at, { program: 'sudo', pid: 3120, facility: 'authpriv', severity: 'notice', text: sudoCommand(user, command) });

export const sprayedUsers = [
  'root',
  'admin',
  'oracle',
  'postgres',
  'test',
  'ubuntu',
  'git',
  'deploy',
  'support',
  'backup',
] as const;

/** Password spray: one address tries one password on many accounts, an attempt every few seconds from `at` on. */
export const passwordSpray = (
  host: string,
  ip: string,
  at: number,
  users: readonly string[] = sprayedUsers,
  everyMs = 4_000,
): RawLine[] => users.map((user, index) => sshdFailure(host, user, ip, at + index * everyMs, 50_000 + index));
