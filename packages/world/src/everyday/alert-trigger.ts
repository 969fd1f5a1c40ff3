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
