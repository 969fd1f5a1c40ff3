/**
 * Rules by which names of an organisation are one device: the same serial number, cloud machine or directory object, or host name
 * (docs/decisions/0087-device-identity.md). What only an agent reports joins nothing of another host name. A weaker rule joins nothing that a stronger identifier distinguishes, and no rule joins two agents. Pure.
 */

export const identityRules = ['serial', 'cloud', 'directory', 'name'] as const;
export type IdentityRule = (typeof identityRules)[number];
type Kind = Exclude<IdentityRule, 'name'>;

type Identifiers = Readonly<Record<Kind, readonly string[]>>;

/** A device with the names that were merged into it. */
export interface Known {
  id: string;
  /** Its own and those of the names merged into it. */
  members: readonly string[];
  names: readonly string[];
  /** As agents and vendors report them. */
  identifiers: Identifiers;
  /** Those of vendors: a person in control of a machine decides what its agent reports. */
  vouched: Identifiers;
  hasAgent: boolean;
  /** True for a device that an agent or a vendor lists: the rule of names needs one at least. */
  isListed: boolean;
  createdAt: number;
}

export interface Merge {
  target: string;
  duplicate: string;
  rule: IdentityRule;
  value: string;
}

/** More devices than that with one identifier: the manufacturer wrote no real one. */
const maxAlike = 4;
/** Serial numbers of boards and images without one. */
const placeholders =
  /^(?:0+|0?1234567890?|0123456789(?:abcdef)?|f+|x+|(?:system )?serial ?number|standard|n\/?a|none(?: specified)?|null|unknown|invalid|default( string)?|not (?:specified|available|applicable|provided)|to be filled by o\.?e\.?m\.?|system serial number|chassis serial number|oem|empty|[-. _]*)$/;

/** Undefined where it identifies nothing. */
export function identifierOf(text: string | null | undefined): string | undefined {
  const value = text?.replace(/\s+/g, ' ').trim().toLowerCase() ?? '';
  return value.length < 4 || value.length > 100 || placeholders.test(value) || /^00000000-0000-/.test(value) ? undefined : value;
}

const commonNames = new Set([
  'localhost',
  'localhost6',
  'host',
  'ubuntu',
  'debian',
  'raspberrypi',
  'desktop',
  'laptop',
  'pc',
  'server',
  'test',
]);

/** Host name without its domain, in lower case; undefined for addresses, and names that many machines have. */
export function shortNameOf(name: string): string | undefined {
  const [short = ''] = name.toLowerCase().split('.', 1);
  const isHostName = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(short) && /[a-z]/.test(short);
  return isHostName && !commonNames.has(short) && !/[:\s/]/.test(name) ? short : undefined;
}

/** Merges to make, with what the rule found equal. @param separated pairs of members that a person took apart, as `pairKey` */
export function mergesOf(devices: readonly Known[], separated: ReadonlySet<string>): Merge[] {
  const merges: Merge[] = [];
  const current = new Map(devices.map((device) => [device.id, device]));
  for (const rule of identityRules)
    for (const [value, ids] of groupsOf([...current.values()], rule)) {
      const group = [...ids].flatMap((id) => current.get(id) ?? []).sort(preference);
      if (rule === 'name' && !isOneHost(group, value)) continue;
      const [{ id } = { id: '' }] = group;
      for (const duplicate of group.slice(1)) {
        const target = current.get(id);
        if (!target || !isCredible(target, duplicate, rule, value) || !mayJoin(target, duplicate, rule, separated)) continue;
        merges.push({ target: id, duplicate: duplicate.id, rule, value });
        current.delete(duplicate.id);
        current.set(id, joined(target, duplicate));
      }
    }
  return merges;
}

export const pairKey = (one: string, other: string): string => [one, other].sort().join(' ');

/** The device with an agent is kept, otherwise the one known first. */
const preference = (a: Known, b: Known): number =>
  Number(b.hasAgent) - Number(a.hasAgent) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

function groupsOf(devices: readonly Known[], rule: IdentityRule): [value: string, ids: Set<string>][] {
  const groups = new Map<string, Set<string>>();
  for (const device of devices)
    for (const value of valuesOf(device, rule)) groups.set(value, (groups.get(value) ?? new Set()).add(device.id));
  return [...groups].filter(([, ids]) => ids.size > 1 && ids.size <= maxAlike);
}

const valuesOf = ({ names, identifiers }: Known, rule: IdentityRule): ReadonlySet<string> =>
  new Set(rule === 'name' ? names.flatMap((name) => shortNameOf(name) ?? []) : identifiers[rule]);

/** At most one domain goes with the host name, and one of the devices is listed. */
function isOneHost(group: readonly Known[], short: string): boolean {
  const full = group.flatMap(({ names }) =>
    names.map((name) => name.toLowerCase()).filter((name) => name.startsWith(`${short}.`)),
  );
  return new Set(full).size <= 1 && group.some(({ isListed }) => isListed);
}

function mayJoin(target: Known, duplicate: Known, rule: IdentityRule, separated: ReadonlySet<string>): boolean {
  if (target.hasAgent && duplicate.hasAgent) return false;
  if (target.members.some((one) => duplicate.members.some((other) => separated.has(pairKey(one, other))))) return false;
  return identityRules.slice(0, identityRules.indexOf(rule)).every((kind) => !isDistinct(target, duplicate, kind as Kind));
}

/** An identifier that vendors list of both, or that stands beside the same host name. */
function isCredible(one: Known, other: Known, rule: IdentityRule, value: string): boolean {
  if (rule === 'name' || [one, other].every(({ vouched }) => vouched[rule].includes(value))) return true;
  const ofOne = valuesOf(one, 'name');
  return [...valuesOf(other, 'name')].some((name) => ofOne.has(name));
}

function isDistinct(one: Known, other: Known, kind: Kind): boolean {
  const [ofOne, ofOther] = [one.identifiers[kind], other.identifiers[kind]];
  return ofOne.length > 0 && ofOther.length > 0 && !ofOne.some((value) => ofOther.includes(value));
}

const both = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];

const joinedIdentifiers = (one: Identifiers, other: Identifiers): Identifiers => ({
  serial: both(one.serial, other.serial),
  cloud: both(one.cloud, other.cloud),
  directory: both(one.directory, other.directory),
});

const joined = (target: Known, duplicate: Known): Known => ({
  ...target,
  members: both(target.members, duplicate.members),
  names: both(target.names, duplicate.names),
  identifiers: joinedIdentifiers(target.identifiers, duplicate.identifiers),
  vouched: joinedIdentifiers(target.vouched, duplicate.vouched),
  isListed: target.isListed || duplicate.isListed,
});
