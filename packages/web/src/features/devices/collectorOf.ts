/** What collects on a device, by what its events say of it, and where that is configured. */
import type { ConfigKind } from '@parapet/contract/collectors.ts';
import type { Device } from '@parapet/contract/devices.ts';

export interface CollectorOf {
  kind: 'agent' | 'beat' | 'syslog' | 'unknown';
  /** For people: "Winlogbeat 8.17.1". */
  title: string;
  /** The page of its configuration; null where the portal keeps none. */
  config: ConfigKind | null;
}

const beats: readonly string[] = ['filebeat', 'winlogbeat', 'auditbeat', 'packetbeat'] satisfies ConfigKind[];
const bySyslog: readonly string[] = ['server', 'workstation', 'networkDevice'] satisfies Device['deviceType'][];

export function collectorOf({
  agentUpdateVersion: version,
  deviceType,
  hasAgent,
}: Pick<Device, 'agentUpdateVersion' | 'deviceType' | 'hasAgent'>): CollectorOf {
  const name = version?.split(' ')[0]?.toLowerCase() ?? '';
  if (hasAgent || name === 'mdr-agent')
    return { kind: 'agent', title: `Agent ${version?.split(' ')[1] ?? ''}`.trim(), config: null };
  if (/beat$/.test(name)) {
    const title = name.charAt(0).toUpperCase() + (version ?? '').slice(1);
    return { kind: 'beat', title, config: beats.includes(name) ? (name as ConfigKind) : null };
  }
  if (version === null && bySyslog.includes(deviceType)) return { kind: 'syslog', title: 'Syslog', config: 'rsyslog' };
  return { kind: 'unknown', title: version ?? 'Not known', config: null };
}
