/**
 * Correlation rules, by the set of an organisation. A joining rule adds an alert to an open case with the same entity near in time; an opening rule
 * creates a case from alerts outside cases. The rule's sentence is stored with each alert of a case.
 */

import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { groupingRules, parameterById, sentenceOf, tacticsOf } from '@parapet/contract/rules/grouping.ts';
import { subnets } from '../../core/subnets.ts';

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
  maxOwn?: number | undefined;
  /** A severe alert that meets a second case so makes one of the two. */
  bridges?: boolean;
}

/** Entity kinds by which rules join; strongest first, and the first rule that finds an open case decides. */
const compared: Readonly<Record<string, { kind: EntityKind; meets?: EntityKind }>> = {
  'process-tree': { kind: 'process' },
  hash: { kind: 'hash' },
  origin: { kind: 'origin', meets: 'host' },
  caller: { kind: 'caller', meets: 'device' },
  reached: { kind: 'device', meets: 'reaches' },
  reaching: { kind: 'reaches', meets: 'device' },
  'origin-near': { kind: 'origin', meets: 'host' },
  source: { kind: 'host', meets: 'origin' },
  address: { kind: 'address' },
  user: { kind: 'user' },
  device: { kind: 'device' },
  outbreak: { kind: 'outbreak' },
  'user-severe': { kind: 'user' },
  'device-severe': { kind: 'device' },
  'user-near': { kind: 'user' },
  'device-near': { kind: 'device' },
};

/** Kinds that are looked up for an entity: its own, and those of earlier alerts that joining rules compare it with. */
export const lookedUpKinds: ReadonlyMap<EntityKind, EntityKind[]> = new Map(
  Object.values(compared).map(({ kind }) => [
    kind,
    [...new Set([kind, ...Object.values(compared).flatMap((rule) => (rule.kind === kind ? (rule.meets ?? kind) : []))])],
  ]),
);

const ofOne = ['device', 'user'] as const;

/** Rules and limits in force for an organisation. */
export type Grouping = ReturnType<typeof groupingOf>;

/** Rules by values that differ from the built-in ones, by parameter. Entities of `common` join nothing. */
export function groupingOf(values: ReadonlyMap<string, number> = new Map(), common: readonly Entity[] = []) {
  const find = (id: string): number | undefined => values.get(id) ?? parameterById.get(id)?.builtIn;
  const get = (id: string): number => find(id)!;
  const longestMs = get('case-length.value') * minuteMs;
  // Earlier alerts are read as far as a case may last.
  const windowOf = (id: string) => Math.min(get(`${id}.windowMinutes`) * minuteMs, longestMs);
  const ruleOf = (id: string) => {
    const windowMs = windowOf(id);
    const rule = groupingRules.find((each) => each.id === id)!;
    return { id, isOn: get(`${id}.isOn`) === 1, sentence: sentenceOf(rule, windowMs / minuteMs), windowMs };
  };
  const isOn = (id: string) => find(id) === 1;
  const joining = Object.entries(compared).map(([id, entities]): JoiningRule & { isOn: boolean } => ({
    ...ruleOf(id),
    ...entities,
    from: find(`${id}.from`) ?? criticalityOf.critical,
    maxParties: find(`${id}.maxParties`) ?? 1,
    maxOwn: find(`${id}.maxOwn`),
    widens: isOn(`${id}.widens`),
    bridges: isOn(`${id}.bridges`),
  }));
  return {
    joining: joining.filter((rule) => rule.isOn),
    opening: {
      severe: { id: 'severe', sentence: 'it is severe on its own', from: get('severe.from') },
      sequence: {
        ...ruleOf('sequence'),
        kinds: ofOne,
        from: get('sequence.from'),
        tactics: get('sequence.tactics'),
        rules: get('sequence.rules'),
        /** Minimum number of steps by alerts of at least Medium: Informational and Low never open a case. */
        mediums: get('sequence.mediums'),
      },
      rules: { ...ruleOf('rules'), kinds: ofOne, from: get('rules.from'), rules: get('rules.rules') },
      aim: {
        ...ruleOf('aim'),
        kinds: ofOne,
        from: get('aim.from'),
        steps: tacticsOf(get('aim.steps')) as readonly string[],
        aims: tacticsOf(get('aim.aims')) as readonly string[],
      },
      /** Alerts just before a case opened that did not open one themselves. */
      leadUp: { ...ruleOf('lead-up'), kinds: ['process', 'device', 'user'] as const, from: get('lead-up.from') },
    },
    limits: {
      /** Severe alerts widen and bridge; weaker ones would let a rollout or a scan join everything. */
      severeFrom: get('severe-from.value'),
      /** Bounds of a case that grows by widening or by becoming one with another. */
      maxCaseAlerts: get('case-alerts.value'),
      maxCaseDevices: get('case-devices.value'),
      /** Maximum distance of a joining alert from the one that opened the case, so that noise cannot extend a case without limit. */
      longestCaseMs: longestMs,
      /** A user of more devices opens nothing by waiting alerts. */
      userSpread: get('user.maxParties'),
      /** A rule that raised alerts for a party on as many days, or for as many parties within hours, opens no case together with others. */
      habits: { days: get('habit-days.value'), fleet: get('fleet.value'), fleetMs: get('fleet.windowMinutes') * minuteMs },
    },
    common: new Set(common.map(keyOf)),
  };
}

export const builtInGrouping: Grouping = groupingOf();
export const { joining: joiningRules, opening: openingRules } = builtInGrouping;

/** Minimum criticality of alerts that are kept for an opening, whatever the set. */
export const waitingFrom = criticalityOf.low;

/** Time before an alert of lateral movement in which a sign-in from another device counts. */
export const arrivalWindowMs = 30 * minuteMs;

/** Retention of sightings: longer than any window and case, so that shared entities are detected. */
export const keptMs = 17 * dayMs;

const isInside = subnets(
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['224.0.0.0', 3],
  ],
  [
    ['::', 8],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
);

/** True for public addresses. Documentation ranges count as public, as the demo uses them. */
export const isOutside = (address: string): boolean => isIP(address) !== 0 && !isInside(address);

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

export function keyOf({ kind, value }: Entity): string {
  return `${kind} ${value}`;
}
