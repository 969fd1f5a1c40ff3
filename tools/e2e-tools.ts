/**
 * Installs test dependencies that npm lacks: a browser; on Debian rsyslog with its Elasticsearch output, nftables, journald and
 * rpm for the agent tests, and the tools that boot a Debian VM.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { binOf } from './bin.ts';

const debianChromium = '/usr/bin/chromium';
const rsyslog = '/usr/sbin/rsyslogd';
/** For isolating sandboxed hosts in network namespaces; requires root. */
const nft = '/usr/sbin/nft';
/** For a real journal and package database. Installed, not started. */
const journald = '/lib/systemd/systemd-journald';
const journalRemote = '/lib/systemd/systemd-journal-remote';
const rpmbuild = '/usr/bin/rpmbuild';

function isDebian(): boolean {
  return existsSync('/usr/bin/apt-get');
}

function install(packages: string[], who = 'The journeys'): void {
  if (!isDebian() || process.getuid?.() !== 0) {
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
export const chromiumPath = (): string | undefined => (isExecutable(debianChromium) ? debianChromium : undefined);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function installE2eTools(): Promise<void> {
  const missing: string[] = [];
  if (isDebian()) {
    if (!chromiumPath()) missing.push('chromium');
    if (
      !isExecutable(rsyslog) ||
      !existsSync(`/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/rsyslog/omelasticsearch.so`)
    ) {
      missing.push('rsyslog', 'rsyslog-elasticsearch');
    }
    if (process.getuid?.() === 0 && !isExecutable(nft)) missing.push('nftables');
    if (process.getuid?.() === 0 && !isExecutable('/usr/sbin/ip') && !isExecutable('/sbin/ip')) missing.push('iproute2');
    if (process.getuid?.() === 0 && !isExecutable(journald)) missing.push('systemd');
    if (process.getuid?.() === 0 && !isExecutable(journalRemote)) missing.push('systemd-journal-remote');
    if (process.getuid?.() === 0 && !isExecutable(rpmbuild)) missing.push('rpm');
    if (missing.length > 0) install(missing);
    return;
  }
  if (!isExecutable(rsyslog)) install(['rsyslog', 'rsyslog-elasticsearch']);
  if (!chromiumPath()) {
    console.log('Installing Chromium with Playwright …');
    if (
      spawnSync(process.execPath, [binOf('@playwright/test', 'playwright'), 'install', 'chromium'], { stdio: 'inherit' })
        .status !== 0
    )
      process.exit(1);
  }
}

/** Requirements of the boot tests: root, Debian, and tools to unpack and boot an image. */
export function bringBootTools(): void {
  const no = !isDebian() ? 'this is not Debian' : process.getuid?.() !== 0 ? 'this is not root' : undefined;
  if (no) {
    console.error(`These tests boot a machine, which requires root on Debian; ${no}. No tests were run.`);
    process.exit(1);
  }
  const tools = {
    '/usr/sbin/debootstrap': 'debootstrap',
    '/usr/bin/systemd-nspawn': 'systemd-container',
    '/usr/bin/nsenter': 'util-linux',
    '/sbin/ip': 'iproute2',
  };
  const missing = Object.entries(tools).flatMap(([path, name]) => (isExecutable(path) ? [] : [name]));
  if (missing.length > 0) install(missing, 'The tests on a booted machine');
}
