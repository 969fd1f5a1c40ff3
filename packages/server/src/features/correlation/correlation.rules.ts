/**
 * How alerts become cases, as rules to be read. A joining rule puts an alert into an open case that shows the same entity near in time; an
 * opening rule makes a case of alerts that belong to none. The sentence of the rule that did it is kept beside each alert of a case.
 */

import { createHash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { criticalityOf } from '@parapet/contract/primitives.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What can join alerts. `origin`: the inside address that an event came from; `host`: an address of the alert's own device. */
export type EntityKind = 'process' | 'hash' | 'address' | 'origin' | 'host' | 'user' | 'device';

export interface Entity {
  kind: EntityKind;
  value: string;
}

export interface JoiningRule {
  id: string;
  /** Why the alert is in the case, after "joined by". */
  sentence: string;
  kind: EntityKind;
  /** What an alert of the case shows of it; the same kind where none is named. */
  meets?: EntityKind;
  windowMs: number;
  /** Alerts below this criticality (1 Informational … 5 Critical) do not join by it. */
  from: number;
  /** What more devices than this showed within two weeks is shared, and joins nothing; of cloud services, which all share, users count. */
  maxParties: number;
}

/** Strongest first: the first rule that finds an open case decides. */
export const joiningRules: readonly JoiningRule[] = [
  {
    id: 'process-tree',
    sentence: 'the same process tree within 24 hours',
    kind: 'process',
    windowMs: dayMs,
    from: criticalityOf.informational,
    maxParties: 1,
  },
  {
    id: 'hash',
    sentence: 'the same file hash within 3 days',
    kind: 'hash',
    windowMs: 3 * dayMs,
    from: criticalityOf.informational,
    maxParties: 5,
  },
  {
    id: 'origin',
    sentence: 'it came from a device of the case within 2 hours',
    kind: 'origin',
    meets: 'host',
    windowMs: 2 * hourMs,
    from: criticalityOf.low,
    maxParties: 1,
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
  },
  {
    id: 'user',
    sentence: 'the same user within 24 hours',
    kind: 'user',
    windowMs: dayMs,
    from: criticalityOf.medium,
    maxParties: 8,
  },
  {
    id: 'device',
    sentence: 'the same device within 24 hours',
    kind: 'device',
    windowMs: dayMs,
    from: criticalityOf.medium,
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

/** A case takes nothing in that happened longer than this before or after the alert that opened it: noise cannot keep it alive for ever. */
export const longestCaseMs = 3 * dayMs;

export const openingRules = {
  severe: { id: 'severe', sentence: 'it is severe by itself', from: criticalityOf.high },
  sequence: {
    id: 'sequence',
    sentence: 'tactics in the order of an attack on one device or user within 6 hours',
    kinds: ['device', 'user'] as const,
    windowMs: 6 * hourMs,
    from: criticalityOf.low,
    tactics: 3,
    rules: 3,
    /** So many of its alerts are at least Medium: Informational and Low never open a case. */
    mediums: 2,
  },
  rules: {
    id: 'rules',
    sentence: 'several rules on one device or user within 6 hours',
    kinds: ['device', 'user'] as const,
    windowMs: 6 * hourMs,
    from: criticalityOf.medium,
    rules: 4,
  },
  /** What happened just before a case opened, and was not enough for one by itself. */
  leadUp: {
    id: 'lead-up',
    sentence: 'it led up to the case within 2 hours',
    kinds: ['process', 'device', 'user'] as const,
    windowMs: 2 * hourMs,
    from: criticalityOf.medium,
  },
} as const;

/** Somebody who came to a device from another one this long before an alert of lateral movement. */
export const arrivalWindowMs = 30 * minuteMs;

/** How long an alert can matter to those after it: longer than any window, so that what is shared is known as such. */
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

/** Whether an address is somebody's in the world, not one that every network has. Addresses for documents count as such: the demo's are. */
export function isOutside(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !inside[4].check(address, 'ipv4');
  return family === 6 && !inside[6].check(address, 'ipv6');
}

const loopback = /^(?:127\.|0\.|169\.254\.|172\.17\.0\.|::1?$|fe80:)/i;
/** An address that names one machine within its network. */
export const isInsideHost = (address: string): boolean => isIP(address) > 0 && !isOutside(address) && !loopback.test(address);

/** Programs that every machine of a kind has. */
export const isOfTheSystem = (path: string | undefined): boolean =>
  path !== undefined &&
  /^(?:[a-z]:\\(?:windows|program files(?: \(x86\))?)\\|\/(?:usr\/)?s?bin\/|\/(?:usr\/)?lib(?:64)?\/|\/usr\/local\/bin\/|\/snap\/|\/applications\/|\/system\/)/i.test(
    path,
  );

/** Long values are kept as their hash: they must fit an index. */
export function bounded(value: string): string {
  if (Buffer.byteLength(value) <= 300) return value;
  return `#${createHash('sha256').update(value).digest('hex')}`;
}

export const keyOf = ({ kind, value }: Entity): string => `${kind} ${value}`;
