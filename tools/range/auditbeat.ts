/**
 * Writes the kernel’s audit records as documents, as Auditbeat’s module auditd does (its field reference): the records of one event become
 * one document. Debian has no package of Auditbeat.
 */

import { actions, fileActions, recordTypes, syscalls } from './auditbeat.tables.ts';
import type { AuditRecord } from './guest.ts';

type Fields = Record<string, string>;
export type Document = Record<string, unknown>;

interface Group {
  at: number;
  sequence: number;
  records: { type: string; fields: Fields; text: string }[];
}

const head = /^audit\((\d+)\.(\d+):(\d+)\): ?/;
const pair = /([\w.-]+)=("[^"]*"|'[^']*'|\S+)/g;
const unset = '4294967295';

function fieldsOf(text: string): Fields {
  const fields: Fields = {};
  for (const [, key, value] of text.matchAll(pair)) {
    if (key === 'msg' && value!.startsWith("'")) Object.assign(fields, fieldsOf(value!.slice(1, -1)));
    else fields[key!] ??= value!;
  }
  return fields;
}

/** Text of a value, which the kernel writes in hexadecimal when it has blanks or quotes. */
function textOf(value: string | undefined): string | undefined {
  if (value === undefined || value === '(null)') return undefined;
  if (value.startsWith('"')) return value.slice(1, -1);
  return /^(?:[0-9A-F]{2})+$/.test(value) ? Buffer.from(value, 'hex').toString('utf8') : value;
}

/** Arguments of an execve, in order; long ones come in parts. */
function argumentsOf(fields: readonly Fields[]): string[] {
  const all: Fields = Object.assign({}, ...fields);
  const count = Math.min(Number(all.argc ?? 0), 1000);
  return Array.from({ length: count }, (_, i) => {
    if (all[`a${i}`] !== undefined) return textOf(all[`a${i}`]) ?? '';
    let parts = '';
    for (let part = 0; all[`a${i}[${part}]`] !== undefined; part++) parts += all[`a${i}[${part}]`];
    return textOf(parts) ?? '';
  });
}

export interface Auditbeat {
  take(records: readonly AuditRecord[]): void;
  /** Documents of the events that are complete. */
  flush(): Document[];
}

export function createAuditbeat(host: string, users: ReadonlyMap<string, string>): Auditbeat {
  const groups = new Map<number, Group>();
  return {
    take(records) {
      for (const [number, text] of records) {
        const found = head.exec(text);
        const type = recordTypes.get(number);
        if (!found || !type) continue;
        const sequence = Number(found[3]);
        const at = Number(found[1]) * 1000 + Number(found[2]);
        const group = groups.get(sequence) ?? { at, sequence, records: [] };
        groups.set(sequence, group);
        const rest = text.slice(found[0].length);
        group.records.push({ type, text: rest, fields: fieldsOf(rest) });
      }
    },
    flush() {
      const documents = [...groups.values()].flatMap((group): Document[] => {
        const document = documentOf(group, host, users);
        return document ? [document] : [];
      });
      groups.clear();
      return documents;
    },
  };
}

function documentOf(group: Group, host: string, users: ReadonlyMap<string, string>): Document | undefined {
  const named = (id: string | undefined) =>
    id === undefined ? undefined : id === unset || id === '-1' ? 'unset' : (users.get(id) ?? id);
  const found = group.records.find(({ type }) => type === 'SYSCALL') ?? group.records.find(({ type }) => actions.has(type));
  if (!found) return undefined;
  const { fields, type } = found;
  const syscall = type === 'SYSCALL' ? (syscalls.get(Number(fields.syscall)) ?? fields.syscall) : undefined;
  const only = (kind: string) => group.records.filter((record) => record.type === kind).map((record) => record.fields);
  const paths = only('PATH');
  const action = actionOf(group, type, syscall);
  if (action === undefined) return undefined;
  const process = processOf(fields, only('EXECVE'), only('CWD')[0], only('PROCTITLE')[0]);
  const object = objectOf(type, fields, paths, process.executable);
  const isFine = (fields.success ?? fields.res) !== 'no' && fields.res !== 'failed' && fields.res !== '0';
  const key = textOf(fields.key);
  return {
    '@timestamp': new Date(group.at).toISOString(),
    agent: { id: 'b1b7a9d2-6d0e-4a55-9a0f-3f1d6f0e7c21', name: host, type: 'auditbeat', version: '8.15.3' },
    ecs: { version: '8.0.0' },
    host: {
      name: host,
      hostname: host,
      os: { family: 'debian', platform: 'debian', name: 'Debian GNU/Linux', type: 'linux', version: '12 (bookworm)' },
    },
    service: { type: 'auditd' },
    ...(key && { tags: [key] }),
    event: {
      kind: 'event',
      module: 'auditd',
      action,
      outcome: isFine ? 'success' : 'failure',
      ...categoryOf(action, object?.type),
    },
    auditd: {
      message_type: type.toLowerCase(),
      sequence: group.sequence,
      result: isFine ? 'success' : 'fail',
      ...(fields.ses && { session: fields.ses === unset ? 'unset' : fields.ses }),
      summary: {
        actor: { primary: named(fields.auid) ?? 'unset', secondary: named(fields.uid) },
        ...(object && { object }),
        ...(process.executable && { how: process.executable }),
      },
      ...(paths.length > 0 && { paths: paths.map(pathOf) }),
      data: dataOf(fields, syscall),
    },
    ...(Object.keys(process).length > 0 && { process }),
    ...(object?.type === 'file' && syscall && !syscall.startsWith('exec') && { file: fileOf(object.primary, paths, users) }),
    user: {
      id: fields.uid,
      name: named(fields.uid),
      ...(fields.auid && fields.auid !== unset && { audit: { id: fields.auid, name: named(fields.auid) } }),
      ...(fields.euid && fields.euid !== fields.uid && { effective: { id: fields.euid, name: named(fields.euid) } }),
    },
    ...(fields.addr && fields.addr !== '?' && { source: { ip: fields.addr } }),
  };
}

