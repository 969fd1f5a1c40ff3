/** Story: a realistic sequence of raw events at one client, from a given time on. */
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import type { Scene } from '../events/scene.ts';
import type { Device } from '../fleet.ts';
import type { Site } from '../organisations.ts';
import type { Person } from '../people.ts';
import type { Random } from '../random.ts';
import type { Emitted } from '../types.ts';

/** Ending of a story, which the portal's cases and verdicts must match. */
export type Ending = 'isolated' | 'malicious' | 'benign' | 'falsePositive' | 'open';

export interface Stage {
  site: Site;
  /** Milliseconds since 1970 UTC. */
  start: number;
  random: Random;
}

export interface Story {
  name: string;
  title: string;
  ending: Ending;
  /** ATT&CK IDs in order of appearance. */
  techniques: readonly string[];
  /** Files of the rules that must match, without folder and extension. */
  keyRules: readonly string[];
  build(stage: Stage): Emitted[];
  /** Devices silenced for a while by the story; called with a separate stage equal to `build`'s. */
  silences?(stage: Stage): Silence[];
}

export interface Silence {
  device: Device;
  from: number;
  until: number;
}

/** Adds events `minutes` after the start; fractions are allowed. */
export type AddEvents = (minutes: number, act: (scene: Scene & { person: Person }) => Emitted | Emitted[]) => void;

export interface StoryBuilder {
  events: Emitted[];
  /** Adder of events on a device by a person. */
  on(device: Device, person: Person): AddEvents;
}

export function createStoryBuilder({ start, random }: Stage): StoryBuilder {
  const events: Emitted[] = [];
  return {
    events,
    on: (device, person) => (minutes, act) => {
      const made = act({ device, at: Math.round(start + minutes * minuteMs), random, person });
      events.push(...(Array.isArray(made) ? made : [made]));
    },
  };
}
