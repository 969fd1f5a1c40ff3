/**
 * Ongoing attack on the domain controller: a roasted service account, the directory's secrets, a new administrator, and an active
 * beacon. Its last events are minutes before now.
 */

import {
  networkConnect,
  newProcess,
  pipeCreated,
  processAccess,
  processCreate,
  registrySet,
  system32,
  systemUser,
} from '../events/sysmon.ts';
import {
  logon,
  logonFailure,
  scriptBlock,
  securityEvent,
  securityLogCleared,
  serviceInstalled,
  subject,
} from '../events/windows.ts';
import { serviceTicket } from '../everyday/accounts.ts';
import { devicesWith } from '../fleet.ts';
import { type Person, peopleAt } from '../people.ts';
import { createStoryBuilder, type Story } from './story.ts';

const controlAddress = '192.0.2.66';
const cmd = `${system32}cmd.exe`;
const hoursOfBeacons = 42;

export const domainController: Story = {
  name: 'domainController',
  title: 'Domain-controller attack that stays open',
  ending: 'open',
  techniques: [
    'T1110.003',
    'T1558.003',
    'T1021.002',
    'T1543.003',
    'T1003.001',
    'T1003.006',
    'T1003.003',
    'T1098',
    'T1136.002',
    'T1070.001',
    'T1071.001',
  ],
  keyRules: [
    'windows/password-spraying',
    'windows/kerberoasting',
    'windows/directory-replication-by-user',
    'windows/ntds-database-copied',
    'windows/privileged-group-member-added',
    'windows/audit-log-cleared',
  ],
  build(stage) {
    const { site, random } = stage;
    const { at, events } = createStoryBuilder(stage);
    const [controller] = devicesWith(site.organisationId, 'domainController');
    const workstation = devicesWith(site.organisationId, 'workstation')[6]!;
    const people = peopleAt(site.organisationId);
    const foothold = workstation.owner!;
    const domainSid = foothold.sid.replace(/-\d+$/, '');
    const service: Person = {
      ...foothold,
      account: 'svc-erp',
      windowsName: `${site.windowsDomain}\\svc-erp`,
      email: `svc-erp@${site.domain}`,
      sid: `${domainSid}-1603`,
    };
    const beacon = newProcess(random, 'C:\\ProgramData\\Intel\\igfxem.exe', 'C:\\ProgramData\\Intel\\igfxem.exe -k');

    people.slice(5, 19).forEach((person, index) => {
      at(index * 0.4, controller!, person, (scene) =>
        logonFailure(scene, { from: workstation.ip, workstation: workstation.name }),
      );
    });
    at(12, workstation, foothold, (scene) =>
      scriptBlock(
        scene,
        'IEX (Get-Content C:\\ProgramData\\Intel\\pv.txt -Raw); Invoke-Kerberoast -OutputFormat Hashcat | Out-File C:\\ProgramData\\Intel\\k.txt',
      ),
    );
    ['svc-erp', 'svc-print', 'svc-sql'].forEach((name, index) => {
      at(12.5 + index * 0.1, controller!, foothold, (scene) =>
        securityEvent(scene, {
          eventId: 4769,
          task: 'Kerberos Service Ticket Operations',
          title: 'A Kerberos service ticket was requested.',
          data: serviceTicket(scene, name, '0x17'),
        }),
      );
    });
    at(140, controller!, service, (scene) =>
      logon(scene, { type: 3, from: workstation.ip, authentication: 'NTLM', workstation: workstation.name }),
    );
    at(141, controller!, service, (scene) =>
      serviceInstalled(scene, { name: 'gfxhlp', path: '%COMSPEC% /c start C:\\ProgramData\\Intel\\igfxem.exe -k' }),
    );
    at(141.2, controller!, service, (scene) =>
      processCreate(scene, { ...beacon, self: beacon, parentImage: `${system32}services.exe`, user: systemUser }),
    );
    at(141.4, controller!, service, (scene) => pipeCreated(scene, { process: beacon, pipe: '\\msagent_7f', user: systemUser }));
    const commands = ['whoami /priv', 'net group "Enterprise Admins" /domain', 'nltest /domain_trusts /all_trusts'];
    commands.forEach((commandLine, index) => {
      at(143 + index, controller!, service, (scene) =>
        processCreate(scene, {
          image: `${system32}${commandLine.split(' ')[0]}.exe`,
          commandLine,
          parent: beacon,
          user: systemUser,
        }),
      );
    });
    at(150, controller!, service, (scene) =>
      processAccess(scene, { process: beacon, target: `${system32}lsass.exe`, access: '0x1010', user: systemUser }),
    );
    at(151, controller!, service, (scene) =>
      registrySet(scene, {
        process: beacon,
        key: 'HKLM\\System\\CurrentControlSet\\Control\\SecurityProviders\\WDigest\\UseLogonCredential',
        value: 'DWORD (0x00000001)',
        user: systemUser,
      }),
    );
    for (let index = 0; index < 3; index++)
      at(163 + index * 0.2, controller!, service, (scene) =>
        securityEvent(scene, {
          eventId: 4662,
          task: 'Directory Service Access',
          title: 'An operation was performed on an object.',
          data: {
            ...subject(scene),
            ObjectServer: 'DS',
            ObjectType: '%{19195a5b-6da0-11d0-afd3-00c04fd930c9}',
            ObjectName: `%{${random.uuid()}}`,
            OperationType: 'Object Access',
            HandleId: '0x0',
            AccessList: '%%7688\n\t\t\t\t',
            AccessMask: '0x100',
            Properties: '%%7688\n\t\t{1131f6ad-9c07-11d1-f79f-00c04fc2dcd2}\n\t\t{19195a5b-6da0-11d0-afd3-00c04fd930c9}',
          },
        }),
      );
    at(171, controller!, service, (scene) =>
      processCreate(scene, {
        image: `${system32}ntdsutil.exe`,
        commandLine: 'ntdsutil "ac i ntds" "ifm" "create full C:\\ProgramData\\Intel\\g" q q',
        parent: beacon,
        user: systemUser,
      }),
    );
    const account = { ...service, account: 'healthprobe', sid: `${domainSid}-2207` };
    at(184, controller!, service, (scene) =>
      securityEvent(scene, {
        eventId: 4720,
        task: 'User Account Management',
        title: 'A user account was created.',
        data: {
          TargetUserName: account.account,
          TargetDomainName: site.windowsDomain,
          TargetSid: account.sid,
          ...subject(scene),
          PrivilegeList: '-',
          SamAccountName: account.account,
          UserPrincipalName: `${account.account}@${site.domain}`,
          OldUacValue: '0x0',
          NewUacValue: '0x15',
        },
      }),
    );
    at(185, controller!, service, (scene) =>
      securityEvent(scene, {
        eventId: 4728,
        task: 'Security Group Management',
        title: 'A member was added to a security-enabled global group.',
        data: {
          MemberName: `CN=${account.account},CN=Users,DC=${site.domain.replace('.', ',DC=')}`,
          MemberSid: account.sid,
          TargetUserName: 'Domain Admins',
          TargetDomainName: site.windowsDomain,
          TargetSid: `${domainSid}-512`,
          ...subject(scene),
          PrivilegeList: '-',
        },
      }),
    );
    at(186, controller!, service, (scene) => securityLogCleared(scene));
    at(187, controller!, service, (scene) =>
      processCreate(scene, { image: cmd, commandLine: 'cmd.exe /c wevtutil cl System', parent: beacon, user: systemUser }),
    );
    for (let hour = 0; hour < hoursOfBeacons; hour++)
      at(200 + hour * 60 + random.next() * 9, controller!, service, (scene) =>
        networkConnect(scene, { process: beacon, to: controlAddress, port: 443, user: systemUser }),
      );
    return events;
  },
};
