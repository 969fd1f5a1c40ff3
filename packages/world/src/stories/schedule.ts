/** Schedule of the stories: fixed offsets before now, so that each timeframe of the portal shows some. */

import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { type Site, siteOf } from '../organisations.ts';
import type { Horizon } from '../plan.ts';
import { randomFor } from '../random.ts';
import { dayOf } from '../rhythm.ts';
import type { Emitted, StoryLabel } from '../types.ts';
import { cloudMining } from './cloudMining.ts';
import { domainController } from './domainController.ts';
import { insider } from './insider.ts';
import { mailCompromise } from './mailCompromise.ts';
import { passwordSpray } from './passwordSpray.ts';
import { ransomware } from './ransomware.ts';
import { scanner } from './scanner.ts';
import type { Ending, Silence, Stage, Story } from './story.ts';

export const stories: readonly Story[] = [
  ransomware,
  mailCompromise,
  passwordSpray,
  insider,
  scanner,
  cloudMining,
  domainController,
];

/** Ending of each story by name. */
export const endingOf = (name: string): Ending => stories.find((story) => story.name === name)!.ending;

interface Place {
  story: Story;
  organisationId: number;
  daysAgo: number;
  /** Local hour of its start. */
  hour: number;
}

/** `[organisation, days ago, local hour]` */
const place = (story: Story, ...where: (readonly [number, number, number])[]): Place[] =>
  where.map(([organisationId, daysAgo, hour]) => ({ story, organisationId, daysAgo, hour }));

/** Recurring job at the same hour, last run three days ago. */
const everyWeeks = (story: Story, organisationId: number, weeks: number, hour: number): Place[] =>
  place(
    story,
    ...Array.from({ length: Math.floor(51 / weeks) }, (_, index) => [organisationId, 3 + index * weeks * 7, hour] as const),
  );

const places: readonly Place[] = [
  ...place(ransomware, [20, 198, 16.5], [11, 74, 10.2], [12, 12, 15.7]),
  ...place(insider, [30, 17, 18.4], [10, 88, 19.1], [12, 205, 18.2]),
  ...place(domainController, [12, 262, 2.4]),
  ...place(
    mailCompromise,
    [10, 9, 10.3],
    [10, 152, 14.1],
    [11, 41, 9.4],
    [12, 120, 11.2],
    [20, 300, 13.5],
    [21, 163, 10.8],
    [30, 26, 15.2],
  ),
  ...place(
    passwordSpray,
    [10, 4, 3.2],
    [10, 47, 2.6],
    [10, 178, 4.4],
    [11, 23, 1.8],
    [11, 142, 3.3],
    [12, 14, 2.1],
    [12, 101, 5.2],
  ),
  ...place(
    passwordSpray,
    [12, 311, 2.9],
    [20, 33, 4.1],
    [20, 233, 3.6],
    [21, 19, 2.2],
    [21, 251, 4.6],
    [30, 8, 1.4],
    [30, 129, 3.9],
  ),
  ...place(cloudMining, [30, 5, 1.3], [30, 95, 3.6], [20, 150, 2.2]),
  ...everyWeeks(scanner, 10, 2, 22.5),
  ...everyWeeks(scanner, 20, 4, 23.2),
];

/** Stories a fixed number of hours before now, regardless of the time of day. */
const recent: readonly { story: Story; organisationId: number; hoursAgo: number }[] = [
  { story: domainController, organisationId: 10, hoursAgo: 45 },
];

export interface ToldStory {
  label: StoryLabel;
  story: Story;
  start: number;
  events: Emitted[];
  silences: Silence[];
}

interface Placed {
  story: Story;
  site: Site;
  start: number;
}

/** Repeats the offsets for a scale, each time some days further back. */
function placedStories({ now, scale }: Horizon): Placed[] {
  const today = dayOf(now);
  const placed: Placed[] = [];
  for (let copy = 0; copy < Math.max(1, Math.round(scale)); copy++)
    for (const { story, organisationId, daysAgo, hour } of places) {
      const site = siteOf(organisationId);
      const day = today - ((daysAgo + copy * 13) % 360) - (copy > 0 && daysAgo < 13 ? 13 : 0);
      const start = day * dayMs + Math.round((hour - site.utcOffsetHours) * 60) * minuteMs;
      placed.push({ story, site, start });
    }
  for (const { story, organisationId, hoursAgo } of recent)
    placed.push({ story, site: siteOf(organisationId), start: now - hoursAgo * hourMs });
  return placed.sort((a, b) => a.start - b.start);
}

let placedFor = '';
let placedByDay = new Map<number, (Placed & { instance: number })[]>();

function placedOn(day: number, horizon: Horizon) {
  const key = `${horizon.seed}/${horizon.now}/${horizon.scale}`;
  if (placedFor !== key) {
    const instances = new Map<string, number>();
    placedByDay = new Map();
    for (const placed of placedStories(horizon)) {
      const instance = (instances.get(placed.story.name) ?? 0) + 1;
      instances.set(placed.story.name, instance);
      const startDay = dayOf(placed.start);
      placedByDay.set(startDay, [...(placedByDay.get(startDay) ?? []), { ...placed, instance }]);
    }
    placedFor = key;
  }
  return placedByDay.get(day) ?? [];
}

/** Stories that begin on that UTC day, rebuilt on each call to keep memory constant. */
export function storiesStartingOn(day: number, horizon: Horizon): ToldStory[] {
  return placedOn(day, horizon).map(({ story, site, start, instance }) => {
    const stage = (): Stage => ({ site, start, random: randomFor(horizon.seed, story.name, instance) });
    return {
      label: { story: story.name, instance, organisationId: site.organisationId },
      story,
      start,
      events: story.build(stage()).sort((a, b) => a.at - b.at),
      silences: story.silences?.(stage()) ?? [],
    };
  });
}
