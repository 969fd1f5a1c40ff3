/** The form of a technique that the range plays, and of what it leaves. */
import type { HostName } from './addresses.ts';

export interface Technique {
  /** Name of the recording. */
  slug: string;
  title: string;
  techniques: string[];
  /** Which tool or command does what, by which facts. */
  how: string;
  /** Least level of at least one alert that an experienced analyst would want. */
  expected: 'low' | 'medium' | 'high' | 'critical';
  host: HostName;
  /** Account whose login shell runs the script; root by default. */
  user?: string;
  /** False: a process without a login, as of a service. */
  isSession?: boolean;
  script?: string;
  /** Script of the stranger, outside the hosts, in the same network. Starts a second before the host's. */
  stranger?: string;
  /** Undoes on the host what later techniques would meet; not recorded. */
  undo?: string;
  /** Longest time of the scripts. */
  seconds?: number;
}
