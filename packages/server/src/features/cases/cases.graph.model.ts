/** Entities and actions of an attack graph while it is built. */
import { isIP } from 'node:net';
import type { GraphNodeKind } from '@parapet/contract/caseGraph.ts';
import { accountOf } from '../../domain/accounts.ts';
import type { GraphEvent } from './cases.graph.store.ts';

const maxLabel = 200;
const maxValue = 2_000;
/** Between the parts of a key; no text of PostgreSQL contains it. */
const sep = '\0';

export interface Marks {
  /** 0 without an alert. */
  criticality: number;
  /** Short names. */
  tactics: Set<string>;
}

export interface Node extends Marks {
  key: string;
  kind: GraphNodeKind;
  label: string;
  value: string;
  facts: Map<string, string>;
  firstAt: number;
  lastAt: number;
  grouped: number;
  alerts: Map<number, { rule: string; criticality: number }>;
}

export interface Edge extends Marks {
  key: string;
  from: Node;
  to: Node;
  action: string;
  firstAt: number;
  lastAt: number;
  count: number;
  alertId: number | null;
}

export interface Graph {
  nodes: Node[];
  edges: Edge[];
}

export interface ProcessFields {
  entity: string | null;
  pid: string | null;
  name: string | null;
  executable: string | null;
  commandLine: string | null;
}

/** Whole characters only: half a surrogate pair is no valid JSON text. */
const bounded = (text: string, limit = maxValue): string => text.slice(0, limit).toWellFormed();
export const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')) + 1) || path;
/** First label of a host name, without the `$` of machine accounts; an address is whole. */
export const hostKey = (name: string): string => {
  const host = name
    .trim()
    .toLowerCase()
    .replace(/^\\\\/, '')
    .replace(/[$.]{1,10}$/, '');
  return isIP(host) > 0 ? host : host.split('.', 1)[0]!;
};

/** Addresses of a field that is a string or a list of strings. */
export function addressesOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, 8) : [value];
  return list.flatMap((text) => (typeof text === 'string' && isIP(text.trim()) > 0 ? [text.trim().toLowerCase()] : []));
}

/** User names with the one that stands for them, by the identity rules of the client. */
export type Persons = ReadonlyMap<string, string>;

/** Account and first label of its domain, of `DOMAIN\name`, `name@domain` or a name beside its domain. */
function splitUser(name: string, domain: string | null): { account: string; domain: string } {
  const text = name.trim().toLowerCase();
  const [slash, at] = [text.lastIndexOf('\\'), text.lastIndexOf('@')];
  const account = slash >= 0 ? text.slice(slash + 1) : at > 0 ? text.slice(0, at) : text;
  const given = slash >= 0 ? text.slice(0, slash) : at > 0 ? text.slice(at + 1) : (domain ?? '');
  return { account, domain: hostKey(given) };
}

interface ProcessNode {
  node: Node;
  entity: string | null;
  name: string;
}

export class GraphBuilder {
  readonly #nodes = new Map<string, Node>();
  readonly #edges = new Map<string, Edge>();
  readonly #processes = new Map<string, ProcessNode>();
  readonly #processCounts = new Map<string, number>();
  readonly #devicesOf = new Map<Node, Node>();
  /** Devices of internal addresses that one device of the case has. */
  readonly #owners = new Map<string, string>();
  /** Domains of an account; a bare name is the account of the only one. */
  readonly #domains = new Map<string, Set<string>>();

  /** Names that stand for joined users, by account and domain. */
  readonly #persons = new Map<string, string>();

  constructor(events: readonly GraphEvent[], persons: Persons = new Map()) {
    this.#learnAddresses(events);
    this.#learnDomains(events);
    for (const [name, person] of persons) this.#persons.set(this.#userKey(name, null), person);
  }

