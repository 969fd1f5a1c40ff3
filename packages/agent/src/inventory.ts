/** Host inventory, read from files to keep it cheap; only RPM databases require running rpm. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { arch, cpus, hostname, networkInterfaces, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Inventory } from '@parapet/contract/agentProtocol.ts';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { isLockedOut, readAccounts } from './accounts.ts';
import { readJson, readText, statOf, writeDurably } from './files.ts';
import { agentVersion } from './version.ts';

type Package = Inventory['packages'][number];
const maxPackages = 20_000;
const truncate = (text: string, maxLength = 255) => text.slice(0, maxLength);

export interface Inventories {
  /** Current inventory, at most 15 minutes old. */
  get(): Promise<{ inventory: Inventory; hash: string }>;
}

const cacheMs = 15 * 60_000;

export function createInventories({
  trouble,
  state,
  clock,
  databases = packageDatabases,
}: {
  trouble: (text: string) => void;
  state: string;
  clock: Clock;
  databases?: readonly PackageDatabase[];
}): Inventories {
  const bootedAt = bootTime(readText('/proc/stat'));
  /** Persisted, so that a temporary failure to read packages after a restart does not report them as removed. */
  const file = join(state, 'packages.json');
  let packages = readJson<{ of: string; list: Package[] }>(file);
  let last: { at: number; inventory: Inventory; hash: string } | undefined;

  async function packagesNow(osRelease: Record<string, string>): Promise<Package[]> {
    const sources = databases.filter(({ path }) => existsSync(path));
    // Another agent version may parse the databases differently.
    const of = [agentVersion, ...sources.map(({ path }) => `${path} ${changedAt(path)}`)].join();
    if (packages?.of === of) return packages.list;
    const { list, failed } = await readPackages(sources, ecosystemOf(osRelease));
    // Prefer the previous list over one from another database.
    if (failed && (packages || list.length === 0)) throw failed;
    packages = { of, list };
    await writeDurably(file, JSON.stringify(packages));
    return packages.list;
  }

  return {
    async get() {
      if (last && performance.now() - last.at < cacheMs) return last;
      const osRelease = parseOsRelease(readText('/etc/os-release') || readText('/usr/lib/os-release'));
      const inventory: Inventory = {
        system: {
          hostname: truncate(hostname()),
          os: truncate(osRelease.PRETTY_NAME ?? 'Linux'),
          kernel: truncate(release()),
          architecture: arch(),
          processors: cpus().length,
          memoryBytes: totalmem(),
          bootedAt,
          ...hardwareOf(readText),
        },
        packages: await packagesNow(osRelease).catch((error: Error) => {
          trouble(`Could not read packages: ${error.message}`);
          return packages?.list ?? [];
        }),
        users: readAccounts()
          .slice(0, 5_000)
          .map((account) => ({
            name: truncate(account.name),
            uid: account.uid,
            shell: truncate(account.shell),
            isLocked: isLockedOut(account, clock.now()),
          })),
        addresses: addresses(),
        listening: listening().slice(0, 5_000),
      };
      const hash = createHash('sha256').update(JSON.stringify(inventory)).digest('hex');
      last = { at: performance.now(), inventory, hash };
      return last;
    },
  };
}

const bootTime = (stat: string): string | null => {
  const seconds = Number(/^btime (\d+)$/m.exec(stat)?.[1]);
  return seconds > 0 ? new Date(seconds * 1000).toISOString() : null;
};

