/**
 * Correlation rules. A joining rule adds an alert to an open case with the same entity near in time; an opening rule creates a case from alerts
 * outside cases. The rule's sentence is stored with each alert of a case.
 */

import { createHash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { criticalityOf } from '@parapet/contract/primitives.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * Entity kinds that join alerts. `origin`: the internal source address of an event; `host`: an address of the alert's device; `caller`: the
 * machine that an event came from, by name; `reaches`: the machine that it went to; `outbreak`: the rule of a critical alert.
 */
export type EntityKind =
  | 'process'
  | 'hash'
  | 'address'
  | 'origin'
  | 'host'
  | 'user'
  | 'device'
  | 'caller'
  | 'reaches'
  | 'outbreak';

export interface Entity {
  kind: EntityKind;
  value: string;
}

export interface JoiningRule {
  id: string;
  /** Reason shown after "joined by". */
  sentence: string;
  kind: EntityKind;
  /** Entity kind of the case's alerts; the same kind by default. */
  meets?: EntityKind;
  windowMs: number;
  /** Minimum criticality of a joining alert (1 Informational … 5 Critical). */
  from: number;
  /** A value of more devices within two weeks is shared and joins nothing; for cloud services users count instead. */
  maxParties: number;
  /** A shared value joins all the same where it was not shared before the case began, and was seen there with a severe alert. */
  widens?: boolean;
  /** Limit of parties of the alert's own kind before the case began, such as devices that one address signs in to. */
  maxOwn?: number;
  /** A severe alert that meets a second case so makes one of the two. */
  bridges?: boolean;
}

/** Strongest first; the first rule that finds an open case decides. */
export const joiningRules: readonly JoiningRule[] = [
  {
    id: 'process-tree',
    sentence: 'the same process tree within 24 hours',
    kind: 'process',
    windowMs: dayMs,
    from: criticalityOf.informational,
    maxParties: 1,
    bridges: true,
  },
  {
    id: 'hash',
    sentence: 'the same file hash within 3 days',
    kind: 'hash',
    windowMs: 3 * dayMs,
    from: criticalityOf.informational,
    maxParties: 5,
    widens: true,
    bridges: true,
  },
  {
    id: 'origin',
    sentence: 'it came from a device of the case within 24 hours',
    kind: 'origin',
    meets: 'host',
    windowMs: dayMs,
    from: criticalityOf.medium,
    maxParties: 1,
    maxOwn: 8,
    bridges: true,
  },
  {
    id: 'caller',
    sentence: 'it names a device of the case as where it came from, within 24 hours',
    kind: 'caller',
    meets: 'device',
    windowMs: dayMs,
    from: criticalityOf.medium,
    maxParties: 1,
    maxOwn: 8,
    bridges: true,
  },
  {
    id: 'reached',
    sentence: 'the case went to its device within 24 hours',
    kind: 'device',
    meets: 'reaches',
    windowMs: dayMs,
    from: criticalityOf.medium,
    maxParties: 4,
    bridges: true,
  },
  {
    id: 'reaching',
    sentence: 'it went to a device of the case within 2 hours',
    kind: 'reaches',
    meets: 'device',
    windowMs: 2 * hourMs,
    from: criticalityOf.medium,
    maxParties: 1,
    maxOwn: 4,
    bridges: true,
  },
  {
    id: 'origin-near',
    sentence: 'it came from a device of the case within 2 hours',
    kind: 'origin',
    meets: 'host',
    windowMs: 2 * hourMs,
    from: criticalityOf.low,
    maxParties: 1,
    maxOwn: 8,
  },
  {
    id: 'source',
    sentence: 'the case came from its device within 2 hours',
    kind: 'host',
    meets: 'origin',
    windowMs: 2 * hourMs,
    from: criticalityOf.low,
    maxParties: 5,
  },
  {
    id: 'address',
    sentence: 'the same public address within 24 hours',
    kind: 'address',
    windowMs: dayMs,
    from: criticalityOf.low,
    maxParties: 4,
    widens: true,
    bridges: true,
  },
  {
    id: 'user',
    sentence: 'the same user within 24 hours',
    kind: 'user',
    windowMs: dayMs,
    from: criticalityOf.medium,
    maxParties: 8,
    widens: true,
    bridges: true,
  },
  {
    id: 'device',
    sentence: 'the same device within 24 hours',
    kind: 'device',
    windowMs: dayMs,
    from: criticalityOf.medium,
    maxParties: 1,
    bridges: true,
  },
  {
    id: 'outbreak',
    sentence: 'the same critical rule on another device within an hour',
    kind: 'outbreak',
    windowMs: hourMs,
    from: criticalityOf.critical,
    maxParties: 1,
    widens: true,
    bridges: true,
  },
  {
    id: 'user-severe',
    sentence: 'the same user within 3 days, and it is severe',
    kind: 'user',
    windowMs: 3 * dayMs,
    from: criticalityOf.high,
    maxParties: 8,
    widens: true,
  },
  {
    id: 'device-severe',
    sentence: 'the same device within 3 days, and it is severe',
    kind: 'device',
    windowMs: 3 * dayMs,
    from: criticalityOf.high,
    maxParties: 1,
  },
  {
    id: 'user-near',
    sentence: 'the same user within an hour',
    kind: 'user',
    windowMs: hourMs,
    from: criticalityOf.low,
    maxParties: 8,
  },
  {
    id: 'device-near',
    sentence: 'the same device within an hour',
    kind: 'device',
    windowMs: hourMs,
    from: criticalityOf.low,
    maxParties: 1,
  },
];

/** Severe alerts widen and bridge; weaker ones would let a rollout or a scan join everything. */
export const severeFrom = criticalityOf.high;

/** Bounds of a case that grows by widening or by becoming one with another. */
export const maxCaseAlerts = 5_000;
export const maxCaseDevices = 150;

/** A rule that raised alerts for a party on as many days, or for as many parties within hours, opens no case together with others. */
export const habits = { days: 4, fleet: 8 } as const;

/** Maximum distance of a joining alert from the one that opened the case, so that noise cannot extend a case without limit. */
export const longestCaseMs = 3 * dayMs;

export const openingRules = {
  severe: { id: 'severe', sentence: 'it is severe on its own', from: criticalityOf.high },
  sequence: {
    id: 'sequence',
    sentence: 'tactics in the order of an attack on one device or user within 6 hours',
    kinds: ['device', 'user'] as const,
    windowMs: 6 * hourMs,
    from: criticalityOf.low,
    tactics: 3,
    rules: 3,
    /** Minimum number of steps by alerts of at least Medium: Informational and Low never open a case. */
    mediums: 2,
  },
  rules: {
    id: 'rules',
    sentence: 'several rules on one device or user within an hour',
    kinds: ['device', 'user'] as const,
    windowMs: hourMs,
    from: criticalityOf.medium,
    rules: 3,
  },
  /** A step of an intruder and its aim: rare together, even where each is common alone. */
  aim: {
    id: 'aim',
    sentence: 'a step and its aim on one device or user within an hour',
    kinds: ['device', 'user'] as const,
    windowMs: hourMs,
    from: criticalityOf.medium,
    steps: ['persistence', 'defense-evasion', 'credential-access', 'lateral-movement', 'collection'] as readonly string[],
    aims: ['command-and-control', 'exfiltration'] as readonly string[],
  },
  /** Alerts just before a case opened that did not open one themselves. */
  leadUp: {
    id: 'lead-up',
    sentence: 'it led up to the case within 2 hours',
    kinds: ['process', 'device', 'user'] as const,
    windowMs: 2 * hourMs,
    from: criticalityOf.medium,
  },
} as const;

/** Time before an alert of lateral movement in which a sign-in from another device counts. */
export const arrivalWindowMs = 30 * minuteMs;

/** Retention of sightings: longer than any window, so that shared entities are detected. */
export const longestWindowMs = 14 * dayMs;

const inside = { 4: new BlockList(), 6: new BlockList() };
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  inside[4].addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  ['::', 8],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  inside[6].addSubnet(net, prefix, 'ipv6');

/** True for public addresses. Documentation ranges count as public, as the demo uses them. */
export function isOutside(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !inside[4].check(address, 'ipv4');
  return family === 6 && !inside[6].check(address, 'ipv6');
}

const loopback = /^(?:127\.|0\.|169\.254\.|172\.17\.0\.|::1?$|fe80:)/i;
/** True for a private address that identifies one machine in its network. */
export const isInsideHost = (address: string): boolean => isIP(address) > 0 && !isOutside(address) && !loopback.test(address);

/** Programs present on every machine of a kind. */
export const isOfTheSystem = (path: string | undefined): boolean =>
  path !== undefined &&
  /^(?:[a-z]:\\(?:windows|program files(?: \(x86\))?)\\|\/(?:usr\/)?s?bin\/|\/(?:usr\/)?lib(?:64)?\/|\/usr\/local\/bin\/|\/snap\/|\/applications\/|\/system\/)/i.test(
    path,
  );

/** Hash of a value that is too long for the index. */
export function bounded(value: string): string {
  if (Buffer.byteLength(value) <= 300) return value;
  return `#${createHash('sha256').update(value).digest('hex')}`;
}

export const keyOf = ({ kind, value }: Entity): string => `${kind} ${value}`;
