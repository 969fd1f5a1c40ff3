/**
 * Plans one day of the world as a list of events. Each day has its own stream of random numbers, so that any day can be generated without
 * the preceding ones, with the same result.
 */
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { backgroundWeight, harmless, signOfLife } from './background.ts';
import { type AlertTrigger, type Level, levelShares, levels } from './everyday/alert-trigger.ts';
import { alertTriggers } from './everyday/alert-triggers.ts';
import { type Device, fleetOf } from './fleet.ts';
import { type Site, sites } from './organisations.ts';
import { peopleAt } from './people.ts';
import { type Random, randomFor } from './random.ts';
import { around, backgroundDays, backgroundPerDay, dayFactor, dayOf, happeningsPerDay, momentOn } from './rhythm.ts';
import type { Emitted } from './types.ts';

export interface Horizon {
  seed: string;
  /** Truncated to the minute. */
  now: number;
  scale: number;
}

const reports = (device: Device, at: number, now: number) =>
  device.silentForDays === undefined || at < now - device.silentForDays * dayMs;

interface Choice {
  trigger: AlertTrigger;
  devices: readonly Device[];
  /** Share in the site's alert triggers. */
  share: number;
}

/** Possible alert triggers of a site with their devices; missing ones leave the shares of the levels unchanged. */
function choicesOf(site: Site): Choice[] {
  const possible = alertTriggers
    .map((trigger) => ({
      trigger,
      devices: fleetOf(site.organisationId).filter((device) => trigger.roles.includes(device.role)),
    }))
    .filter(({ devices }) => devices.length > 0);
  const total = (level: Level) => possible.reduce((sum, { trigger }) => sum + (trigger.level === level ? trigger.weight : 0), 0);
  const totals = new Map(levels.map((level) => [level, total(level)]));
  return possible.map((choice) => ({
    ...choice,
    share: (levelShares[choice.trigger.level] * choice.trigger.weight) / totals.get(choice.trigger.level)!,
  }));
}
const choicesAt = new Map(sites.map((site) => [site.organisationId, choicesOf(site)]));

/** Prefers the first devices of a list, which are the noisy ones. */
const noisy = (devices: readonly Device[], random: Random) => devices[Math.floor(devices.length * random.next() ** 1.6)]!;

/** Plans one alert trigger, or none if its device is silent. */
export function happen(site: Site, random: Random, now: number, momentOf: (trigger: AlertTrigger) => number): Emitted[] {
  const { trigger, devices } = random.weighted(choicesAt.get(site.organisationId)!, (choice) => choice.share);
  const device = noisy(devices, random);
  const at = momentOf(trigger);
  const people = peopleAt(site.organisationId);
  const administrators = people.filter((person) => person.isAdministrator);
  const person = trigger.by === 'administrator' ? random.pick(administrators) : (device.owner ?? random.pick(people));
  if (!reports(device, at, now)) return [];
  const made = trigger.make({ device, at, random, person });
  return Array.isArray(made) ? made : [made];
}

function everydayOn(day: number, site: Site, { seed, now, scale }: Horizon): Emitted[] {
  const random = randomFor(seed, 'everyday', day, site.organisationId);
  const daysAgo = dayOf(now) - day;
  const count = around(happeningsPerDay(daysAgo) * site.share * dayFactor(site, day) * scale, random);
  const events: Emitted[] = [];
  for (let index = 0; index < count; index++)
    events.push(...happen(site, random, now, (trigger) => momentOn(day, site, trigger.hours ?? 'office', random)));
  return events;
}

function backgroundOn(day: number, site: Site, { seed, now, scale }: Horizon): Emitted[] {
  const random = randomFor(seed, 'background', day, site.organisationId);
  const daysAgo = dayOf(now) - day;
  const factor = dayFactor(site, day);
  const devices = fleetOf(site.organisationId);
  const events: Emitted[] = [];
  const add = (device: Device) => {
    const hours = device.type === 'workstation' ? 'office' : random.chance(0.6) ? 'office' : 'any';
    const at = momentOn(day, site, hours, random);
    if (reports(device, at, now)) events.push(harmless(device, at, random));
  };
  if (daysAgo <= backgroundDays)
    for (const device of devices) if (device.type !== 'workstation' || random.chance(factor)) add(device);
  const count = around(backgroundPerDay(daysAgo) * Math.sqrt(site.share) * 0.45 * factor * scale, random);
  for (let index = 0; index < count; index++) add(random.weighted(devices, (device) => backgroundWeight[device.role]));
  return events;
}

/** Events of a UTC day except for stories, unordered; for today only those up to now. */
export function eventsOn(day: number, horizon: Horizon): Emitted[] {
  const events: Emitted[] = [];
  for (const site of sites) {
    events.push(...everydayOn(day, site, horizon));
    events.push(...backgroundOn(day, site, horizon));
  }
  return events;
}

/** Active devices of a UTC day without background events. More were connected over the year. */
export function reportingOn(day: number, organisationId: number, { seed, now }: Horizon): Device[] {
  const daysAgo = dayOf(now) - day;
  if (daysAgo <= backgroundDays) return [];
  const random = randomFor(seed, 'reporting', day, organisationId);
  return fleetOf(organisationId).filter((device, index) => {
    const isOn = random.chance(device.type === 'workstation' ? 0.96 * dayFactor(device.site, day) : 0.995);
    const connectedDaysAgo = 365 - ((index * 97) % 330);
    return isOn && (index % 4 !== 3 || daysAgo <= connectedDaysAgo) && reports(device, day * dayMs, now);
  });
}

/** Signs of life of each reporting device within the last quarter of an hour, so that a fresh demo has no missing ones. */
export function signsOfLife(now: number): Emitted[] {
  const events: Emitted[] = [];
  for (const site of sites)
    for (const device of fleetOf(site.organisationId)) {
      const random = randomFor('sign', device.organisationId, device.name);
      const at = now - random.int(1, 14) * minuteMs - random.int(0, 59_999);
      if (reports(device, at, now)) events.push(signOfLife(device, at));
    }
  return events;
}
