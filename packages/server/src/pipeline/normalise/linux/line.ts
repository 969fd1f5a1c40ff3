/** Selects the parser for a Linux program’s message and fills ECS from it. */
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
  /** True when the message belongs to the authentication log rather than the general one. */
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

/** Name without folder, in lower case: `/usr/sbin/CRON` → `cron`. */
function programName(program: string): string {
  return (baseName(program) ?? program).toLowerCase();
}

/** True if this program’s lines have a parser. */
export const isReadProgram = (program: string): boolean => programs.has(programName(program));

/** Longer messages are truncated for parsing: no supported line is longer, and expressions stay fast. */
const maxParsedLength = 8192;
const repeated = /^message repeated (\d{1,9}) times: \[ ?(.*)\]$/s;

/**
 * Fills ECS from a message of a Linux program.
 * @returns a summary, or undefined when the message serves best
 */
export function fillFromLine(document: Document, program: string | undefined, message: string): string | undefined {
  let body = message.length > maxParsedLength ? message.slice(0, maxParsedLength) : message;
  if (body.charCodeAt(0) === 32) body = body.trimStart();
  const repeat = body.startsWith('message repeated ') ? repeated.exec(body) : null;
  if (repeat) body = repeat[2]!;
  const name = program === undefined ? '' : programName(program);
  const known = programs.get(name);
  const event = section(document, 'event');
  if (known !== undefined) {
    fill(event, 'module', 'system');
    fill(event, 'dataset', known.isAuth ? 'system.auth' : 'system.syslog');
    fill(section(section(document, 'host'), 'os'), 'type', 'linux');
  }
  const facts = (body.startsWith('pam_') || body.startsWith('PAM ') ? readPam(body) : undefined) ?? known?.read(body);
  if (facts !== undefined) {
    fillFacts(document, facts);
    return facts.line;
  }
  return name === 'kernel' || name === '' || name.includes('ufw') || name.includes('iptables')
    ? fillNetfilter(document, body)
    : undefined;
}