function actionOf(group: Group, type: string, syscall: string | undefined): string | undefined {
  if (type !== 'SYSCALL') return actions.get(type);
  if (group.records.some((record) => record.type === 'CONFIG_CHANGE')) return actions.get('CONFIG_CHANGE');
  if (group.records.some((record) => record.type === 'NETFILTER_CFG')) return actions.get('NETFILTER_CFG');
  return fileActions.get(syscall ?? '');
}

function processOf(fields: Fields, execve: Fields[], cwd: Fields | undefined, title: Fields | undefined) {
  const text = (value: unknown) => (value === undefined ? undefined : String(value));
  const args = execve.length > 0 ? argumentsOf(execve) : undefined;
  const folder = textOf(cwd?.cwd) ?? textOf(fields.cwd);
  const titled = textOf(title?.proctitle)?.replaceAll('\0', ' ').trimEnd();
  return {
    ...(fields.pid && { pid: Number(fields.pid) }),
    ...(fields.ppid && { parent: { pid: Number(fields.ppid) } }),
    ...(fields.comm && { name: text(textOf(fields.comm)) }),
    ...(fields.exe && fields.exe !== '?' && { executable: textOf(fields.exe) }),
    ...(folder && { working_directory: folder }),
    ...(titled && { title: titled }),
    ...(args && { args }),
  };
}

function objectOf(type: string, fields: Fields, paths: readonly Fields[], executable: string | undefined) {
  if (type !== 'SYSCALL') {
    const primary = textOf(fields.unit) ?? textOf(fields.acct) ?? textOf(fields.cmd) ?? textOf(fields.op);
    return primary === undefined ? undefined : { primary, type: fields.unit ? 'service' : 'user-session' };
  }
  const file =
    paths.find(({ nametype }) => nametype === 'CREATE' || nametype === 'DELETE') ??
    paths.find(({ nametype }) => nametype === 'NORMAL') ??
    paths[0];
  const primary = textOf(file?.name) ?? executable;
  return primary === undefined ? undefined : { primary, type: 'file' };
}

function pathOf(path: Fields): Document {
  const keys = ['item', 'inode', 'mode', 'ouid', 'ogid', 'rdev', 'nametype'].filter((key) => path[key] !== undefined);
  return { name: textOf(path.name), ...Object.fromEntries(keys.map((key) => [key, path[key]])) };
}

function fileOf(path: string, paths: readonly Fields[], users: ReadonlyMap<string, string>): Document {
  const found = paths.find(({ name }) => textOf(name) === path);
  return {
    path,
    ...(found?.inode && { inode: found.inode }),
    ...(found?.mode && { mode: found.mode.slice(-4) }),
    ...(found?.ouid && { uid: found.ouid, owner: users.get(found.ouid) ?? found.ouid, gid: found.ogid }),
  };
}

function dataOf(fields: Fields, syscall: string | undefined): Document {
  const keys = [
    'a0',
    'a1',
    'a2',
    'a3',
    'exit',
    'tty',
    'op',
    'acct',
    'grantors',
    'hostname',
    'terminal',
    'unit',
    'cmd',
    'audit_enabled',
    'old',
    'table',
    'name',
  ];
  return {
    ...(syscall && { syscall, arch: 'x86_64' }),
    ...Object.fromEntries(keys.flatMap((key) => (fields[key] === undefined ? [] : [[key, textOf(fields[key])]]))),
  };
}

function categoryOf(action: string, object: string | undefined): { category?: string[]; type?: string[] } {
  if (action === 'executed') return { category: ['process'], type: ['start'] };
  if (action === 'loaded-kernel-module' || action === 'unloaded-kernel-module') return { category: ['driver'], type: ['start'] };
  if (action === 'changed-audit-configuration') return { category: ['process', 'configuration'], type: ['change'] };
  if (action === 'logged-in' || action === 'authenticated') return { category: ['authentication'], type: ['start'] };
  return object === 'file' ? { category: ['file'], type: ['change'] } : {};
}
