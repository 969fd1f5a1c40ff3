/** From a program's name and its message to ECS: which reader understands which program. */
import type { Document } from '../../event.ts';
import { baseName, fill, section } from '../doc.ts';
import { readAccounts, readPam } from './accounts.ts';
import { type Facts, fillFacts } from './facts.ts';
import { readSshd } from './sshd.ts';
import { readSu, readSudo } from './sudo.ts';
import { fillNetfilter, readCron, readKernel, readLogind, readSystemd } from './system.ts';

type Read = (message: string) => Facts | undefined;

interface Program {
  read: Read;
  /** The message is of the log of authentications, not of the general one. */
  isAuth: boolean;
}

const auth = (read: Read): Program => ({ read, isAuth: true });
const plain = (read: Read): Program => ({ read, isAuth: false });

const programs = new Map<string, Program>([
  ['sshd', auth(readSshd)],
  ['sshd-session', auth(readSshd)],
  ['sshd-auth', auth(readSshd)],
  ['sudo', auth(readSudo)],
  ['su', auth(readSu)],
  ['useradd', auth(readAccounts)],
  ['userdel', auth(readAccounts)],
  ['usermod', auth(readAccounts)],
  ['groupadd', auth(readAccounts)],
  ['groupdel', auth(readAccounts)],
  ['groupmod', auth(readAccounts)],
  ['gpasswd', auth(readAccounts)],
  ['passwd', auth(readAccounts)],
  ['chpasswd', auth(readAccounts)],
  ['chage', auth(readAccounts)],
  ['systemd-logind', auth(readLogind)],
  ['login', auth(() => undefined)],
  ['polkitd', auth(() => undefined)],
  ['cron', plain(readCron)],
  ['crond', plain(readCron)],
  ['crontab', plain(readCron)],
  ['systemd', plain(readSystemd)],
  ['kernel', plain(readKernel)],
]);

/** The name without folder and in lower case: `/usr/sbin/CRON` → `cron`. */
function programName(program: string): string {
  return (baseName(program) ?? program).toLowerCase();
}

/** Whether there is a reader for this program's lines. */
export const isReadProgram = (program: string): boolean => programs.has(programName(program));

/** Longer messages are read no further: no known line is longer, and expressions stay quick. */
const longestRead = 8192;
const repeated = /^message repeated (\d{1,9}) times: \[ ?(.*)\]$/s;

/**
 * Fills ECS from a message of a Linux program.
 * @returns the line for people, or undefined when the message says it best
 */
export function fillFromLine(document: Document, program: string | undefined, message: string): string | undefined {
  let said = message.length > longestRead ? message.slice(0, longestRead) : message;
  if (said.charCodeAt(0) === 32) said = said.trimStart();
  const again = said.startsWith('message repeated ') ? repeated.exec(said) : null;
  if (again) said = again[2]!;
  const name = program === undefined ? '' : programName(program);
  const known = programs.get(name);
  const event = section(document, 'event');
  if (known !== undefined) {
    fill(event, 'module', 'system');
    fill(event, 'dataset', known.isAuth ? 'system.auth' : 'system.syslog');
    fill(section(section(document, 'host'), 'os'), 'type', 'linux');
  }
  const facts = (said.startsWith('pam_') || said.startsWith('PAM ') ? readPam(said) : undefined) ?? known?.read(said);
  if (facts !== undefined) {
    fillFacts(document, facts);
    return facts.line;
  }
  return name === 'kernel' || name === '' || name.includes('ufw') || name.includes('iptables')
    ? fillNetfilter(document, said)
    : undefined;
}
