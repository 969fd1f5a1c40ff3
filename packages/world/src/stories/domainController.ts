/**
 * Ongoing attack on the domain controller: a roasted service account, the directory's secrets, a new administrator, and an active
 * beacon. Its last events are minutes before now.
 */

import {
  networkConnect,
  newProcess,
  type Process,
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
import { type AddEvents, createStoryBuilder, type Stage, type Story } from './story.ts';

const controlAddress = '192.0.2.66';
const folder = 'C:\\ProgramData\\Intel';
const image = `${folder}\\igfxem.exe`;
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
    const { on, events } = createStoryBuilder(stage);
    const actors = cast(stage);
    const { controller, workstation, foothold, service } = actors;
    const beacon = newProcess(random, image, `${image} -k`);
    peopleAt(site.organisationId)
      .slice(5, 19)
      .forEach((person, index) => {
        on(controller, person)(index * 0.4, (scene) =>
          logonFailure(scene, { from: workstation.ip, workstation: workstation.name }),
        );
      });
    roast(on(workstation, foothold), on(controller, foothold));
    const add = on(controller, service);
    takeOver(actors, beacon, add);
    stealSecrets(stage, beacon, add);
    createAdministrator(stage, actors, add);
    add(186, (scene) => securityLogCleared(scene));
    add(187, (scene) =>
      processCreate(scene, {
        image: `${system32}cmd.exe`,
        commandLine: 'cmd.exe /c wevtutil cl System',
        parent: beacon,
        user: systemUser,
      }),
    );
    for (let hour = 0; hour < hoursOfBeacons; hour++)
      add(200 + hour * 60 + random.next() * 9, (scene) =>
        networkConnect(scene, { process: beacon, to: controlAddress, port: 443, user: systemUser }),
      );
    return events;
  },
};

type Cast = ReturnType<typeof cast>;

function cast({ site }: Stage) {
  const workstation = devicesWith(site.organisationId, 'workstation')[6]!;
  const foothold = workstation.owner!;
  const domainSid = foothold.sid.replace(/-\d+$/, '');
  const service: Person = {
    ...foothold,
    account: 'svc-erp',
    windowsName: `${site.windowsDomain}\\svc-erp`,
    email: `svc-erp@${site.domain}`,
    sid: `${domainSid}-1603`,
  };
  return { controller: devicesWith(site.organisationId, 'domainController')[0]!, workstation, foothold, service, domainSid };
}

/** Tickets of service accounts, encrypted weakly enough to be cracked. */
function roast(onWorkstation: AddEvents, onController: AddEvents): void {
  onWorkstation(12, (scene) =>
    scriptBlock(
      scene,
      `IEX (Get-Content ${folder}\\pv.txt -Raw); Invoke-Kerberoast -OutputFormat Hashcat | Out-File ${folder}\\k.txt`,
    ),
  );
  ['svc-erp', 'svc-print', 'svc-sql'].forEach((name, index) => {
    onController(12.5 + index * 0.1, (scene) =>
      securityEvent(scene, {
        eventId: 4769,
        task: 'Kerberos Service Ticket Operations',
        title: 'A Kerberos service ticket was requested.',
        data: serviceTicket(scene, name, '0x17'),
      }),
    );
  });
}

/** Sign-in with the cracked account, a service that starts the beacon, and discovery. */
function takeOver({ workstation }: Cast, beacon: Process, add: AddEvents): void {
  const user = systemUser;
  add(140, (scene) => logon(scene, { type: 3, from: workstation.ip, authentication: 'NTLM', workstation: workstation.name }));
  add(141, (scene) => serviceInstalled(scene, { name: 'gfxhlp', path: `%COMSPEC% /c start ${image} -k` }));
  add(141.2, (scene) => processCreate(scene, { ...beacon, self: beacon, parentImage: `${system32}services.exe`, user }));
  add(141.4, (scene) => pipeCreated(scene, { process: beacon, pipe: '\\msagent_7f', user }));
  const commands = ['whoami /priv', 'net group "Enterprise Admins" /domain', 'nltest /domain_trusts /all_trusts'];
  commands.forEach((commandLine, index) => {
    const program = `${system32}${commandLine.split(' ')[0]}.exe`;
    add(143 + index, (scene) => processCreate(scene, { image: program, commandLine, parent: beacon, user }));
  });
}

/** Passwords from memory, and the directory's secrets by replication and from a copy of its database. */
function stealSecrets({ random }: Stage, beacon: Process, add: AddEvents): void {
  const user = systemUser;
  add(150, (scene) => processAccess(scene, { process: beacon, target: `${system32}lsass.exe`, access: '0x1010', user }));
  const key = 'HKLM\\System\\CurrentControlSet\\Control\\SecurityProviders\\WDigest\\UseLogonCredential';
  add(151, (scene) => registrySet(scene, { process: beacon, key, value: 'DWORD (0x00000001)', user }));
  for (let index = 0; index < 3; index++)
    add(163 + index * 0.2, (scene) =>
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
  add(171, (scene) =>
    processCreate(scene, {
      image: `${system32}ntdsutil.exe`,
      commandLine: `ntdsutil "ac i ntds" "ifm" "create full ${folder}\\g" q q`,
      parent: beacon,
      user,
    }),
  );
}

function createAdministrator({ site }: Stage, { domainSid }: Cast, add: AddEvents): void {
  const [account, sid] = ['healthprobe', `${domainSid}-2207`];
  add(184, (scene) =>
    securityEvent(scene, {
      eventId: 4720,
      task: 'User Account Management',
      title: 'A user account was created.',
      data: {
        TargetUserName: account,
        TargetDomainName: site.windowsDomain,
        TargetSid: sid,
        ...subject(scene),
        PrivilegeList: '-',
        SamAccountName: account,
        UserPrincipalName: `${account}@${site.domain}`,
        OldUacValue: '0x0',
        NewUacValue: '0x15',
      },
    }),
  );
  add(185, (scene) =>
    securityEvent(scene, {
      eventId: 4728,
      task: 'Security Group Management',
      title: 'A member was added to a security-enabled global group.',
      data: {
        MemberName: `CN=${account},CN=Users,DC=${site.domain.replace('.', ',DC=')}`,
        MemberSid: sid,
        TargetUserName: 'Domain Admins',
        TargetDomainName: site.windowsDomain,
        TargetSid: `${domainSid}-512`,
        ...subject(scene),
        PrivilegeList: '-',
      },
    }),
  );
}
