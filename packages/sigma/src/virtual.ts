/** Virtual fields, composed from several source fields. */
import type { View } from './logsource.ts';
import { type Document, keysOf } from './source.ts';

const asObject = (value: unknown): Document | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Document) : undefined;

/** A nested or dotted value. */
function at(document: Document, path: string): unknown {
  const flat = document[path];
  if (flat !== undefined) return flat;
  let value: unknown = document;
  for (const key of keysOf(path)) {
    const object = asObject(value);
    if (!object || !Object.hasOwn(object, key)) return undefined;
    value = object[key];
  }
  return value;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** `DOMAIN\name` and `name`; rules use either. */
function account(domain: unknown, name: unknown): unknown {
  const user = text(name);
  if (user === undefined) return undefined;
  const prefix = text(domain);
  return prefix === undefined ? user : [`${prefix}\\${user}`, user];
}

/** User of a process: Security 4688 has the starting user as subject, and the target if different. */
function user({ document, data }: View): unknown {
  const created = data?.NewProcessName !== undefined ? data : document.NewProcessName !== undefined ? document : undefined;
  if (created) {
    const target = text(created.TargetUserName);
    return target === undefined || target === '-'
      ? account(created.SubjectDomainName, created.SubjectUserName)
      : account(created.TargetDomainName, target);
  }
  return account(at(document, 'user.domain'), at(document, 'user.name'));
}

const HASHES: [name: string, paths: string[]][] = [
  ['MD5', ['process.hash.md5', 'file.hash.md5', 'dll.hash.md5']],
  ['SHA1', ['process.hash.sha1', 'file.hash.sha1', 'dll.hash.sha1']],
  ['SHA256', ['process.hash.sha256', 'file.hash.sha256', 'dll.hash.sha256']],
  ['IMPHASH', ['process.pe.imphash', 'process.hash.imphash', 'file.pe.imphash', 'dll.pe.imphash', 'file.hash.imphash']],
];

/** Sysmon's `SHA1=…,MD5=…` from ECS's single hashes. */
function hashes({ document }: View): unknown {
  const parts: string[] = [];
  for (const [name, paths] of HASHES) {
    const value = paths.map((path) => text(at(document, path))).find((found) => found !== undefined);
    if (value !== undefined) parts.push(`${name}=${value}`);
  }
  return parts.length > 0 ? parts.join(',') : undefined;
}

/** One hash out of Sysmon's list. */
const hashPart = (name: string) => {
  const head = `${name.toUpperCase()}=`;
  return ({ document, data }: View): unknown => {
    const list = text(data?.Hashes) ?? text(data?.Hash) ?? text(document.Hashes) ?? text(document.Hash);
    return list
      ?.split(',')
      .find((part) => part.trimStart().toUpperCase().startsWith(head))
      ?.trimStart()
      .slice(head.length);
  };
};

const joined = (process: string) => {
  const whole = `${process}.command_line`;
  const parts = `${process}.args`;
  return ({ document }: View): unknown => {
    const text = at(document, whole);
    if (text !== undefined) return text;
    const list = at(document, parts);
    return Array.isArray(list) ? list.filter((part) => typeof part === 'string').join(' ') : undefined;
  };
};

/** Offers both forms: rules compare these fields with paths, queries and full URLs. */
function query({ document }: View): unknown {
  const own = text(at(document, 'url.query'));
  const whole = text(at(document, 'url.original'));
  return own !== undefined && whole !== undefined ? [own, whole] : (whole ?? own);
}

function stem({ document }: View): unknown {
  return text(at(document, 'url.path')) ?? text(at(document, 'url.original'))?.split('?')[0];
}

/** Unnamed `<Data>` elements: EVTX JSON has a list, Winlogbeat numbers them. */
function unnamed({ data }: View): unknown {
  if (data?.param1 === undefined) return undefined;
  const values: unknown[] = [];
  for (let i = 1; data[`param${i}`] !== undefined && i < 100; i++) values.push(data[`param${i}`]);
  return values;
}

const argument =
  (index: number) =>
  ({ document }: View): unknown => {
    const list = at(document, 'process.args');
    return Array.isArray(list) ? list[index] : undefined;
  };

/** Microsoft 365's `Succeeded` and `True`, called `success` in rules. */
function status({ document }: View): unknown {
  const result = text(document.ResultStatus);
  if (result === undefined) return undefined;
  return /^(succeeded|success|true)$/i.test(result) ? [result, 'success'] : result;
}

export const VIRTUAL = new Map<string, (view: View) => unknown>([
  ['User', user],
  ['Hashes', hashes],
  ['Hash', hashes],
  ['Imphash', hashPart('IMPHASH')],
  ['md5', hashPart('MD5')],
  ['sha1', hashPart('SHA1')],
  ['sha256', hashPart('SHA256')],
  ['CommandLine', joined('process')],
  ['ParentCommandLine', joined('process.parent')],
  ['cs-uri-query', query],
  ['c-uri-query', query],
  ['cs-uri-stem', stem],
  ['c-uri-stem', stem],
  ['Data', unnamed],
  ['status', status],
  ...Array.from({ length: 10 }, (_, index) => [`a${index}`, argument(index)] as const),
]);

export interface Composed {
  /** Last names of the values that it is made of. */
  names: readonly string[];
  /** Folded texts that it has beside theirs. */
  added?: readonly string[];
}

const ofHashes: Composed = {
  names: HASHES.flatMap(([, paths]) => paths.map((path) => path.slice(path.lastIndexOf('.') + 1))),
  added: HASHES.map(([name]) => name.toLowerCase()),
};
const ofHash: Composed = { names: ['Hashes', 'Hash'] };
const ofCommand: Composed = { names: ['command_line', 'args'] };
const accounts = ['SubjectUserName', 'SubjectDomainName', 'TargetUserName', 'TargetDomainName', 'name', 'domain'];

/** Values that virtual fields are made of. */
export const composedOf: ReadonlyMap<string, Composed> = new Map([
  ['User', { names: accounts }],
  ['Hashes', ofHashes],
  ['Hash', ofHashes],
  ['Imphash', ofHash],
  ['md5', ofHash],
  ['sha1', ofHash],
  ['sha256', ofHash],
  ['CommandLine', ofCommand],
  ['ParentCommandLine', ofCommand],
  ...['cs-uri-query', 'c-uri-query', 'cs-uri-stem', 'c-uri-stem'].map((field): [string, Composed] => [
    field,
    { names: ['query', 'path', 'original'] },
  ]),
  ['Data', { names: Array.from({ length: 100 }, (_, index) => `param${index}`) }],
  ['status', { names: ['ResultStatus'], added: ['success'] }],
  ...Array.from({ length: 10 }, (_, index): [string, Composed] => [`a${index}`, { names: ['args'] }]),
]);