export function parseOsRelease(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, key, value] = /^([A-Z_]+)=(.*)$/.exec(line.trim()) ?? [];
    if (key && value !== undefined) values[key] = value.replace(/^(["'])(.*)\1$/, '$2');
  }
  return values;
}

const firmware = '/sys/class/dmi/id';

/** Serial number, readable by root only, and the machine as Amazon's firmware names it. */
export function hardwareOf(read: (path: string) => string): { serial?: string; cloudInstance?: string } {
  const [serial, asset] = ['product_serial', 'board_asset_tag'].map((name) => read(`${firmware}/${name}`).trim().slice(0, 100));
  return { ...(serial && { serial }), ...(asset && /^i-[\da-f]{8,17}$/.test(asset) && { cloudInstance: asset }) };
}

/** Ecosystem name and release of the OSV database. */
export function ecosystemOf({ ID = '', VERSION_ID = '', PRETTY_NAME = '' }: Record<string, string>): string {
  const major = VERSION_ID.split('.')[0];
  switch (ID) {
    case 'debian':
      return `Debian:${major}`;
    case 'ubuntu':
      return `Ubuntu:${VERSION_ID}${/LTS/.test(PRETTY_NAME) ? ':LTS' : ''}`;
    case 'alpine':
      return `Alpine:v${VERSION_ID.split('.').slice(0, 2).join('.')}`;
    case 'rhel':
      return `Red Hat:${major}`;
    case 'rocky':
      return `Rocky Linux:${major}`;
    case 'almalinux':
      return `AlmaLinux:${major}`;
    default:
      return 'other';
  }
}

interface PackageDatabase {
  path: string;
  read(ecosystem: string, path: string): Promise<Package[]>;
}
const packageDatabases: PackageDatabase[] = [
  { path: '/var/lib/dpkg/status', read: async (ecosystem, path) => parseDpkg(readFileSync(path, 'utf8'), ecosystem) },
  { path: '/lib/apk/db/installed', read: async (ecosystem, path) => parseApk(readFileSync(path, 'utf8'), ecosystem) },
  ...['/var/lib/rpm', '/usr/lib/sysimage/rpm'].map((path) => ({ path, read: readRpm })),
];

/**
 * Reads the first database that has packages. A host may have tools of another distribution with an empty or unreadable
 * database.
 */
export async function readPackages(
  databases: readonly PackageDatabase[],
  ecosystem: string,
): Promise<{ list: Package[]; failed: Error | undefined }> {
  let failed: Error | undefined;
  for (const { read, path } of databases) {
    try {
      const list = await read(ecosystem, path);
      if (list.length > 0) return { list: list.slice(0, maxPackages), failed };
    } catch (error) {
      failed ??= error as Error;
    }
  }
  return { list: [], failed };
}

/** Last modification of a package database, in ms. RPM databases are folders whose files are updated in place. */
export function changedAt(path: string): number {
  const names = ['', 'Packages', 'Packages.db', 'rpmdb.sqlite', 'rpmdb.sqlite-wal'];
  return Math.max(...names.map((name) => statOf(join(path, name))?.mtimeMs ?? 0));
}

/** Parses dpkg stanzas of "Key: value" lines; continuation lines begin with a space. */
export function parseDpkg(text: string, ecosystem: string): Package[] {
  return text.split('\n\n').flatMap((stanza) => {
    const field = (name: string) => new RegExp(`^${name}: *(.*)$`, 'm').exec(stanza)?.[1]?.trim();
    const name = field('Package');
    const version = field('Version');
    // Partially installed packages have their files on disk.
    const isInstalled = / (installed|unpacked|half-configured|triggers-awaited|triggers-pending)$/.test(field('Status') ?? '');
    if (!name || !version || !isInstalled) return [];
    const source = field('Source')?.split(' ', 1)[0] ?? name;
    return [{ name: truncate(name), version: truncate(version), ecosystem, source: truncate(source) }];
  });
}

export function parseApk(text: string, ecosystem: string): Package[] {
  return text.split('\n\n').flatMap((stanza) => {
    const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(stanza)?.[1]?.trim();
    const name = field('P');
    const version = field('V');
    if (!name || !version) return [];
    return [{ name: truncate(name), version: truncate(version), ecosystem, source: truncate(field('o') ?? name) }];
  });
}

export async function readRpm(ecosystem: string, path: string, timeout = 60_000): Promise<Package[]> {
  const format = '%{NAME}\\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\t%{SOURCERPM}\\n';
  // Another process's lock can block rpm indefinitely.
  const options = { maxBuffer: 64 * 1024 * 1024, timeout, killSignal: 'SIGKILL' } as const;
  const { stdout } = await promisify(execFile)('rpm', ['--dbpath', path, '-qa', '--queryformat', format], options);
  return parseRpm(stdout, ecosystem);
}

export function parseRpm(text: string, ecosystem: string): Package[] {
  return text.split('\n').flatMap((line) => {
    const [name, version, source = ''] = line.split('\t');
    if (!name || !version || name === 'gpg-pubkey') return [];
    // name-version-release.src.rpm
    const sourceName = /^(.+)-[^-]+-[^-]+\.src\.rpm$/.exec(source)?.[1] ?? name;
    return [{ name: truncate(name), version: truncate(version.replace(/^0:/, '')), ecosystem, source: truncate(sourceName) }];
  });
}

function addresses(): Inventory['addresses'] {
  return Object.entries(networkInterfaces())
    .flatMap(([name, list]) =>
      (list ?? [])
        .filter(({ internal }) => !internal)
        .map(({ address, mac }) => ({ interface: truncate(name), address: address.split('%', 1)[0] as string, mac })),
    )
    .slice(0, 500);
}

/** Listening sockets and their programs. Ephemeral UDP ports are excluded because they change constantly. */
function listening(): Inventory['listening'] {
  const firstEphemeral = Number(readText('/proc/sys/net/ipv4/ip_local_port_range').split(/\s+/)[0] || 32_768);
  const sockets = (['tcp', 'tcp6', 'udp', 'udp6'] as const).flatMap((table) => {
    const protocol = table.startsWith('tcp') ? ('tcp' as const) : ('udp' as const);
    return parseSockets(readText(`/proc/net/${table}`), protocol).filter(
      ({ port }) => protocol === 'tcp' || port < firstEphemeral,
    );
  });
  const programs = programsOf(new Set(sockets.map(({ inode }) => inode)));
  return sockets
    .map(({ inode, ...socket }) => ({ ...socket, process: programs.get(inode) ?? '' }))
    .sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
}

/** Sort key, compared bytewise: locale collation would load megabytes of ICU tables. */
const sortKeyOf = ({ protocol, address, port }: { protocol: string; address: string; port: number }) =>
  `${protocol} ${address} ${port}`;

export function parseSockets(table: string, protocol: 'tcp' | 'udp') {
  // 0A: LISTEN; 07: a UDP socket that is bound and not connected.
  const wanted = protocol === 'tcp' ? '0A' : '07';
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [hex = '', port] = local.split(':');
      return state === wanted ? [{ protocol, address: readAddress(hex), port: Number.parseInt(port ?? '', 16), inode }] : [];
    });
}

/** Decodes 4-byte words in host byte order (little-endian on both supported architectures). */
export function readAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function programsOf(inodes: Set<string>): Map<string, string> {
  const programs = new Map<string, string>();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || programs.size >= inodes.size) continue;
    try {
      for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1];
        if (inode && inodes.has(inode)) programs.set(inode, readText(`/proc/${pid}/comm`).trim());
      }
    } catch {
      // The process ended or is not accessible.
    }
  }
  return programs;
}
