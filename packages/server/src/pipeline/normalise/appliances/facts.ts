/** Facts of a network appliance's line before conversion to ECS. Parsers of one vendor are pure functions from a message to facts. */
import type { Document } from '../../event.ts';
import { fill, ip, number, port, section, setOwn } from '../doc.ts';

/** One end of a connection, as the appliance states it; addresses that are none become names. */
export interface End {
  address?: string | undefined;
  port?: string | number | undefined;
  /** Address and port after translation. */
  natAddress?: string | undefined;
  natPort?: string | number | undefined;
  mac?: string | undefined;
  user?: string | undefined;
  bytes?: string | number | undefined;
  packets?: string | number | undefined;
  country?: string | undefined;
  /** Interface or zone. */
  zone?: string | undefined;
}

export interface ApplianceFacts {
  vendor: string;
  product: string;
  /** `event.dataset`, as Elastic's integration of the product names it. */
  dataset: string;
  /** Key under which the appliance's own fields stay readable. */
  namespace: string;
  fields?: Document | undefined;
  version?: string | undefined;
  /** Name of the appliance. */
  name?: string | undefined;
  serial?: string | undefined;
  /** Candidate times that state their zone, unparsed. */
  times?: unknown[];
  /** Times of the appliance's own, unstated zone; the syslog header's is preferred. */
  localTimes?: unknown[];
  category: readonly string[];
  type: readonly string[];
  /** Action in the appliance's words. */
  action?: string | undefined;
  outcome?: 'success' | 'failure' | undefined;
  code?: string | undefined;
  severity?: string | number | undefined;
  reason?: string | undefined;
  source?: End | undefined;
  destination?: End | undefined;
  transport?: string | undefined;
  protocol?: string | undefined;
  application?: string | undefined;
  /** Policy or signature. */
  rule?: { id?: string | undefined; name?: string | undefined; category?: string | undefined } | undefined;
  user?: string | undefined;
  url?: string | undefined;
  domain?: string | undefined;
  method?: string | undefined;
  userAgent?: string | undefined;
  file?: { name?: string | undefined; path?: string | undefined; hash?: string | undefined } | undefined;
  commandLine?: string | undefined;
  process?: string | undefined;
  /** The appliance's own words, for the summary. */
  message?: string | undefined;
}

const transports = new Map([
  ['1', 'icmp'],
  ['6', 'tcp'],
  ['17', 'udp'],
  ['47', 'gre'],
  ['50', 'esp'],
  ['58', 'ipv6-icmp'],
]);

/** `tcp` for `6`, `TCP` or `tcp/https`; undefined for anything longer than a name. */
export function transportOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const name = /^[\w-]{1,20}/.exec(value.trim())?.[0]?.toLowerCase();
  return name === undefined ? undefined : (transports.get(name) ?? (/^\d+$/.test(name) ? undefined : name));
}

const refusals =
  /^(?:deny|denied|drop|dropped|block|blocked|reject|rejected|reset|refuse|refused|discard|timeout-deny|sinkhole|quarantine\w*|prevent\w*|server-rst-deny|drop-\w+|reset-\w+|block-\w+|violation)$/i;
const permissions =
  /^(?:accept|accepted|allow|allowed|permit|permitted|pass|passthrough|alert|close|start|end|built|detected?|monitor\w*|success|client-rst|server-rst|timeout|bypass)$/i;

/** ECS `event.type` of a verdict on traffic: `allowed`, `denied` or none. */
export function verdictType(action: string | undefined): 'allowed' | 'denied' | undefined {
  if (action === undefined) return undefined;
  const word = action.trim().replaceAll(' ', '-');
  return refusals.test(word) ? 'denied' : permissions.test(word) ? 'allowed' : undefined;
}

