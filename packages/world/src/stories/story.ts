/** Story: a realistic sequence of raw events at one client, from a given time on. */
import type { Scene } from '../events/scene.ts';
import type { Device } from '../fleet.ts';
import type { Site } from '../organisations.ts';
import type { Person } from '../people.ts';
import type { Random } from '../random.ts';
import { minuteMs } from '../rhythm.ts';
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

type Act = (scene: Scene & { person: Person }) => Emitted | Emitted[];

export interface StoryBuilder {
  events: Emitted[];
  /** Adds events on a device `minutes` after the start; fractions are allowed. */
  at(minutes: number, device: Device, person: Person, act: Act): void;
}

export function createStoryBuilder(stage: Stage): StoryBuilder {
  const events: Emitted[] = [];
  return {
    events,
    at(minutes, device, person, act) {
      const at = Math.round(stage.start + minutes * minuteMs);
      const made = act({ device, at, random: stage.random, person });
      if (Array.isArray(made)) events.push(...made);
      else events.push(made);
    },
  };
}
