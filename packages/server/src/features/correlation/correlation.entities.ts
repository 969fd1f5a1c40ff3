/** Entities of an alert, which can join it to others, and artifacts that its case shows. Values come from events and are truncated. */
import { isIP } from 'node:net';
import { accountOf } from '../../domain/accounts.ts';
import { bounded, type Entity, isInsideHost, isOfTheSystem, isOutside } from './correlation.rules.ts';

/** Fields of an alert's event that correlation reads; each may be missing, a string, or any other JSON value of a shipper. */
export interface EventFields {
  alertId: number;
  at: Date;
  sourceIp: unknown;
  destinationIp: unknown;
  hostIp: unknown;
  processId: unknown;
  parentId: unknown;
  processName: unknown;
  executable: unknown;
  processHash: unknown;
  fileHash: unknown;
  filePath: unknown;
  dllHash: unknown;
  dllPath: unknown;
}

export type ArtifactKind = 'destinationIp' | 'sourceIp' | 'hash' | 'process' | 'user' | 'device';
export interface Artifact {
  kind: ArtifactKind;
  value: string;
  at: number;
}

const maxTexts = 8;
const maxEntities = 30;
const maxArtifacts = 300;
const maxValueLength = 500;

/** Strings of a field that is a string or a list of strings. */
function texts(value: unknown): string[] {
  const list = Array.isArray(value) ? value.slice(0, maxTexts) : [value];
  return list.filter((text): text is string => typeof text === 'string' && text.trim() !== '').map((text) => text.trim());
}
const text = (value: unknown): string | undefined => texts(value)[0];

const strongestFirst = ['sha256', 'sha512', 'sha1', 'md5'];
/** One hash of a file; the most common kind of several. */
function hashOf(hashes: unknown): string | undefined {
  if (typeof hashes !== 'object' || hashes === null) return undefined;
  for (const kind of strongestFirst) {
    const value = (hashes as Record<string, unknown>)[kind];
    if (typeof value === 'string' && /^[0-9a-f]{32,128}$/i.test(value)) return value.toLowerCase();
  }
  return undefined;
}

const addresses = (value: unknown): string[] =>
  texts(value)
    .map((address) => address.toLowerCase())
    .filter((address) => isIP(address) > 0);

export interface About {
  entities: Entity[];
  artifacts: Artifact[];
}

export function aboutAlert(
  alert: { at: number; deviceName: string | null; userName: string | null; isSharedDevice: boolean },
  events: readonly EventFields[],
  /** Internal source addresses of recent sign-ins to the device. */
  arrivals: readonly string[] = [],
): About {
  const entities = new Map<string, Entity>();
  const artifacts: Artifact[] = [];
  const add = (kind: Entity['kind'], value: string | undefined) => {
    if (value === undefined) return;
    const entity = { kind, value: bounded(value) };
    entities.set(`${kind} ${entity.value}`, entity);
  };
  const show = (kind: ArtifactKind, value: string | null | undefined, at: number) => {
    if (value != null && value !== '') artifacts.push({ kind, value: value.slice(0, maxValueLength).toWellFormed(), at });
  };

  if (alert.deviceName !== null && !alert.isSharedDevice) add('device', alert.deviceName.toLowerCase());
  add('user', accountOf(alert.userName));
  for (const event of events) {
    const at = event.at.getTime();
    const own = addresses(event.hostIp);
    for (const address of own) if (isInsideHost(address)) add('host', address);
    for (const [kind, value] of [
      ['sourceIp', event.sourceIp],
      ['destinationIp', event.destinationIp],
    ] as const) {
      for (const address of addresses(value)) {
        show(kind, address, at);
        if (isOutside(address)) add('address', address);
        else if (kind === 'sourceIp' && isInsideHost(address) && !own.includes(address)) add('origin', address);
      }
    }
    for (const [hashes, path] of [
      [event.processHash, event.executable],
      [event.fileHash, event.filePath],
      [event.dllHash, event.dllPath],
    ]) {
      const hash = hashOf(hashes);
      show('hash', hash, at);
      if (!isOfTheSystem(text(path))) add('hash', hash);
    }
    show('process', text(event.executable) ?? text(event.processName), at);
    // Entity ids are unique across machines; process ids are not.
    for (const id of [text(event.processId), text(event.parentId)])
      if (id !== undefined && id.length >= 12) add('process', id.toLowerCase());
    show('device', alert.deviceName, at);
    show('user', alert.userName, at);
  }
  for (const address of arrivals) if (isInsideHost(address)) add('origin', address.toLowerCase());
  if (events.length === 0) {
    show('device', alert.deviceName, alert.at);
    show('user', alert.userName, alert.at);
  }
  return { entities: [...entities.values()].slice(0, maxEntities), artifacts: artifacts.slice(0, maxArtifacts) };
}
