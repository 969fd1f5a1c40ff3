/** The machines of the range: a Debian with the services that it plays on, as a disk image, unpacked once and kept between runs. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaults } from '@parapet/server/features/collectors/collectors.defaults.ts';
import { fileOf } from '@parapet/server/features/collectors/collectors.file.ts';
import { ownSettings } from '@parapet/server/features/collectors/collectors.own.ts';
import { parse } from 'yaml';
import { agentBundle, buildAgentWhenNeeded } from '../build-agent.ts';
import { hosts, portal, strangersNet, workplacesNet } from './addresses.ts';
import { files, setup } from './image.files.ts';

const packages = [
  ...['linux-image-cloud-amd64', 'initramfs-tools', 'zstd', 'systemd', 'systemd-sysv', 'libpam-systemd', 'dbus', 'udev'],
  ...['nftables', 'iptables', 'iproute2', 'passwd', 'login', 'sudo', 'procps', 'psmisc', 'kmod', 'logrotate', 'apparmor'],
  ...['rsyslog', 'rsyslog-elasticsearch', 'auditd', 'cron', 'at', 'less', 'file', 'bsdextrautils', 'binutils'],
  ...['openssh-server', 'openssh-client', 'sshpass', 'nginx-light', 'php-fpm', 'slapd', 'ldap-utils', 'krb5-user'],
  ...['curl', 'wget', 'ca-certificates', 'socat', 'netcat-openbsd', 'nmap', 'tcpdump', 'dnsutils', 'rsync', 'git'],
  ...['python3', 'perl', 'openssl', 'xz-utils', 'zip'],
];

export interface Image {
  disk: string;
  kernel: string;
  initrd: string;
  /** The unpacked Debian; the stranger works in it. */
  root: string;
}

export function must(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}\n${stdout?.slice(-2000)}`);
  return stdout;
}

/** Mirror of this host’s apt sources. */
function mirror(): string {
  const [uri] = must('apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Origin: Debian', 'Label: Debian').split('\n', 1);
  if (!uri) throw new Error('apt has no source of Debian on this host.');
  return uri;
}

/** Audit rules of the portal’s own configuration of Auditbeat: what a client’s host records by default. */
export function auditRules(): string {
  const { 'auditbeat.modules': modules } = parse(defaults.auditbeat) as {
    'auditbeat.modules': { module: string; audit_rules?: string }[];
  };
  const rules = modules.find(({ module }) => module === 'auditd')?.audit_rules;
  if (!rules) throw new Error('The standard configuration of Auditbeat has no audit rules.');
  return rules;
}

function rsyslogFile(): string {
  return fileOf({
    kind: 'rsyslog',
    yaml: defaults.rsyslog,
    version: 0,
    clientName: 'Range',
    settings: ownSettings.client.parse(parse(defaults.client) ?? {}),
    origin: `http://${portal}:8080`,
    key: 'range:range',
  });
}

const network = (mac: string, address: string) => `[Match]
MACAddress=${mac}
[Network]
Address=${address}/16
DNS=${portal}
LinkLocalAddressing=no
IPv6AcceptRA=no
[Route]
Destination=${strangersNet}
Scope=link
[Route]
Destination=${workplacesNet}
Scope=link
`;

const agentSettings = {
  server: `http://${portal}:8080`,
  agentId: 1,
  key: 'range',
  organisationName: 'Range',
  releaseKey: '',
  authority: '',
  journal: 'auto',
  files: ['/var/log/nginx/access.log'],
  bufferMiB: 64,
};

function install(root: string): void {
  must('debootstrap', '--variant=minbase', 'bookworm', root, mirror());
  const run = (script: string) => must('chroot', root, 'sh', '-ec', `export DEBIAN_FRONTEND=noninteractive LC_ALL=C; ${script}`);
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  writeFileSync(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  must('mount', '-t', 'proc', 'proc', join(root, 'proc'));
  try {
    run(
      "echo 'slapd slapd/password1 password range\nslapd slapd/password2 password range\nslapd slapd/domain string alder.example' | debconf-set-selections",
    );
    run(`apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages.join(' ')}`);
    for (const [path, { text, mode = 0o644 }] of Object.entries(configuration())) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, { mode });
    }
    copyFileSync(agentBundle, join(root, 'opt/mdr-agent/agent.mjs'));
    copyFileSync(process.execPath, join(root, 'opt/mdr-agent/node'));
    run(setup);
  } finally {
    must('umount', join(root, 'proc'));
  }
  rmSync(join(root, 'usr/sbin/policy-rc.d'));
  // Nothing of this host’s sources stays in the machines.
  writeFileSync(join(root, 'etc/apt/sources.list'), '');
  appendFileSync(
    join(root, 'etc/hosts'),
    Object.entries(hosts)
      .map(([name, { address }]) => `${address} ${name}\n`)
      .join(''),
  );
}

function configuration(): Record<string, { text: string; mode?: number }> {
  return {
    ...files,
    'usr/lib/range/runner.py': { text: runnerText() },
    'etc/audit/rules.d/portal.rules': { text: `-D\n-b 65536\n${auditRules()}` },
    'usr/lib/range/90-portal.conf': { text: rsyslogFile() },
    'var/lib/mdr-agent/agent.json': { text: JSON.stringify(agentSettings), mode: 0o600 },
    ...Object.fromEntries(
      Object.entries(hosts).map(([name, { mac, address }]) => [
        `etc/systemd/network/10-${name}.network`,
        { text: network(mac, address) },
      ]),
    ),
  };
}

const runnerText = () => must('cat', fileURLToPath(new URL('runner.py', import.meta.url)));

/** Builds the image unless one of the same parts is kept. */
export async function openImage(): Promise<Image> {
  await buildAgentWhenNeeded();
  const parts = [packages.join(), setup, JSON.stringify(configuration()), process.version];
  const hash = createHash('sha256').update(parts.join('\n')).update(must('cat', agentBundle)).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `parapet-range-${hash}`);
  const root = join(folder, 'root');
  const disk = join(folder, 'disk.ext4');
  if (!existsSync(disk)) {
    console.log('Building the image of the range (two minutes) …');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    install(root);
    must('truncate', '-s', '4G', disk);
    must('mkfs.ext4', '-q', '-F', '-d', root, disk);
  }
  if (lstatSync(folder).uid !== 0) throw new Error(`${folder} belongs to another user. Remove it and run again.`);
  const boot = readdirSync(join(root, 'boot'));
  const named = (start: string) => join(root, 'boot', boot.find((name) => name.startsWith(start))!);
  return { disk, root, kernel: named('vmlinuz'), initrd: named('initrd') };
}
