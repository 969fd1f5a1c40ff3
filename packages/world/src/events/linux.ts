/** Linux: syslog lines by rsyslog or Filebeat, process starts, files and connections by Auditbeat. */
import type { DeviceRole } from '../fleet.ts';
import type { Document, Emitted } from '../types.ts';
import { beatFrame, beatIndex, emit, iso, type Scene } from './scene.ts';

export interface SyslogLine {
  program: string;
  pid?: number;
  facility?: 'auth' | 'authpriv' | 'cron' | 'daemon' | 'kern' | 'local0' | 'local7' | 'syslog' | 'user';
  severity?: 'err' | 'warning' | 'notice' | 'info';
  text: string;
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (value: number) => String(value).padStart(2, '0');

/** RFC 3164 time in UTC: `Nov  5 09:14:05`. */
export function syslogTime(at: number): string {
  const date = new Date(at);
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${months[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2, ' ')} ${time}`;
}

const facilityNumbers = { kern: 0, user: 1, daemon: 3, auth: 4, syslog: 5, cron: 9, authpriv: 10, local0: 16, local7: 23 };
const severityNumbers = { err: 3, warning: 4, notice: 5, info: 6 };
const tagOf = (line: SyslogLine) => (line.pid === undefined ? line.program : `${line.program}[${line.pid}]`);

/** Line of a log file, without a priority. */
export const fileLine = (host: string, at: number, line: SyslogLine) => `${syslogTime(at)} ${host} ${tagOf(line)}: ${line.text}`;

/** Line in RFC 3164 wire format. */
export const rfc3164 = (host: string, at: number, line: SyslogLine) =>
  `<${facilityNumbers[line.facility ?? 'daemon'] * 8 + severityNumbers[line.severity ?? 'info']}>${fileLine(host, at, line)}`;

/** Document posted by rsyslog's omelasticsearch with the template of the portal's instructions. */
export function rsyslogDocument(host: string, at: number, line: SyslogLine, fromIp: string, observer?: string): Document {
  return {
    '@timestamp': `${iso(at).slice(0, 23)}000+00:00`,
    host,
    'fromhost-ip': fromIp,
    severity: line.severity ?? 'info',
    facility: line.facility ?? 'daemon',
    syslogtag: `${tagOf(line)}:`,
    programname: line.program,
    ...(line.pid !== undefined && { procid: String(line.pid) }),
    // rsyslog's %msg% keeps the blank after the tag.
    message: ` ${line.text}`,
    // A site's relay adds this constant to lines from appliances.
    ...(observer && { 'observer.type': observer, 'observer.name': host }),
  };
}

const authPrograms = new Set(['sshd', 'sudo', 'su', 'useradd', 'usermod', 'groupadd', 'passwd', 'systemd-logind']);

const observers: Partial<Record<DeviceRole, string>> = { firewall: 'firewall', switch: 'switch', router: 'router' };

/** Syslog line, shipped by the device's own shipper. */
export function syslog(scene: Scene, line: SyslogLine): Emitted {
  const { device } = scene;
  if (device.shippers.includes('rsyslog'))
    return emit(scene, 'syslog', rsyslogDocument(device.name, scene.at, line, device.ip, observers[device.role]));
  const isAuth = authPrograms.has(line.program);
  return emit(scene, beatIndex('filebeat', device), {
    ...beatFrame(scene, 'filebeat'),
    event: { dataset: isAuth ? 'system.auth' : 'system.syslog', module: 'system', timezone: '+00:00' },
    fileset: { name: isAuth ? 'auth' : 'syslog' },
    service: { type: 'system' },
    input: { type: 'log' },
    log: { file: { path: isAuth ? '/var/log/auth.log' : '/var/log/syslog' }, offset: scene.random.int(1_000, 9_000_000) },
    message: fileLine(device.name, scene.at, line),
  });
}

export const sshdFailed = (user: string, ip: string, port: number, isKnown = true): string =>
  `Failed password for ${isKnown ? '' : 'invalid user '}${user} from ${ip} port ${port} ssh2`;

/** A wrong password for one of the accounts that tools guess. */
export const passwordGuess = (scene: Scene, user: string, from: string): Emitted =>
  syslog(scene, {
    program: 'sshd',
    facility: 'auth',
    pid: scene.random.int(900, 60_000),
    text: sshdFailed(user, from, scene.random.int(30_000, 60_000), user === 'root'),
  });

export const cronJob = (scene: Scene, text: string): Emitted =>
  syslog(scene, { program: 'CRON', facility: 'cron', pid: scene.random.int(900, 60_000), text });

export const sshdAccepted = (user: string, ip: string, port: number, method: 'password' | 'publickey' = 'publickey'): string =>
  method === 'password'
    ? `Accepted password for ${user} from ${ip} port ${port} ssh2`
    : `Accepted publickey for ${user} from ${ip} port ${port} ssh2: ED25519 SHA256:q1ZT9mHh3cY0xv3nJr2dQ7wKk5u8pLr4eB6sXa9TfGo`;

export const sudoCommand = (user: string, command: string, target = 'root', terminal = 'pts/0'): string =>
  `${user.padStart(8)} : TTY=${terminal} ; PWD=/home/${user} ; USER=${target} ; COMMAND=${command}`;

export interface Execution {
  executable: string;
  args: readonly string[];
  user: string;
  /** 0 for root, otherwise derived from the name. */
  uid?: number;
  parent?: string;
  directory?: string;
  terminal?: string;
}

const uidOf = (user: string) => (user === 'root' ? 0 : user === 'www-data' ? 33 : 1000 + (user.charCodeAt(0) % 40));

/** A process start by Auditbeat's auditd module: the record of `execve`. */
export function executed(scene: Scene, what: Execution): Emitted {
  const { device, random } = scene;
  const uid = String(what.uid ?? uidOf(what.user));
  const name = what.executable.slice(what.executable.lastIndexOf('/') + 1);
  const parentName = what.parent?.slice(what.parent.lastIndexOf('/') + 1);
  return emit(scene, beatIndex('auditbeat', device), {
    ...beatFrame(scene, 'auditbeat'),
    event: { action: 'executed', category: ['process'], type: ['start'], kind: 'event', module: 'auditd', outcome: 'success' },
    service: { type: 'auditd' },
    auditd: {
      message_type: 'syscall',
      sequence: random.int(1_000, 900_000),
      result: 'success',
      session: String(random.int(1, 400)),
      summary: {
        actor: { primary: what.user, secondary: what.user },
        object: { primary: what.executable, type: 'file' },
        how: what.executable,
      },
      data: { arch: 'x86_64', syscall: 'execve', exit: '0', tty: what.terminal ?? 'pts0', argc: String(what.args.length) },
    },
    process: {
      pid: random.int(900, 60_000),
      name,
      executable: what.executable,
      args: what.args,
      title: what.args.join(' '),
      working_directory: what.directory ?? (what.user === 'root' ? '/root' : `/home/${what.user}`),
      parent: { pid: random.int(400, 60_000), ...(what.parent && { executable: what.parent, name: parentName }) },
    },
    user: {
      id: uid,
      name: what.user,
      group: { id: uid, name: what.user },
      effective: { id: uid, name: what.user, group: { id: uid, name: what.user } },
      audit: { id: uid, name: what.user },
    },
    file: { path: what.executable, mode: '0755', owner: 'root', group: 'root', uid: '0', gid: '0' },
    tags: ['exec'],
  });
}

/** A changed file by Auditbeat's file_integrity module. */
export function fileChanged(
  scene: Scene,
  path: string,
  action: 'created' | 'updated' | 'deleted' = 'updated',
  owner = 'root',
): Emitted {
  const { random } = scene;
  return emit(scene, beatIndex('auditbeat', scene.device), {
    ...beatFrame(scene, 'auditbeat'),
    event: {
      action: [action],
      category: ['file'],
      type: [action === 'created' ? 'creation' : action === 'deleted' ? 'deletion' : 'change'],
      kind: 'event',
      module: 'file_integrity',
      dataset: 'file',
    },
    service: { type: 'file_integrity' },
    file: {
      path,
      type: 'file',
      mode: '0644',
      owner,
      group: owner,
      size: random.int(200, 9_000),
      mtime: iso(scene.at),
      ctime: iso(scene.at),
      inode: String(random.int(100_000, 900_000)),
      hash: { sha1: random.hex(40) },
    },
  });
}

/** An outgoing connection by Auditbeat's auditd module: the record of `connect`. */
export function connected(scene: Scene, what: { executable: string; user: string; to: string; port: number }): Emitted {
  const { random } = scene;
  const uid = String(uidOf(what.user));
  return emit(scene, beatIndex('auditbeat', scene.device), {
    ...beatFrame(scene, 'auditbeat'),
    event: {
      action: 'connected-to',
      category: ['network'],
      type: ['connection', 'start'],
      kind: 'event',
      module: 'auditd',
      outcome: 'success',
    },
    service: { type: 'auditd' },
    network: { direction: 'egress' },
    auditd: {
      message_type: 'syscall',
      sequence: random.int(1_000, 900_000),
      result: 'success',
      session: String(random.int(1, 400)),
      summary: {
        actor: { primary: what.user, secondary: what.user },
        object: { primary: what.to, secondary: String(what.port), type: 'socket' },
        how: what.executable,
      },
      data: { arch: 'x86_64', syscall: 'connect', exit: '0', tty: '(none)' },
    },
    destination: { ip: what.to, port: what.port, address: what.to },
    process: {
      pid: random.int(900, 60_000),
      name: what.executable.slice(what.executable.lastIndexOf('/') + 1),
      executable: what.executable,
    },
    user: { id: uid, name: what.user },
  });
}
