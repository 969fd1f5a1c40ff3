/** The form of a technique that the range plays, and of what it leaves. */
import type { HostName } from './addresses.ts';

export interface Technique {
  /** Name of the recording. */
  slug: string;
  title: string;
  techniques: string[];
  /** Tools, commands and facts of the technique. */
  how: string;
  /** Least level of at least one alert that an experienced analyst would want; `none` for administration. */
  expected: 'low' | 'medium' | 'high' | 'critical' | 'none';
  host: HostName;
  /** Account whose login shell runs the script; root by default. */
  user?: string;
  /** False: a process without a login, as of a service. */
  isSession?: boolean;
  /** Preparation on the host, such as invented files; not recorded. */
  prepare?: string;
  script?: string;
  /** Script of the stranger, outside the hosts, in the same network. Starts a second before the host's. */
  stranger?: string;
  /** Undoes on the host what later techniques would meet; not recorded. */
  undo?: string;
  /** Longest time of the scripts. */
  seconds?: number;
}

/** Techniques that play on one host unless they name another. */
export const table = (host: HostName, rows: readonly (Omit<Technique, 'host'> & { host?: HostName })[]): Technique[] =>
  rows.map((row) => ({ host, ...row }));