/** Fills ECS from facts; never overwrites. Returns the summary. */
export function fillAppliance(document: Document, facts: ApplianceFacts): string {
  const event = section(document, 'event');
  fill(event, 'module', facts.dataset.split('.')[0]);
  fill(event, 'dataset', facts.dataset);
  if (facts.category.length > 0) fill(event, 'category', facts.category);
  if (facts.type.length > 0) fill(event, 'type', facts.type);
  fill(event, 'action', nonEmpty(facts.action)?.toLowerCase());
  fill(event, 'outcome', facts.outcome);
  fill(event, 'code', nonEmpty(facts.code));
  fill(event, 'severity', number(facts.severity));
  fill(event, 'reason', nonEmpty(facts.reason));
  fillObserver(document, facts);
  fillEnd(document, 'source', facts.source);
  fillEnd(document, 'destination', facts.destination);
  fillNetwork(document, facts);
  fillSubjects(document, facts);
  if (facts.fields !== undefined) {
    const [outer = '', inner = ''] = facts.namespace.split('.');
    fill(inner === '' ? document : section(document, outer), inner || outer, facts.fields);
  }
  return summaryOf(facts);
}

const nonEmpty = (value: string | undefined): string | undefined =>
  value === undefined || value === '' || value === '-' || /^(?:N\/A|n\/a|undefined|unknown|none)$/.test(value)
    ? undefined
    : value;

function fillObserver(document: Document, { vendor, product, version, name, serial }: ApplianceFacts): void {
  const observer = section(document, 'observer');
  fill(observer, 'vendor', vendor);
  fill(observer, 'product', product);
  fill(observer, 'version', nonEmpty(version));
  fill(observer, 'name', nonEmpty(name));
  fill(observer, 'serial_number', nonEmpty(serial));
  const shown = nonEmpty(name);
  // The name inside the message is the appliance's; the one of the syslog header may be a relay's.
  if (shown !== undefined) section(document, 'host').name = shown;
}

function fillEnd(document: Document, key: 'source' | 'destination', end: End | undefined): void {
  if (end === undefined) return;
  const address = nonEmpty(end.address);
  const target = section(document, key);
  const found = ip(address);
  if (address !== undefined) fill(target, 'address', address);
  if (found !== undefined) fill(target, 'ip', found);
  else if (address !== undefined) fill(target, 'domain', address);
  fill(target, 'port', port(end.port));
  fill(target, 'mac', nonEmpty(end.mac)?.replaceAll(':', '-').toUpperCase());
  fill(target, 'bytes', number(end.bytes));
  fill(target, 'packets', number(end.packets));
  const translated = ip(end.natAddress);
  if (translated !== undefined && translated !== '0.0.0.0') {
    const nat = section(target, 'nat');
    fill(nat, 'ip', translated);
    fill(nat, 'port', port(end.natPort));
  }
  const user = nonEmpty(end.user);
  if (user !== undefined) fill(section(target, 'user'), 'name', user);
  const country = nonEmpty(end.country);
  if (country !== undefined && country !== 'Reserved')
    fill(section(target, 'geo'), country.length === 2 ? 'country_iso_code' : 'country_name', country);
  const zone = nonEmpty(end.zone);
  if (zone !== undefined) fill(section(section(document, 'observer'), key === 'source' ? 'ingress' : 'egress'), 'zone', zone);
}

function fillNetwork(document: Document, facts: ApplianceFacts): void {
  const network = section(document, 'network');
  const isV6 = facts.source?.address?.includes(':') ?? false;
  fill(network, 'transport', transportOf(facts.transport));
  fill(network, 'protocol', nonEmpty(facts.protocol)?.toLowerCase());
  fill(network, 'application', nonEmpty(facts.application)?.toLowerCase());
  if (ip(facts.source?.address) !== undefined) fill(network, 'type', isV6 ? 'ipv6' : 'ipv4');
  const [sent, received] = [number(facts.source?.bytes), number(facts.destination?.bytes)];
  if (sent !== undefined && received !== undefined) fill(network, 'bytes', sent + received);
}

