/** Alert triggers of everyday activity; most turn out to be harmless on triage. */
import type { Scene } from '../events/scene.ts';
import type { DeviceRole } from '../fleet.ts';
import type { Person } from '../people.ts';
import type { Hours } from '../rhythm.ts';
import type { Emitted } from '../types.ts';

/** Scene with an acting user. */
export type Acted = Scene & { person: Person };

export const levels = ['informational', 'low', 'medium', 'high', 'critical'] as const;
export type Level = (typeof levels)[number];

export interface AlertTrigger {
  /** Rule that it triggers: its file in `detections/`, without the extension. */
  rule: string;
  /** Level of the rule, verified by a test. */
  level: Level;
  /** Frequency relative to the others of its level. */
  weight: number;
  roles: readonly DeviceRole[];
  hours?: Hours;
  /** Acting user: the device's owner or any user (default), or an administrator. */
  by?: 'administrator';
  make(scene: Acted): Emitted | Emitted[];
}

/** Devices, hours and acting user of a trigger. */
type Circumstances = Pick<AlertTrigger, 'roles' | 'hours' | 'by'>;

export const trigger = (
  rule: string,
  level: Level,
  weight: number,
  circumstances: Circumstances,
  make: AlertTrigger['make'],
): AlertTrigger => ({ rule, level, weight, ...circumstances, make });

/** Builder of triggers for the rules of one log source, each with one event. */
export const triggersOf =
  <T>(source: string, make: (scene: Acted, what: (scene: Acted) => T) => Emitted) =>
  (circumstances: Circumstances) =>
  (rule: string, level: Level, weight: number, what: (scene: Acted) => T): AlertTrigger =>
    trigger(`${source}/${rule}`, level, weight, circumstances, (scene) => make(scene, what));

/** Share of each level in a site's alert triggers. */
export const levelShares: Record<Level, number> = {
  informational: 0.32,
  low: 0.407,
  medium: 0.246,
  high: 0.023,
  critical: 0.004,
};

export const windowsHosts: readonly DeviceRole[] = [
  'workstation',
  'windowsServer',
  'fileServer',
  'databaseServer',
  'domainController',
];
export const windowsServers: readonly DeviceRole[] = ['windowsServer', 'fileServer', 'databaseServer', 'domainController'];
export const auditedHosts: readonly DeviceRole[] = ['webServer', 'applicationServer', 'cloudMachine', 'developer'];
export const loggedHosts: readonly DeviceRole[] = [...auditedHosts, 'backupServer', 'jumpHost', 'resolver', 'scanner'];
