/** What a story is: one real sequence of raw events, told from a moment on, at one client. */
import type { Scene } from '../events/scene.ts';
import type { Device } from '../fleet.ts';
import type { Site } from '../organisations.ts';
import type { Person } from '../people.ts';
import type { Random } from '../random.ts';
import { minuteMs } from '../rhythm.ts';
import type { Emitted } from '../types.ts';

/** How it ends; what the portal makes of it (cases, verdicts) must come to the same. */
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
  /** ATT&CK ids in the order in which they show. */
  techniques: readonly string[];
  /** Files of the rules that must fire, without folder and ending. */
  keyRules: readonly string[];
  tell(stage: Stage): Emitted[];
  /** Devices that send nothing for a while because of the story; asked with a stage of its own, equal to `tell`'s. */
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
  /** `minutes` after the start (fractions are fine) something happens on a device. */
  at(minutes: number, device: Device, person: Person, act: Act): void;
}

export function teller(stage: Stage): StoryBuilder {
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
