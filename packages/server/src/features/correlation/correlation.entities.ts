/** Entities of an alert, which can join it to others, and artifacts that its case shows. Values come from events and are truncated. */
import { isIP } from 'node:net';
import { indicatorsIn } from './correlation.decoded.ts';
import { hostNameOf, type Identities, notationOf, shortNameOf } from './correlation.identities.ts';
import { bounded, type Entity, isInsideHost, isOfTheSystem, isOutside } from './correlation.rules.ts';

/** Fields of an alert's event that correlation reads; each may be missing, a string, or any other JSON value of a shipper. */
export interface EventFields {
  alertId: number;
  at: Date;
  sourceIp: unknown;
  destinationIp: unknown;
  hostIp: unknown;
  sourceName: unknown;
  destinationName: unknown;
  user: unknown;
  processId: unknown;
  parentId: unknown;
  processName: unknown;
  executable: unknown;
  processHash: unknown;
  fileHash: unknown;
  filePath: unknown;
  dllHash: unknown;
  dllPath: unknown;
  commandLine: unknown;
  decodedCommandLine: unknown;
  script: unknown;
  decodedScript: unknown;
}

export type ArtifactKind = 'destinationIp' | 'sourceIp' | 'domain' | 'hash' | 'file' | 'process' | 'user' | 'device';
export interface Artifact {
  kind: ArtifactKind;
  value: string;
  at: number;
  /** Field whose decoded text holds it. */
  decodedFrom?: string;
}

const maxTexts = 8;
const maxEntities = 30;
const maxArtifacts = 300;
const maxValueLength = 500;
const maxCommand = 2_000;
const machineName = /^[a-z0-9][a-z0-9_-]{0,62}(?:\.[a-z0-9_-]{1,63}){0,8}$/;

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

/** Entities read so far from the events of one alert. */
class Gathered {
  readonly entities = new Map<string, Entity>();
  readonly artifacts: Artifact[] = [];

  addEntity(kind: Entity['kind'], value: string | undefined): void {
    if (value === undefined) return;
    const entity = { kind, value: bounded(value) };
    this.entities.set(`${kind} ${entity.value}`, entity);
  }

  addArtifact(kind: ArtifactKind, value: string | null | undefined, at: number, decodedFrom?: string): void {
    if (value == null || value === '') return;
    const artifact = { kind, value: value.slice(0, maxValueLength).toWellFormed(), at };
    this.artifacts.push(decodedFrom === undefined ? artifact : { ...artifact, decodedFrom });
  }
}

interface Subject {
  at: number;
  deviceName: string | null;
  userName: string | null;
  isSharedDevice: boolean;
  /** Rule of a critical alert. */
  outbreak?: string | undefined;
}

export function aboutAlert(
  alert: Subject,
  events: readonly EventFields[],
  /** Internal source addresses of recent sign-ins to the device. */
  arrivals: readonly string[] = [],
): About {
  const found = new Gathered();
  if (alert.deviceName !== null && !alert.isSharedDevice) found.addEntity('device', hostNameOf(alert.deviceName));
  found.addEntity('user', notationOf(alert.userName, alert.isSharedDevice ? null : alert.deviceName)?.value);
  found.addEntity('outbreak', alert.outbreak);
  for (const event of events) {
    addAddresses(found, event);
    addContacted(found, event);
    addDecoded(found, event);
    addNames(found, alert, event);
    addHashes(found, event);
    addProcesses(found, event);
    addSubject(found, alert, event.at.getTime());
  }
  for (const address of arrivals) if (isInsideHost(address)) found.addEntity('origin', address.toLowerCase());
  if (events.length === 0) addSubject(found, alert, alert.at);
  return { entities: [...found.entities.values()].slice(0, maxEntities), artifacts: found.artifacts.slice(0, maxArtifacts) };
}

function addSubject(found: Gathered, { deviceName, userName }: Subject, at: number): void {
  found.addArtifact('device', deviceName, at);
  found.addArtifact('user', userName, at);
}

