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

/** Entity kinds that join alerts. `origin`: the internal source address of an event; `host`: an address of the alert's device. */
export type EntityKind = 'process' | 'hash' | 'address' | 'origin' | 'host' | 'user' | 'device';

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
  /** An entity of more devices within two weeks is shared and joins nothing; for cloud services users count instead. */
  maxParties: number;
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
    /** Minimum number of alerts of at least Medium: Informational and Low never open a case. */
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
