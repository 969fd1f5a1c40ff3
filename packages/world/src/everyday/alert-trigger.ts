/** What an alert-raising happening of everyday life is: most are harmless once looked at, which is what makes an analyst's work. */
import type { Scene } from '../events/scene.ts';
import type { DeviceRole } from '../fleet.ts';
import type { Person } from '../people.ts';
import type { Hours } from '../rhythm.ts';
import type { Emitted } from '../types.ts';

/** A scene in which somebody acts. */
export type Acted = Scene & { person: Person };

export const levels = ['informational', 'low', 'medium', 'high', 'critical'] as const;
export type Level = (typeof levels)[number];

export interface AlertTrigger {
  /** The rule that it is meant to fire: its file in `detections/`, without the ending. */
  rule: string;
  /** The rule's level; a test compares. */
  level: Level;
  /** How often, compared with the others of its level. */
  weight: number;
  roles: readonly DeviceRole[];
  hours?: Hours;
  /** Who does it: the device's owner or anybody (default), or one of the administrators. */
  by?: 'administrator';
  make(scene: Acted): Emitted | Emitted[];
}

/** Share of each level in a site's happenings. */
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