function addAddresses(found: Gathered, event: EventFields): void {
  const at = event.at.getTime();
  const own = addresses(event.hostIp);
  for (const address of own) if (isInsideHost(address)) found.addEntity('host', address);
  for (const kind of ['sourceIp', 'destinationIp'] as const)
    for (const address of addresses(event[kind])) {
      found.addArtifact(kind, address, at);
      if (isOutside(address)) found.addEntity('address', address);
      else if (kind === 'sourceIp' && isInsideHost(address) && !own.includes(address)) found.addEntity('origin', address);
    }
}

const literal = /(?:\/\/|@|\/dev\/(?:tcp|udp)\/)(\d{1,3}(?:\.\d{1,3}){3})(?![\d.])/g;
/** Public addresses that a command contacts by number: names are shared by many, numbers seldom. */
function addContacted(found: Gathered, { commandLine, decodedCommandLine, decodedScript }: EventFields): void {
  for (const text of [commandLine, decodedCommandLine, decodedScript].flatMap(texts))
    for (const [, address] of text.slice(0, maxCommand).matchAll(literal))
      if (isOutside(address!)) found.addEntity('address', address);
}

/** Artifacts that only decoded text holds. */
function addDecoded(found: Gathered, event: EventFields): void {
  for (const [field, decoded, original] of [
    ['process.command_line', event.decodedCommandLine, event.commandLine],
    ['powershell.file.script_block_text', event.decodedScript, event.script],
  ] as const)
    for (const { kind, value } of indicatorsIn(text(decoded) ?? '', text(original) ?? ''))
      found.addArtifact(kind, value, event.at.getTime(), field);
}

/** Names of the machines at the other end: whole ones of internal hosts. */
function addNames(found: Gathered, { deviceName }: Subject, event: EventFields): void {
  const own = shortNameOf(hostNameOf(deviceName ?? ''));
  for (const [kind, field] of [
    ['caller', event.sourceName],
    ['reaches', event.destinationName],
  ] as const)
    for (const name of texts(field).map(hostNameOf))
      if (machineName.test(name) && isIP(name) === 0 && shortNameOf(name) !== own) found.addEntity(kind, name);
}

/** The device by its short name as far as rules allow, or the user of a shared service. */
export function partyOf(
  { deviceName, userName }: Pick<Subject, 'deviceName' | 'userName'>,
  isOnShared: boolean,
  identities?: Identities,
): string {
  const entity: Entity = isOnShared
    ? { kind: 'user', value: notationOf(userName, null)?.value ?? '' }
    : { kind: 'device', value: hostNameOf(deviceName ?? '') };
  if (entity.value === '') return '';
  return bounded((identities?.canonical(entity) ?? entity).value);
}

/** A SID with the account that the event names with it. */
export function sidOf(user: unknown): { sid: string; name: string } | undefined {
  if (typeof user !== 'object' || user === null) return undefined;
  const { id, name, domain } = user as Record<string, unknown>;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const sid = id.trim().toLowerCase();
  if (!/^s-1-5-21-[\d-]{1,60}$/.test(sid)) return undefined;
  return { sid, name: typeof domain === 'string' && domain !== '' && !/[\\@]/.test(name) ? `${domain}\\${name}` : name };
}

function addHashes(found: Gathered, event: EventFields): void {
  for (const [hashes, path] of [
    [event.processHash, event.executable],
    [event.fileHash, event.filePath],
    [event.dllHash, event.dllPath],
  ]) {
    const hash = hashOf(hashes);
    found.addArtifact('hash', hash, event.at.getTime());
    if (!isOfTheSystem(text(path))) found.addEntity('hash', hash);
  }
}

function addProcesses(found: Gathered, event: EventFields): void {
  found.addArtifact('process', text(event.executable) ?? text(event.processName), event.at.getTime());
  // Entity ids are unique across machines; process ids are not.
  for (const id of [text(event.processId), text(event.parentId)])
    if (id !== undefined && id.length >= 12) found.addEntity('process', id.toLowerCase());
}
