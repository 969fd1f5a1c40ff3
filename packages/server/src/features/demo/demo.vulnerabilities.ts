/** Packages of the demo’s Linux machines, uploaded as a monthly CycloneDX scan: some machines are patched soon, some late, some never. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { allDevices, type Device } from '@parapet/world/fleet.ts';
import { randomFor } from '@parapet/world/random.ts';
import type { movableClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { dateOf } from '../../domain/ranges.ts';
import { demoAdvisories, demoEpss, demoExploited, weaknesses } from './demo.weaknesses.ts';

export interface DemoVulnerabilities {
  db: Database;
  /** Clock of the two functions below. */
  clock: ReturnType<typeof movableClock>;
  importOwn: (kind: 'osv' | 'epss' | 'kev', text: string) => Promise<unknown>;
  scanOwn: (organisationId: number, deviceId: string, text: string) => Promise<unknown>;
}

const scanDays = [150, 120, 90, 60, 45, 30, 14, 7, 1];
/** Packages without known vulnerabilities, as in real scans. */
const harmless = ['bash', 'coreutils', 'grep', 'sed', 'findutils', 'gawk', 'hostname', 'ncurses', 'passwd', 'readline'];

/** Role-specific packages of servers. */
const roles: Record<string, readonly string[]> = {
  webServer: ['apache2', 'nghttp2', 'express', 'ws', 'next', 'follow-redirects', 'lodash'],
  applicationServer: [
    'org.apache.logging.log4j:log4j-core',
    'org.springframework:spring-beans',
    'org.apache.commons:commons-text',
    'org.yaml:snakeyaml',
    'jinja2',
    'gunicorn',
    'werkzeug',
    'requests',
  ],
  developer: [
    'git',
    'lodash',
    'minimist',
    'axios',
    'express',
    'ws',
    'requests',
    'jinja2',
    'pillow',
    'aiohttp',
    'libwebp',
    'libvpx',
    'ghostscript',
  ],
  cloudMachine: ['nghttp2', 'requests', 'aiohttp', 'axios'],
  resolver: ['bind9'],
  scanner: ['ghostscript', 'libwebp', 'cups-filters'],
  backupServer: ['rsync', 'expat'],
  jumpHost: ['rsync', 'needrestart'],
};
const everywhere = ['openssh', 'glibc', 'curl', 'openssl', 'sudo', 'linux', 'expat', 'util-linux', 'zlib', 'needrestart', 'git'];

const systemOf = ({ operatingSystem }: Device): string =>
  operatingSystem.startsWith('Debian')
    ? 'Debian:12'
    : operatingSystem.includes('22.04')
      ? 'Ubuntu:22.04:LTS'
      : 'Ubuntu:24.04:LTS';

interface Installed {
  ecosystem: string;
  name: string;
  before: string;
  /** Patch level that fixes everything in the table. */
  after: string;
  /** Days since the last patch; 0 for never. */
  patchedDaysAgo: number;
}

/** Later lines of a package include more fixes, in the order of the table. */
function installedOn(device: Device, seed: number): Installed[] {
  const random = randomFor('packages', device.organisationId, device.name, seed);
  const wanted = new Set([...everywhere, ...(roles[device.role] ?? [])]);
  const system = systemOf(device);
  const installed = new Map<string, Installed>();
  for (const [, , , , , fixes] of weaknesses)
    for (const [ecosystem, name, before, fixed] of fixes) {
      if (!wanted.has(name) || (ecosystem.includes(':') && ecosystem !== system)) continue;
      const known = installed.get(name);
      if (known) known.after = fixed ?? known.after;
      else
        installed.set(name, {
          ecosystem,
          name,
          before,
          after: fixed ?? before,
          patchedDaysAgo: random.chance(0.55) ? random.int(2, 140) : random.chance(0.4) ? 400 : 0,
        });
    }
  return [...installed.values()];
}

function purlOf({ ecosystem, name }: Installed, version: string): string {
  const of = encodeURIComponent(version);
  if (ecosystem === 'Maven') return `pkg:maven/${name.replace(':', '/')}@${of}`;
  if (ecosystem === 'npm' || ecosystem === 'PyPI') return `pkg:${ecosystem.toLowerCase()}/${name}@${of}`;
  const [family = '', release = ''] = ecosystem.toLowerCase().split(':');
  return `pkg:deb/${family}/${name}@${of}?distro=${family}-${release}`;
}

function documentOf(device: Device, installed: readonly Installed[], daysAgo: number): string {
  const system = systemOf(device);
  const all = [
    ...installed.map((each) => purlOf(each, each.patchedDaysAgo >= daysAgo ? each.after : each.before)),
    ...harmless.map((name) => purlOf({ ecosystem: system, name } as Installed, '1.0-1')),
  ];
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    components: all.map((purl) => ({ type: 'library', name: purl, purl })),
  });
}

export async function insertVulnerabilities(
  { db, clock, importOwn, scanOwn }: DemoVulnerabilities,
  now: number,
  seed: number,
): Promise<void> {
  await importOwn('osv', demoAdvisories());
  await importOwn('epss', demoEpss(dateOf(now - dayMs)));
  await importOwn('kev', demoExploited());
  const known = await scoped(db, 'system', (tx) =>
    tx.selectFrom('devices').select(['id', 'organisation_id', 'name']).where('merged_into', 'is', null).execute(),
  );
  const ids = new Map(known.map(({ id, organisation_id, name }) => [`${organisation_id} ${name}`, id]));
  const machines = allDevices.flatMap((device) => {
    const id = device.system === 'linux' ? ids.get(`${device.organisationId} ${device.name}`) : undefined;
    return id === undefined ? [] : [{ id, device, installed: installedOn(device, seed) }];
  });
  for (const daysAgo of scanDays) {
    clock.moveTo(now - daysAgo * dayMs);
    const lanes = Map.groupBy(machines, ({ device }) => device.organisationId);
    await Promise.all(
      [...lanes].map(async ([organisationId, some]) => {
        for (const { id, device, installed } of some) await scanOwn(organisationId, id, documentOf(device, installed, daysAgo));
      }),
    );
  }
}