function fillSubjects(document: Document, facts: ApplianceFacts): void {
  const { rule, file } = facts;
  if (nonEmpty(rule?.id) ?? nonEmpty(rule?.name)) {
    const target = section(document, 'rule');
    fill(target, 'id', nonEmpty(rule?.id));
    fill(target, 'name', nonEmpty(rule?.name));
    fill(target, 'category', nonEmpty(rule?.category));
  }
  const user = nonEmpty(facts.user);
  if (user !== undefined) fillUser(section(document, 'user'), user);
  const url = nonEmpty(facts.url);
  if (url !== undefined) fill(section(document, 'url'), 'original', url);
  const domain = nonEmpty(facts.domain);
  if (domain !== undefined) {
    fill(section(document, 'url'), 'domain', domain);
    if (ip(domain) === undefined) fill(section(document, 'destination'), 'domain', domain);
  }
  const method = nonEmpty(facts.method);
  if (method !== undefined) fill(section(section(document, 'http'), 'request'), 'method', method.toUpperCase());
  const agent = nonEmpty(facts.userAgent);
  if (agent !== undefined) fill(section(document, 'user_agent'), 'original', agent);
  if (nonEmpty(file?.name) ?? nonEmpty(file?.path) ?? nonEmpty(file?.hash)) {
    const target = section(document, 'file');
    fill(target, 'name', nonEmpty(file?.name));
    fill(target, 'path', nonEmpty(file?.path));
    const hash = nonEmpty(file?.hash)?.toLowerCase();
    const algorithm = hash === undefined ? undefined : { 32: 'md5', 40: 'sha1', 64: 'sha256' }[hash.length];
    if (algorithm !== undefined) fill(section(target, 'hash'), algorithm, hash);
  }
  const process = nonEmpty(facts.process);
  if (process !== undefined) fill(section(document, 'process'), 'name', process);
  const command = nonEmpty(facts.commandLine);
  if (command !== undefined) fill(section(document, 'process'), 'command_line', command);
}

/** `DOMAIN\name` and `name@domain` are divided. */
function fillUser(user: Document, name: string): void {
  const slash = name.indexOf('\\');
  const at = name.lastIndexOf('@');
  if (slash > 0) {
    fill(user, 'domain', name.slice(0, slash));
    fill(user, 'name', name.slice(slash + 1));
  } else {
    fill(user, 'name', at > 0 ? name.slice(0, at) : name);
    if (at > 0) fill(user, 'email', name);
  }
}

/** `FortiGate: deny tcp 10.0.0.7:50211 → 203.0.113.9:445 (policy 7): message`. */
function summaryOf(facts: ApplianceFacts): string {
  const ends = [facts.source, facts.destination].map((end) => {
    const address = nonEmpty(end?.address);
    const at = port(end?.port);
    return address === undefined ? undefined : `${address}${at === undefined ? '' : `:${at}`}`;
  });
  const words = [
    nonEmpty(facts.action)?.toLowerCase(),
    transportOf(facts.transport),
    ends[0],
    ends[1] === undefined ? undefined : `→ ${ends[1]}`,
    nonEmpty(facts.user) === undefined ? undefined : `by ${facts.user}`,
    nonEmpty(facts.rule?.name ?? facts.rule?.id) === undefined ? undefined : `(${facts.rule?.name ?? facts.rule?.id})`,
  ].filter((word) => word !== undefined);
  const message = nonEmpty(facts.message);
  return `${facts.product}: ${words.join(' ')}${message === undefined ? '' : `${words.length > 0 ? ': ' : ''}${message}`}`;
}

/** A document of untrusted names, at most 200 of them. */
export function fieldsOf(pairs: Iterable<readonly [string, string]>): Document {
  const fields: Document = {};
  let count = 0;
  for (const [name, value] of pairs) {
    if (value === '' || name === '' || name.length > 100) continue;
    if (count++ >= 200) break;
    setOwn(fields, name, value);
  }
  return fields;
}
