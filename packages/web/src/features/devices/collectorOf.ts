/** Collector of a device, derived from its events, and the page of its configuration. */
import type { ConfigKind } from '@parapet/contract/collectors.ts';
import type { Device } from '@parapet/contract/devices.ts';

export interface CollectorOf {
  kind: 'agent' | 'beat' | 'syslog' | 'unknown';
  /** Display name, for example "Winlogbeat 8.17.1". */
  title: string;
  /** Kind of its configuration; null without one in the portal. */
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
  return { kind: 'unknown', title: version ?? 'Unknown', config: null };
}
