/**
 * Fleets of the clients: devices of all six types with realistic shippers. Some have been silent for days and some run an outdated shipper,
 * so that coverage has findings to show.
 */
import { type Site, siteOf, sites } from './organisations.ts';
import { type Person, peopleAt } from './people.ts';
import { type Random, randomFor } from './random.ts';

export const deviceTypes = ['server', 'workstation', 'networkDevice', 'productivity', 'cloudPlatform', 'cloudApp'] as const;
export type DeviceType = (typeof deviceTypes)[number];

export const shippers = ['winlogbeat', 'auditbeat', 'filebeat', 'packetbeat', 'rsyslog', 'm365', 'entra'] as const;
export type Shipper = (typeof shippers)[number];

export const deviceRoles = [
  'domainController',
  'fileServer',
  'databaseServer',
  'windowsServer',
  'webServer',
  'applicationServer',
  'backupServer',
  'jumpHost',
  'resolver',
  'scanner',
  'cloudMachine',
  'workstation',
  'developer',
  'firewall',
  'switch',
  'router',
  'office',
  'directory',
  'account',
] as const;
export type DeviceRole = (typeof deviceRoles)[number];

export interface Device {
  organisationId: number;
  site: Site;
  /** Name as reported in its events. */
  name: string;
  type: DeviceType;
  role: DeviceRole;
  system: 'windows' | 'linux' | 'appliance' | 'service';
  operatingSystem: string;
  /** Build or kernel, as Beats report it in `host.os.kernel`. */
  kernel: string;
  ip: string;
  mac: string;
  /** Machine id. */
  id: string;
  agentId: string;
  shippers: readonly Shipper[];
  /** Version of its Beats; undefined without any. */
  agentVersion: string | undefined;
  isOutdated: boolean;
  owner: Person | undefined;
  /** Days of silence; undefined while it reports. */
  silentForDays: number | undefined;
}

export const currentBeats = '8.19.2';
const outdatedBeats = ['8.11.4', '8.6.0', '7.17.26'] as const;

interface Kind {
  type: DeviceType;
  system: Device['system'];
  /** Name after the site's prefix; `#` becomes a number. */
  name: string;
  systems: readonly (readonly [name: string, kernel: string])[];
  shippers: readonly Shipper[];
}

const windowsServer = [
  ['Windows Server 2022 Standard', '10.0.20348.2762'],
  ['Windows Server 2019 Standard', '10.0.17763.6414'],
] as const;
const windowsClient = [
  ['Windows 11 Pro', '10.0.22631.4317'],
  ['Windows 11 Pro', '10.0.26100.2033'],
  ['Windows 10 Pro', '10.0.19045.5011'],
] as const;
const debian = [['Debian GNU/Linux 12 (bookworm)', '6.1.0-26-amd64']] as const;
const ubuntu = [
  ['Ubuntu 24.04.1 LTS', '6.8.0-47-generic'],
  ['Ubuntu 22.04.5 LTS', '5.15.0-124-generic'],
] as const;

const kinds: Record<DeviceRole, Kind> = {
  domainController: { type: 'server', system: 'windows', name: 'DC-#', systems: windowsServer, shippers: ['winlogbeat'] },
  fileServer: { type: 'server', system: 'windows', name: 'FS-#', systems: windowsServer, shippers: ['winlogbeat'] },
  databaseServer: { type: 'server', system: 'windows', name: 'SQL-#', systems: windowsServer, shippers: ['winlogbeat'] },
  windowsServer: { type: 'server', system: 'windows', name: 'APP-#', systems: windowsServer, shippers: ['winlogbeat'] },
  webServer: { type: 'server', system: 'linux', name: 'web-#', systems: ubuntu, shippers: ['filebeat', 'auditbeat'] },
  applicationServer: { type: 'server', system: 'linux', name: 'srv-#', systems: ubuntu, shippers: ['auditbeat', 'filebeat'] },
  backupServer: { type: 'server', system: 'linux', name: 'bak-#', systems: debian, shippers: ['rsyslog'] },
  jumpHost: { type: 'server', system: 'linux', name: 'jump-#', systems: debian, shippers: ['rsyslog'] },
  resolver: { type: 'server', system: 'linux', name: 'dns-#', systems: debian, shippers: ['packetbeat', 'rsyslog'] },
  scanner: { type: 'server', system: 'linux', name: 'scan-#', systems: debian, shippers: ['rsyslog'] },
  cloudMachine: { type: 'server', system: 'linux', name: 'vm-#', systems: ubuntu, shippers: ['auditbeat', 'filebeat'] },
  workstation: { type: 'workstation', system: 'windows', name: 'WS-##', systems: windowsClient, shippers: ['winlogbeat'] },
  developer: { type: 'server', system: 'linux', name: 'build-#', systems: ubuntu, shippers: ['auditbeat', 'filebeat'] },
  firewall: {
    type: 'networkDevice',
    system: 'appliance',
    name: 'fw-#',
    systems: [['Edge firewall 7.4', '']],
    shippers: ['rsyslog'],
  },
  switch: {
    type: 'networkDevice',
    system: 'appliance',
    name: 'sw-#',
    systems: [['Core switch 17.9', '']],
    shippers: ['rsyslog'],
  },
  router: { type: 'networkDevice', system: 'appliance', name: 'rtr-#', systems: [['OpenWrt 23.05', '']], shippers: ['rsyslog'] },
  // These three are named by the normaliser and by Filebeat's `name`, not by the site.
  office: {
    type: 'productivity',
    system: 'service',
    name: 'Microsoft 365',
    systems: [['Microsoft 365', '']],
    shippers: ['m365'],
  },
  directory: {
    type: 'cloudApp',
    system: 'service',
    name: 'Microsoft Entra ID',
    systems: [['Microsoft Entra ID', '']],
    shippers: ['entra'],
  },
  account: {
    type: 'cloudPlatform',
    system: 'service',
    name: 'AWS ',
    systems: [['Amazon Web Services', '']],
    shippers: ['filebeat'],
  },
};

