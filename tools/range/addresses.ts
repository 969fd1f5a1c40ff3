/** Addresses in the range’s own network; the outer ones are of the ranges reserved for documentation. */
export const portal = '10.20.0.5';
export const strangersNet = '203.0.113.0/24';
export const workplacesNet = '198.51.100.0/24';
/** Source of the techniques. */
export const stranger = '203.0.113.66';
/** Source of administration and visits. */
export const workplace = '198.51.100.20';

export interface HostSetup {
  mac: string;
  address: string;
  /** Units started beside the common ones. */
  units: string[];
}

export const hosts = {
  web01: { mac: '52:54:00:20:01:10', address: '10.20.1.10', units: ['nginx', 'php8.2-fpm', 'mdr-agent'] },
  files01: { mac: '52:54:00:20:01:20', address: '10.20.1.20', units: ['slapd', 'range-rsyslog'] },
} as const satisfies Record<string, HostSetup>;
export type HostName = keyof typeof hosts;
