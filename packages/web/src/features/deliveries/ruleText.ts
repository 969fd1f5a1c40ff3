/** Routing rules as sentences, and as the values of their form. */
import { allClients } from '@parapet/contract/access.ts';
import type { DeliveryRule, DeliveryRuleInput, QuietTime } from '@parapet/contract/deliveries.ts';
import { caseStatuses, verdicts } from '@parapet/contract/rules/cases.ts';
import {
  type DeliveryEvent,
  deliveryEvents,
  digestMinutes,
  escalatedEvents,
  eventLabel,
} from '@parapet/contract/rules/deliveries.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';
import { severities } from '@parapet/contract/rules/values.ts';

type Hours = NonNullable<DeliveryRuleInput['hours']>;
type Severity = DeliveryRuleInput['minSeverity'];

const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const knownDays: Record<string, string> = {
  '1,2,3,4,5,6,7': 'every day',
  '1,2,3,4,5': 'Monday to Friday',
  '6,7': 'Saturday and Sunday',
};
const daysText = (days: readonly number[]): string => {
  const sorted = [...days].sort((a, b) => a - b);
  return knownDays[sorted.join(',')] ?? sorted.map((day) => dayNames[day - 1]).join(', ');
};

/** 490 → "08:10"; 1440 → "24:00". */
export const timeText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

export const hoursText = ({ days, from, to, zone }: Hours): string =>
  `${daysText(days)}, ${timeText(from)} to ${timeText(to)} (${zone})`;
export const quietText = ({ from, to, zone }: QuietTime): string => `${timeText(from)} to ${timeText(to)} (${zone})`;

const statusText = (value: string): string => caseStatuses.find((status) => status.value === value)?.label ?? value;
const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Conditions of a rule besides its events; empty without any. */
export function conditionsOf({
  minSeverity,
  withEvents,
  digestMinutes: minutes,
  verdicts: chosen,
  statuses,
  hours,
  events,
  afterMinutes,
}: DeliveryRule): string[] {
  const isCase = events.some((event) => event.startsWith('case.'));
  const hasSeverity = events.some((event) => /^(case|alert|vulnerability)\./.test(event));
  return [
    ...(hasSeverity && minSeverity !== 'informational' ? [`severity ${minSeverity} or higher`] : []),
    ...(isCase && chosen.length > 0 ? [`verdict ${chosen.join(' or ')}`] : []),
    ...(events.includes('case.statusChanged') && statuses.length > 0 ? [`to ${statuses.map(statusText).join(' or ')}`] : []),
    ...(withEvents && events.includes('alert.raised') ? ['alerts with their events'] : []),
    ...(minutes > 0 ? [`together every ${durationText(minutes)}`] : []),
    ...(hours ? [hoursText(hours)] : []),
    ...(afterMinutes > 0 ? [`after ${afterMinutes} minutes without an acknowledgement`] : []),
  ];
}

export const eventsText = (events: readonly DeliveryEvent[]): string => events.map(eventLabel).join(', ');

/** Levels of escalation in order: “after 15 min → Pager; after 1 h → Jira”. Empty without any. */
export function levelsText({ escalations }: DeliveryRule, targets: readonly { id: number; name: string }[]): string {
  const nameOf = (target: number) => targets.find(({ id }) => id === target)?.name ?? `target ${target}`;
  return escalations.map(({ afterMinutes, targetId }) => `after ${durationText(afterMinutes)} → ${nameOf(targetId)}`).join('; ');
}

/** Clients whose events a rule covers. */
export function coverText(ownerId: number, clients: readonly { id: number; name: string; isPartner: boolean }[]): string {
  const owner = clients.find(({ id }) => id === ownerId);
  if (!owner) return 'All clients of the owner';
  return owner.isPartner ? `All clients of ${owner.name}` : owner.name;
}

/** Names of form fields hold no dots. */
export const fieldOf = (value: string): string => value.replace(/[^a-zA-Z]/g, '_');

export interface RuleValues {
  targetId: number;
  /** 0 for all clients. */
  clientId: number;
  isOn: boolean;
  events: Record<string, boolean>;
  minSeverity: Severity;
  withEvents: boolean;
  digestMinutes: DeliveryRuleInput['digestMinutes'];
  verdicts: Record<string, boolean>;
  statuses: Record<string, boolean>;
  afterMinutes: number;
  escalations: { afterMinutes: number; targetId: number }[];
  schedule: 'always' | 'hours';
  days: string;
  from: number;
  to: number;
  zone: string;
}

