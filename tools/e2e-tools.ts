/**
 * Installs test dependencies that npm lacks: a browser; on Debian rsyslog with its Elasticsearch output, nftables, journald and
 * rpm for the agent tests, and the tools that boot a Debian VM.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { binOf } from './bin.ts';

/** Debian’s browsers, the first preferred: without a window of its own it takes two thirds of the time. */
const debianBrowsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const rsyslog = { files: ['/usr/sbin/rsyslogd'], packages: ['rsyslog', 'rsyslog-elasticsearch'] };
const elasticsearchOutput = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/rsyslog/omelasticsearch.so`;

interface Tool {
  /** Executables, one of which is sufficient. */
  files: string[];
  packages: string[];
}

/** For isolating sandboxed hosts in network namespaces, and for a real journal and package database. Installed, not started. */
const rootTools: Tool[] = [
  { files: ['/usr/sbin/nft'], packages: ['nftables'] },
  { files: ['/usr/sbin/ip', '/sbin/ip'], packages: ['iproute2'] },
  { files: ['/lib/systemd/systemd-journald'], packages: ['systemd'] },
  { files: ['/lib/systemd/systemd-journal-remote'], packages: ['systemd-journal-remote'] },
  { files: ['/usr/bin/rpmbuild'], packages: ['rpm'] },
];
const bootTools: Tool[] = [
  { files: ['/usr/sbin/debootstrap'], packages: ['debootstrap'] },
  { files: ['/usr/bin/systemd-nspawn'], packages: ['systemd-container'] },
  { files: ['/usr/bin/nsenter'], packages: ['util-linux'] },
  { files: ['/sbin/ip'], packages: ['iproute2'] },
];

const rangeTools: Tool[] = [
  ...bootTools,
  { files: ['/usr/bin/qemu-system-x86_64'], packages: ['qemu-system-x86'] },
  { files: ['/usr/sbin/mkfs.ext4', '/sbin/mkfs.ext4'], packages: ['e2fsprogs'] },
];

const isRoot = () => process.getuid?.() === 0;
const missingOf = (tools: Tool[]) => tools.filter(({ files }) => !files.some(isExecutable)).flatMap(({ packages }) => packages);

function isDebian(): boolean {
  return existsSync('/usr/bin/apt-get');
}

function install(packages: string[], who = 'The journeys'): void {
  if (packages.length === 0) return;
  if (!isDebian() || !isRoot()) {
    console.error(
      `${who} need ${packages.join(', ')}. Install them (Debian: apt-get install -y ${packages.join(' ')}, as root) and run again.`,
    );
    process.exit(1);
  }
  console.log(`Installing ${packages.join(', ')} …`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  const { status } = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  if (status !== 0) {
    console.error(`apt-get could not install ${packages.join(', ')}; see above.`);
    process.exit(1);
  }
}

/** Browser executable, or undefined for Playwright's own. */
export const chromiumPath = (): string | undefined => debianBrowsers.find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function installE2eTools(): Promise<void> {
  if (isDebian()) {
    const browser = { files: debianBrowsers.slice(0, 1), packages: ['chromium-headless-shell'] };
    const logs = existsSync(elasticsearchOutput) ? rsyslog : { ...rsyslog, files: [] };
    return install(missingOf([browser, logs, ...(isRoot() ? rootTools : [])]));
  }
  install(missingOf([rsyslog]));
  if (chromiumPath()) return;
  console.log('Installing Chromium with Playwright …');
  const words = [binOf('@playwright/test', 'playwright'), 'install', 'chromium'];
  if (spawnSync(process.execPath, words, { stdio: 'inherit' }).status !== 0) process.exit(1);
}

/** Requirements of the boot tests: root, Debian, and tools to unpack and boot an image. */
export function bringBootTools(): void {
  bring(bootTools, 'The tests on a booted machine');
}

/** Requirements of the range: those of the boot tests, and virtual machines. */
export function bringRangeTools(): void {
  bring(rangeTools, 'The machines of the range');
}

function bring(tools: Tool[], who: string): void {
  const no = !isDebian() ? 'this is not Debian' : isRoot() ? undefined : 'this is not root';
  if (no) {
    console.error(`${who} require root on Debian; ${no}. Nothing was run.`);
    process.exit(1);
  }
  install(missingOf(tools), who);
}