  /** Account and domain; a bare name is the account of the only domain that the case has for it. */
  #userKey(name: string, given: string | null): string {
    const { account, domain } = splitUser(name, given);
    const known = this.#domains.get(account);
    return `${account}@${domain === '' && known?.size === 1 ? [...known][0]! : domain}`;
  }

  #learnAddresses(events: readonly GraphEvent[]): void {
    const shared = new Set(['127.0.0.1', '::1']);
    for (const { hostName, alertDevice, hostIps } of events) {
      const device = alertDevice ?? hostName;
      if (!device) continue;
      for (const address of addressesOf(hostIps)) {
        const owner = this.#owners.get(address) ?? device;
        if (hostKey(owner) !== hostKey(device)) shared.add(address);
        this.#owners.set(address, owner);
      }
    }
    for (const address of shared) this.#owners.delete(address);
  }

  #learnDomains(events: readonly GraphEvent[]): void {
    for (const event of events)
      for (const [name, domain] of [
        [event.userName, event.userDomain],
        [event.targetUserName, event.targetUserDomain],
        [event.effectiveUserName, event.effectiveUserDomain],
        [event.alertUser, null],
      ] as const) {
        const user = splitUser(name ?? '', domain);
        if (user.domain === '') continue;
        const known = this.#domains.get(user.account);
        if (known) known.add(user.domain);
        else this.#domains.set(user.account, new Set([user.domain]));
      }
  }

  device(name: string | null, at: number): Node | undefined {
    const key = name === null ? '' : hostKey(name);
    return key === '' ? undefined : this.#node('device', key, name!, name!, at);
  }

  user(name: string | null, domain: string | null, device: Node | undefined, at: number): Node | undefined {
    if (!name?.trim()) return undefined;
    const user = splitUser(name, domain);
    // Built-in accounts are others on each device.
    if (accountOf(user.account) === undefined)
      return this.#node('user', `${user.account}${sep}${device?.key ?? ''}`, user.account, name, at);
    const person = this.#persons.get(this.#userKey(name, domain));
    const value = person ?? (domain && !/[\\@]/.test(name) ? `${domain}\\${name}` : name);
    return this.#node('user', this.#userKey(value, null), splitUser(value, null).account, value, at);
  }

  /** The device that has the address, if the case has one. */
  address(address: string, at: number): Node {
    const owner = this.#owners.get(address);
    return owner === undefined ? this.#node('address', address, address, address, at) : this.device(owner, at)!;
  }

  /** By entity ID; without one by process ID and name, which are used again later. */
  process(device: Node | undefined, fields: ProcessFields, at: number): Node | undefined {
    const { executable, commandLine } = fields;
    const path = executable ?? fields.name ?? '';
    const name = baseName(path).toLowerCase();
    const entity = fields.entity?.toLowerCase() ?? null;
    if (name === '' && entity === null && fields.pid === null) return undefined;
    const of = device?.key ?? '';
    const keys = [
      ...(entity === null ? [] : [`entity${sep}${of}${sep}${entity}`]),
      ...(fields.pid === null ? [] : [`pid${sep}${of}${sep}${fields.pid}`]),
      ...(entity === null && fields.pid === null ? [`name${sep}${of}${sep}${path.toLowerCase()}`] : []),
    ];
    const isSame = (other: ProcessNode) =>
      (entity === null || other.entity === null || entity === other.entity) &&
      (name === '' || other.name === '' || name === other.name);
    let found = keys.map((key) => this.#processes.get(key)).find((other) => other !== undefined && isSame(other));
    if (!found) {
      const count = (this.#processCounts.get(keys[0]!) ?? 0) + 1;
      this.#processCounts.set(keys[0]!, count);
      const label = baseName(path) || `Process ${fields.pid ?? ''}`.trim();
      found = { node: this.#node('process', `${keys[0]}${sep}${count}`, label, path, at), entity, name };
    } else if (found.name === '' && name !== '') {
      found.name = name;
      found.node.label = bounded(baseName(path), maxLabel);
      found.node.value = bounded(path);
    }
    if (device) this.#devicesOf.set(found.node, device);
    found.entity ??= entity;
    for (const key of keys) this.#processes.set(key, found);
    const { node } = found;
    if (node.value.length < path.length && baseName(node.value) === baseName(path)) node.value = bounded(path);
    seenAt(node, at);
    this.describe(node, 'Command line', commandLine);
    this.describe(node, 'Process ID', fields.pid);
    return node;
  }

  /** Domains, files and registry keys. */
  thing(kind: 'domain' | 'file' | 'registry', value: string, device: Node | undefined, at: number): Node {
    const isLocal = kind !== 'domain';
    const key = `${isLocal ? (device?.key ?? '') : ''}${sep}${value.toLowerCase()}`;
    return this.#node(kind, key, isLocal ? baseName(value) : value, value, at);
  }

  /** The first value of a field stays. */
  describe(node: Node, name: string, value: string | null | undefined): void {
    if (value && !node.facts.has(name)) node.facts.set(name, bounded(value));
  }

  edge(from: Node | undefined, to: Node | undefined, action: string, event: GraphEvent | undefined, at: number): void {
    if (!from || !to || from === to) return;
    const key = [from.key, action, to.key].join(sep);
    let edge = this.#edges.get(key);
    if (!edge) {
      edge = { key, from, to, action, firstAt: at, lastAt: at, count: 0, alertId: null, criticality: 0, tactics: new Set() };
      this.#edges.set(key, edge);
    }
    seenAt(edge, at);
    edge.count++;
    if (event) {
      if (event.criticality > edge.criticality) edge.alertId = event.alertId;
      mark(edge, event);
    }
  }

  /** Attributes the event's alert to its subject. */
  alert(node: Node, event: GraphEvent): void {
    node.alerts.set(event.alertId, { rule: bounded(event.rule), criticality: event.criticality });
    mark(node, event);
  }

  /** Every process that no other one started is connected to its device. */
  finish(): Graph {
    const started = new Set([...this.#edges.values()].flatMap(({ action, to }) => (action === 'started' ? [to] : [])));
    for (const [node, device] of this.#devicesOf) if (!started.has(node)) this.edge(device, node, 'ran', undefined, node.firstAt);
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }

  #node(kind: GraphNodeKind, of: string, label: string, value: string, at: number): Node {
    const key = `${kind}${sep}${of}`;
    let node = this.#nodes.get(key);
    if (!node) {
      node = {
        key,
        kind,
        label: bounded(label, maxLabel),
        value: bounded(value),
        facts: new Map(),
        firstAt: at,
        lastAt: at,
        grouped: 0,
        alerts: new Map(),
        criticality: 0,
        tactics: new Set(),
      };
      this.#nodes.set(key, node);
    }
    seenAt(node, at);
    return node;
  }
}

function seenAt(what: { firstAt: number; lastAt: number }, at: number): void {
  what.firstAt = Math.min(what.firstAt, at);
  what.lastAt = Math.max(what.lastAt, at);
}

function mark(marks: Marks, { criticality, tactics }: GraphEvent): void {
  marks.criticality = Math.max(marks.criticality, criticality);
  if (Array.isArray(tactics))
    for (const tactic of tactics.slice(0, 14)) if (typeof tactic === 'string') marks.tactics.add(tactic);
}