const chosenIn = (values: readonly string[]): Record<string, boolean> =>
  Object.fromEntries(values.map((value) => [fieldOf(value), true]));
const choicesOf = <T extends string>(all: readonly T[], chosen: Record<string, boolean>): T[] =>
  all.filter((value) => chosen[fieldOf(value)] === true);

/** Values of a rule's form; a new rule sends new cases, and changes of their status, at all hours. */
export function valuesOf(rule: DeliveryRule | undefined, targetId: number, zone: string): RuleValues {
  const { hours = null } = rule ?? {};
  return {
    targetId: rule?.targetId ?? targetId,
    clientId: rule?.clientId ?? allClients,
    isOn: rule?.isOn ?? true,
    events: chosenIn(rule?.events ?? ['case.opened', 'case.statusChanged']),
    minSeverity: rule?.minSeverity ?? 'high',
    withEvents: rule?.withEvents ?? false,
    digestMinutes: rule?.digestMinutes ?? 0,
    verdicts: chosenIn(rule?.verdicts ?? []),
    statuses: chosenIn(rule?.statuses ?? []),
    afterMinutes: rule?.afterMinutes ?? 0,
    escalations: rule?.escalations ?? [],
    schedule: hours ? 'hours' : 'always',
    days: (hours?.days ?? [1, 2, 3, 4, 5]).join(','),
    from: hours?.from ?? 8 * 60,
    to: hours?.to ?? 18 * 60,
    zone: hours?.zone ?? zone,
  };
}

export const inputOf = (values: RuleValues): DeliveryRuleInput => ({
  targetId: values.targetId,
  clientId: values.clientId === allClients ? null : values.clientId,
  isOn: values.isOn,
  events: choicesOf(
    deliveryEvents.map(({ value }) => value),
    values.events,
  ),
  minSeverity: values.minSeverity,
  digestMinutes: values.digestMinutes,
  withEvents: values.withEvents && values.events[fieldOf('alert.raised')] === true,
  verdicts: choicesOf(verdicts, values.verdicts),
  statuses: choicesOf(
    caseStatuses.map(({ value }) => value),
    values.statuses,
  ),
  afterMinutes: values.afterMinutes,
  escalations: escalatedEvents.some((event) => values.events[fieldOf(event)]) ? values.escalations : [],
  hours:
    values.schedule === 'always'
      ? null
      : { zone: values.zone, days: values.days.split(',').map(Number), from: values.from, to: values.to },
});

/** Choices of the form; days that a rule has from elsewhere are one of them. */
export const dayChoices = (days: string) =>
  [...new Set([...Object.keys(knownDays), days])].map((value) => ({
    value,
    label: capitalised(daysText(value.split(',').map(Number))),
  }));
/** Full hours, and the given minute where it is none. */
export const timeChoices = (first: number, minute: number) =>
  [...new Set([...Array.from({ length: 24 }, (_, hour) => first + hour * 60), minute])]
    .sort((a, b) => a - b)
    .map((value) => ({ value, label: timeText(value) }));
/** Delays of escalations in minutes, with the given one. */
export const delayChoices = (minutes: number) =>
  [...new Set([0, 15, 30, 60, 240, minutes])]
    .sort((a, b) => a - b)
    .map((value) => ({
      value,
      label: value === 0 ? 'At once' : `After ${value} minutes, unless acknowledged`,
    }));
const levelMinutes = [5, 10, 15, 30, 60, 120, 240, 480, 1440];
/** Times of a level, with the given one. */
export const levelChoices = (minutes = 15) =>
  [...new Set([...levelMinutes, minutes])].sort((a, b) => a - b).map((value) => ({ value, label: durationText(value) }));

/** A further level: later than those before it. */
export function nextLevel(levels: readonly { afterMinutes: number }[], afterMinutes: number, targetId: number) {
  const latest = Math.max(afterMinutes, 10, ...levels.map((level) => level.afterMinutes));
  return { afterMinutes: levelMinutes.find((minutes) => minutes > latest) ?? 1440, targetId };
}

export const digestChoices = digestMinutes.map((value) => ({
  value,
  label:
    value === 0
      ? 'Each event at once'
      : value === 1440
        ? 'Together every day at 06:00 UTC'
        : `Together every ${durationText(value)}`,
}));

export const severityChoices = severities.map((value) => ({
  value,
  label: value === 'informational' ? 'All severities' : value === 'critical' ? 'Critical' : `${capitalised(value)} or higher`,
}));
