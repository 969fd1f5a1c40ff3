/**
 * Names that are one person or one machine. Entities are stored as they were reported; the client's identity rules decide at each reading which
 * of them are equal, so that switching a rule off takes effect at once. Pure.
 */
import { accountOf } from '../../domain/accounts.ts';
import type { Entity } from './correlation.rules.ts';

export type IdentityKind = 'domain' | 'suffix' | 'account' | 'host' | 'shared' | 'bare' | 'sid';

export interface IdentityRule {
  id: number;
  kind: IdentityKind;
  name: string;
  sameAs: string;
  origin: 'default' | 'learnt' | 'manual';
  reason: string;
  isActive: boolean;
}

export interface NewIdentityRule {
  kind: IdentityKind;
  name: string;
  sameAs: string;
  origin: IdentityRule['origin'];
  reason: string;
}

/** SIDs of people: accounts that a domain or machine made itself. */
const personalSid = /^s-1-5-21-(?:\d{1,10}-){3}[1-9]\d{3,9}$/;
/** Names of services, which identify no person without their domain. */
const serviceName = /^(?:svc|srv|service|sa|app|task|job)[-_.]|[-_.](?:svc|service)$/;

const maxNameLength = 120;

/** `WS-01$`, `\\WS-01` and `ws-01.` as `ws-01`. */
export const hostNameOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/^\\\\/, '')
    .replace(/[$.]+$/, '');

const isAddress = (name: string): boolean => /^[\d.]+$/.test(name) || name.includes(':');
/** First label of a host name; an address is whole. */
export const shortNameOf = (host: string): string => (isAddress(host) ? host : host.split('.', 1)[0]!);
export const suffixOf = (host: string): string => (isAddress(host) ? '' : host.slice(shortNameOf(host).length + 1));

export interface UserNotation {
  /** `account`, `account@domain`, `account@host` of a local account, or a SID. */
  value: string;
  account: string;
  /** Empty for bare names, SIDs and local accounts. */
  domain: string;
}

/** A user as it was reported; undefined where many stand behind the name. */
export function notationOf(userName: string | null | undefined, deviceName: string | null): UserNotation | undefined {
  const name = userName?.trim().toLowerCase() ?? '';
  if (personalSid.test(name)) return { value: name, account: '', domain: '' };
  const account = accountOf(name);
  if (account === undefined || account.length > maxNameLength) return undefined;
  const host = deviceName === null ? '' : shortNameOf(hostNameOf(deviceName));
  const at = name.lastIndexOf('@');
  const given = at >= 0 ? name.slice(at + 1) : name.includes('\\') ? name.slice(0, name.lastIndexOf('\\')) : '';
  const domain = hostNameOf(given).slice(0, maxNameLength);
  if (domain === '' && serviceName.test(account)) return { value: `${account}@${host}`, account, domain: '' };
  if (domain === '' || domain === 'workgroup') return { value: account, account, domain: '' };
  const isLocal = host !== '' && shortNameOf(domain) === host;
  return { value: `${account}@${isLocal ? host : domain}`, account, domain: isLocal ? '' : domain };
}

export const accountPart = (value: string): string => value.replace(/@[^@]*$/, '');
const domainPart = (value: string): string => (value.includes('@') ? value.slice(value.lastIndexOf('@') + 1) : '');

/** Domains of accounts and accounts of SIDs, as they were seen. */
export interface Sightings {
  domains: ReadonlyMap<string, readonly string[]>;
  accounts: ReadonlyMap<string, readonly string[]>;
}

export interface Identities {
  /** The entity that stands for all equal ones; undefined for one that joins nothing. */
  canonical(entity: Entity): Entity | undefined;
  /** Stored values that are equal to a canonical entity. */
  spellings(entity: Entity): string[];
}

/** Groups of names that are linked by rules, in either direction and over several steps. One member stands for each group, no SID if possible. */
function groupsOf(links: readonly { name: string; sameAs: string }[]): {
  of: (name: string) => string;
  members: (name: string) => string[];
} {
  const groups = new Map<string, Set<string>>();
  for (const { name, sameAs } of links) {
    const [one, other] = [groups.get(name) ?? new Set([name]), groups.get(sameAs) ?? new Set([sameAs])];
    const joined = one.size >= other.size ? one : other;
    for (const member of joined === one ? other : one) joined.add(member);
    for (const member of joined) groups.set(member, joined);
  }
  const first = new Map([...new Set(groups.values())].map((group) => [group, [...group].sort(bySid)[0]!]));
  return {
    of: (name) => first.get(groups.get(name)!) ?? name,
    members: (name) => [...(groups.get(name) ?? [name])],
  };
}