type Counts = Partial<Record<DeviceRole, number>>;
const cloud: Counts = { office: 1, directory: 1, account: 1 };

/** Number of devices of each role; Alder has 60, Elm the fewest. */
const counts: Record<number, Counts> = {
  10: {
    ...cloud,
    domainController: 2,
    fileServer: 1,
    databaseServer: 1,
    windowsServer: 2,
    webServer: 2,
    applicationServer: 2,
    backupServer: 1,
    jumpHost: 1,
    resolver: 1,
    scanner: 1,
    workstation: 36,
    developer: 2,
    firewall: 2,
    switch: 2,
    router: 1,
  },
  11: {
    ...cloud,
    domainController: 1,
    fileServer: 1,
    databaseServer: 1,
    webServer: 1,
    workstation: 12,
    firewall: 1,
    router: 1,
  },
  12: {
    ...cloud,
    domainController: 2,
    fileServer: 1,
    databaseServer: 1,
    windowsServer: 1,
    webServer: 1,
    applicationServer: 1,
    jumpHost: 1,
    resolver: 1,
    workstation: 14,
    firewall: 1,
    switch: 1,
  },
  20: {
    ...cloud,
    domainController: 1,
    fileServer: 1,
    windowsServer: 1,
    webServer: 1,
    applicationServer: 2,
    backupServer: 1,
    jumpHost: 1,
    scanner: 1,
    workstation: 12,
    firewall: 1,
    switch: 1,
  },
  21: { ...cloud, domainController: 1, fileServer: 1, workstation: 7, firewall: 1, router: 1 },
  30: {
    ...cloud,
    domainController: 1,
    fileServer: 1,
    applicationServer: 1,
    cloudMachine: 5,
    resolver: 1,
    jumpHost: 1,
    workstation: 8,
    developer: 3,
    firewall: 1,
  },
};

function nameOf(site: Site, kind: Kind, role: DeviceRole, number: number): string {
  if (role === 'account') return `${kind.name}${site.domain.split('.')[0]}-production`;
  const body = kind.name.replace('##', String(number).padStart(3, '0')).replace('#', String(number).padStart(2, '0'));
  if (kind.system === 'service') return body;
  return kind.system === 'windows' ? `${site.prefix}-${body}` : `${site.prefix.toLowerCase()}-${body}`;
}

/** Addresses by the role's index: 10.n.1.x servers, 10.n.20.x workstations, 10.n.0.x network. */
function addressOf(site: Site, type: DeviceType, index: number): string {
  const subnet = type === 'server' ? 1 : type === 'workstation' ? 20 : 0;
  return `10.${site.network}.${subnet}.${10 + index}`;
}

function makeDevice(site: Site, role: DeviceRole, number: number, index: number, random: Random): Device {
  const kind = kinds[role];
  const people = peopleAt(site.organisationId);
  const [operatingSystem, kernel] = kind.systems[number % kind.systems.length]!;
  const hasBeats = kind.shippers.some((shipper) => shipper.endsWith('beat'));
  const isOutdated = hasBeats && random.chance(0.13);
  const ownerIndex = role === 'workstation' ? number - 1 : role === 'developer' ? people.length - number : undefined;
  const isSilent = role === 'workstation' && number % 9 === 8;
  return {
    organisationId: site.organisationId,
    site,
    name: nameOf(site, kind, role, number),
    type: kind.type,
    role,
    system: kind.system,
    operatingSystem,
    kernel,
    ip: addressOf(site, kind.type, index),
    mac: `00-16-3E-${random.hex(2)}-${random.hex(2)}-${random.hex(2)}`.toUpperCase(),
    id: random.uuid(),
    agentId: random.uuid(),
    shippers: kind.shippers,
    agentVersion: hasBeats ? (isOutdated ? random.pick(outdatedBeats) : currentBeats) : undefined,
    isOutdated,
    owner: ownerIndex === undefined ? undefined : people[ownerIndex],
    // A silent server that a silence alert should report.
    silentForDays: isSilent ? random.int(3, 75) : role === 'backupServer' && site.organisationId === 20 ? 9 : undefined,
  };
}

function makeFleet(site: Site): Device[] {
  const random = randomFor('fleet', site.organisationId);
  const devices: Device[] = [];
  for (const role of deviceRoles)
    for (let number = 1; number <= (counts[site.organisationId]?.[role] ?? 0); number++)
      devices.push(makeDevice(site, role, number, devices.length, random));
  return devices;
}

const fleets = new Map(sites.map((site) => [site.organisationId, makeFleet(site)]));

/** All devices of one client; none for partners. */
export const fleetOf = (organisationId: number): readonly Device[] => fleets.get(organisationId) ?? [];

/** All devices of the world. */
export const allDevices: readonly Device[] = sites.flatMap((site) => fleetOf(site.organisationId));

/** The client's devices of a role, by number. */
export const devicesWith = (organisationId: number, role: DeviceRole): Device[] =>
  fleetOf(organisationId).filter((device) => device.role === role);

export function deviceNamed(name: string, organisationId?: number): Device {
  const found = allDevices.find(
    (device) => device.name === name && (organisationId ?? device.organisationId) === device.organisationId,
  );
  if (!found) throw new Error(`The world has no device ${name}${organisationId ? ` at ${siteOf(organisationId).domain}` : ''}.`);
  return found;
}