const bySid = (a: string, b: string): number =>
  Number(personalSid.test(a)) - Number(personalSid.test(b)) || (a < b ? -1 : a > b ? 1 : 0);

export function identitiesOf(all: readonly IdentityRule[], seen: Sightings): Identities {
  const rules = all.filter(({ isActive }) => isActive);
  const ofKind = (kind: IdentityKind) => rules.filter((rule) => rule.kind === kind);
  const isOff = (kind: IdentityKind) => all.some((rule) => rule.kind === kind && !rule.isActive);
  const domains = groupsOf(ofKind('domain'));
  const hosts = groupsOf(ofKind('host'));
  const suffixes = ofKind('suffix').map(({ name }) => name);
  const shared = new Set(ofKind('shared').map(({ name }) => name));
  const [isBareOn, isSidOn] = [!isOff('bare'), !isOff('sid')];

  const qualified = (account: string, domain: string) => `${account}@${domains.of(domain)}`;
  const inGroup = (value: string) => (domainPart(value) === '' ? value : qualified(accountPart(value), domainPart(value)));
  const accounts = groupsOf(ofKind('account').map(({ name, sameAs }) => ({ name: inGroup(name), sameAs: inGroup(sameAs) })));
  const userOf = (value: string): string => {
    const named = accounts.of(inGroup(value));
    if (personalSid.test(named)) {
      const known = isSidOn ? [...new Set((seen.accounts.get(named) ?? []).map(userOf))] : [];
      return known.length === 1 ? known[0]! : named;
    }
    const domain = domainPart(named);
    if (domain !== '') return accounts.of(qualified(accountPart(named), domain));
    const own = isBareOn ? new Set((seen.domains.get(named) ?? []).map((each) => qualified(named, each))) : new Set<string>();
    return own.size === 1 ? accounts.of([...own][0]!) : named;
  };
  const hostOf = (value: string): string => {
    const named = hosts.of(value);
    if (named !== value || ownNames.has(value)) return named;
    return suffixes.includes(suffixOf(value)) ? hosts.of(shortNameOf(value)) : value;
  };
  /** Hosts with a rule that names themselves stay apart from those of the same short name. */
  const ownNames = new Set(ofKind('host').flatMap(({ name, sameAs }) => (name === sameAs ? [name] : [])));
  const isHost = ({ kind }: Entity) => kind === 'device' || kind === 'caller' || kind === 'reaches';

  return {
    canonical(entity) {
      if (isHost(entity)) return { kind: entity.kind, value: hostOf(entity.value) };
      if (entity.kind !== 'user') return entity;
      const value = userOf(entity.value);
      return shared.has(value) || shared.has(accountPart(value)) ? undefined : { kind: 'user', value };
    },
    spellings(entity) {
      const { value } = entity;
      if (isHost(entity))
        return [
          ...new Set(hosts.members(value).flatMap((name) => [name, ...suffixes.map((suffix) => `${name}.${suffix}`)])),
        ].filter((name) => hostOf(name) === value);
      if (entity.kind !== 'user') return [value];
      const named = accounts.members(value).flatMap((name) => {
        const account = accountPart(name);
        return [name, account, ...domains.members(domainPart(name)).map((domain) => `${account}@${domain}`)];
      });
      const sids = [...seen.accounts].flatMap(([sid, known]) => (known.some((each) => named.includes(each)) ? [sid] : []));
      return [...new Set([...named, ...sids])].filter((name) => userOf(name) === value);
    },
  };
}

const publicMail =
  /^(?:gmail|googlemail|outlook|hotmail|live|msn|yahoo|ymail|icloud|me|aol|gmx|web|t-online|proton|protonmail|mail)\.[a-z.]{2,6}$/;
/** Mail providers, whose accounts are of people anywhere. */
export const isPublicMail = (domain: string): boolean => publicMail.test(domain);

/** `corp.example` and `corp`, `corp.onmicrosoft.com` and `corp.example`; a NetBIOS name has at most 15 characters. */
export function beginAlike(one: string, other: string): boolean {
  if (isPublicMail(one) || isPublicMail(other) || isAddress(one) || isAddress(other)) return false;
  const [a, b] = [shortNameOf(one), shortNameOf(other)];
  return a.length >= 2 && (a === b || (a.length === 15 && b.startsWith(a)) || (b.length === 15 && a.startsWith(b)));
}

/** Accounts in common from which two domains are taken for one. */
export const accountsInCommon = 3;
