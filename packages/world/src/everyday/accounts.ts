/** Alert triggers on Windows accounts, services, Defender and logs, in Windows' own channels. */
import { createRemoteThread, imageLoad, processAccess, system32 } from '../events/sysmon.ts';
import {
  defender,
  logon,
  logonFailure,
  machineSubject,
  malwareFound,
  scriptBlock,
  securityEvent,
  serviceInstalled,
  subject,
  systemLogCleared,
} from '../events/windows.ts';
import { minuteMs } from '../rhythm.ts';
import { type Acted, type AlertTrigger, windowsHosts, windowsServers } from './alert-trigger.ts';

const unwanted = [
  'PUA:Win32/InstallCore',
  'PUA:Win32/OpenCandy',
  'Adware:Win32/BrowserAssistant',
  'PUADlManager:Win32/OfferCore',
] as const;
const malware = [
  'Trojan:Script/Wacatac.B!ml',
  'Trojan:Win32/Leonem',
  'TrojanDownloader:O97M/Donoff',
  'Exploit:PDF/CVE-2023-21608',
] as const;

/** Account management events of the domain controller, such as 4720 and 4740. */
const accountEvent = (scene: Acted, eventId: number, title: string, data: Record<string, string>) =>
  securityEvent(scene, { eventId, task: 'User Account Management', title, data });

export const newAccountName = (scene: Acted) =>
  `${scene.random.pick(['temp', 'intern', 'contractor', 'svc-scan', 'training'])}${scene.random.int(10, 99)}`;

export const accountTriggers: readonly AlertTrigger[] = [
  {
    rule: 'windows/user-account-created',
    level: 'informational',
    weight: 11,
    roles: ['domainController'],
    by: 'administrator',
    make: (scene) => {
      const name = newAccountName(scene);
      return accountEvent(scene, 4720, 'A user account was created.', {
        TargetUserName: name,
        TargetDomainName: scene.device.site.windowsDomain,
        TargetSid: scene.person.sid.replace(/\d+$/, String(scene.random.int(2_000, 9_000))),
        ...subject(scene),
        PrivilegeList: '-',
        SamAccountName: name,
        UserPrincipalName: `${name}@${scene.device.site.domain}`,
        OldUacValue: '0x0',
        NewUacValue: '0x15',
      });
    },
  },
  {
    rule: 'windows/account-locked-out',
    level: 'low',
    weight: 34,
    roles: ['domainController'],
    make: (scene) =>
      accountEvent(scene, 4740, 'A user account was locked out.', {
        TargetUserName: scene.person.account,
        TargetDomainName: `${scene.device.site.prefix}-WS-${String(scene.random.int(1, 12)).padStart(3, '0')}`,
        TargetSid: scene.person.sid,
        ...machineSubject(scene.device),
      }),
  },
  {
    rule: 'windows/defender-found-unwanted-software',
    level: 'low',
    weight: 26,
    roles: ['workstation'],
    make: (scene) =>
      malwareFound(scene, {
        name: scene.random.pick(unwanted),
        severity: 'Low',
        category: 'Potentially Unwanted Software',
        path: `C:\\Users\\${scene.person.account}\\Downloads\\free-converter-${scene.random.int(1, 9)}.exe`,
      }),
  },
  {
    rule: 'windows/defender-found-malware',
    level: 'medium',
    weight: 18,
    roles: ['workstation'],
    make: (scene) => {
      const threat = {
        name: scene.random.pick(malware),
        severity: 'Severe',
        category: 'Trojan',
        path: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Microsoft\\Windows\\INetCache\\IE\\${scene.random.hex(8).toUpperCase()}\\document[1].js`,
      };
      return [malwareFound(scene, threat), malwareFound({ ...scene, at: scene.at + 4_000 }, { ...threat, isRemoved: true })];
    },
  },
  {
    rule: 'windows/defender-exclusion-added',
    level: 'medium',
    weight: 8,
    roles: windowsHosts,
    by: 'administrator',
    make: (scene) =>
      defender(scene, {
        eventId: 5007,
        level: 'information',
        title: 'Microsoft Defender Antivirus Configuration has changed.',
        data: {
          'Old Value': '',
          'New Value': `HKLM\\SOFTWARE\\Microsoft\\Windows Defender\\Exclusions\\Paths\\D:\\${scene.random.pick(['ERP', 'Build', 'Database'])} = 0x0`,
        },
      }),
  },
  {
    rule: 'windows/defender-could-not-clean',
    level: 'high',
    weight: 5,
    roles: ['workstation'],
    make: (scene) =>
      defender(scene, {
        eventId: 1118,
        level: 'error',
        title:
          'Microsoft Defender Antivirus has encountered a non-critical error when taking action on malware or other potentially unwanted software.',
        data: {
          'Threat Name': scene.random.pick(malware),
          'Severity Name': 'Severe',
          'Category Name': 'Trojan',
          'Detection User': scene.person.windowsName,
          Path: `file:_D:\\Transfer\\old\\archive-${scene.random.int(1, 9)}.zip`,
          'Action Name': 'Quarantine',
          'Error Code': '0x80508023',
          'Error Description': 'The program could not find the malware and other potentially unwanted software on this device. ',
        },
      }),
  },
  {
    rule: 'windows/defender-protection-off',
    level: 'high',
    weight: 6,
    roles: ['workstation'],
    make: (scene) =>
      defender(scene, {
        eventId: 5001,
        level: 'information',
        title:
          'Microsoft Defender Antivirus Real-time Protection scanning for malware and other potentially unwanted software was disabled.',
        data: {},
      }),
  },
  {
    rule: 'windows/kerberoasting',
    level: 'medium',
    weight: 14,
    roles: ['domainController'],
    make: (scene) =>
      securityEvent(scene, {
        eventId: 4769,
        task: 'Kerberos Service Ticket Operations',
        title: 'A Kerberos service ticket was requested.',
        data: serviceTicket(scene, scene.random.pick(['svc-print', 'svc-sql', 'svc-erp']), '0x17'),
      }),
  },
  {
    rule: 'windows/many-failed-logons',
    level: 'medium',
    weight: 5,
    roles: windowsServers,
    make: (scene) => {
      const from = `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`;
      return Array.from({ length: 16 }, (_, index) => logonFailure({ ...scene, at: scene.at + index * 9_000 }, { from }));
    },
  },
  {
    rule: 'windows/system-log-cleared',
    level: 'medium',
    weight: 4,
    roles: windowsHosts,
    by: 'administrator',
    make: (scene) => systemLogCleared(scene, scene.random.pick(['Application', 'Setup', 'Windows PowerShell'])),
  },
  {
    rule: 'windows/remote-execution-service-installed',
    level: 'medium',
    weight: 9,
    roles: windowsHosts,
    by: 'administrator',
    make: (scene) => serviceInstalled(scene, { name: 'PSEXESVC', path: '%SystemRoot%\\PSEXESVC.exe' }),
  },
  {
    rule: 'windows/suspicious-service-installed',
    level: 'high',
    weight: 3,
    roles: windowsServers,
    by: 'administrator',
    make: (scene) =>
      serviceInstalled(scene, { name: 'erp-watchdog', path: '%COMSPEC% /c powershell.exe -File D:\\ERP\\watchdog.ps1' }),
  },
  {
    rule: 'windows/privileged-group-member-added',
    level: 'high',
    weight: 9,
    roles: ['domainController'],
    by: 'administrator',
    make: (scene) =>
      securityEvent(scene, {
        eventId: 4732,
        task: 'Security Group Management',
        title: 'A member was added to a security-enabled local group.',
        data: {
          MemberName: `CN=${scene.person.firstName} ${scene.person.lastName},OU=Staff,DC=${scene.device.site.domain.replace('.', ',DC=')}`,
          MemberSid: scene.person.sid,
          TargetUserName: 'Administrators',
          TargetDomainName: 'Builtin',
          TargetSid: 'S-1-5-32-544',
          ...subject(scene),
          PrivilegeList: '-',
        },
      }),
  },
  {
    rule: 'windows/remote-desktop-from-internet',
    level: 'high',
    weight: 4,
    roles: ['windowsServer', 'workstation'],
    make: (scene) => logon(scene, { type: 10, from: `203.0.113.${scene.random.int(150, 250)}`, authentication: 'Negotiate' }),
  },
  {
    rule: 'windows/lsass-opened-for-reading',
    level: 'high',
    weight: 6,
    roles: windowsHosts,
    by: 'administrator',
    make: (scene) =>
      processAccess(scene, { image: 'C:\\Tools\\Sysinternals\\procexp64.exe', target: `${system32}lsass.exe`, access: '0x1410' }),
  },
  {
    rule: 'windows/powershell-offensive-framework',
    level: 'high',
    weight: 2,
    roles: ['workstation'],
    by: 'administrator',
    make: (scene) =>
      scriptBlock(
        scene,
        'Import-Module .\\audit.psm1; Find-LocalAdminAccess -Verbose | Export-Csv audit.csv',
        'C:\\Audit\\run.ps1',
      ),
  },
  {
    rule: 'windows/powershell-assembly-in-memory',
    level: 'high',
    weight: 3,
    roles: windowsHosts,
    by: 'administrator',
    make: (scene) =>
      scriptBlock(
        scene,
        '$b=[Convert]::FromBase64String((Get-Content .\\vendor.b64)); [System.Reflection.Assembly]::Load($b); [Vendor.Setup]::Run()',
        'D:\\ERP\\install.ps1',
      ),
  },
  {
    rule: 'windows/system-library-side-loaded',
    level: 'high',
    weight: 3,
    roles: ['workstation'],
    make: (scene) =>
      imageLoad(scene, {
        image: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Programs\\viewer\\viewer.exe`,
        library: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Programs\\viewer\\version.dll`,
      }),
  },
  {
    rule: 'windows/remote-thread-in-system-process',
    level: 'high',
    weight: 2,
    roles: ['workstation'],
    make: (scene) =>
      createRemoteThread(scene, {
        image: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Programs\\hotkeys\\hotkeys.exe`,
        target: 'C:\\Windows\\explorer.exe',
      }),
  },
  {
    rule: 'windows/brute-force-succeeded',
    level: 'critical',
    weight: 1,
    roles: windowsServers,
    make: (scene) => {
      const from = `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`;
      const failures = Array.from({ length: 16 }, (_, index) =>
        logonFailure({ ...scene, at: scene.at + index * 6_000 }, { from }),
      );
      return [...failures, logon({ ...scene, at: scene.at + 3 * minuteMs }, { from, type: 3 })];
    },
  },
];

/** The data of 4769. */
export function serviceTicket(scene: Acted, service: string, encryption: '0x12' | '0x17'): Record<string, string> {
  return {
    TargetUserName: `${scene.person.account}@${scene.device.site.domain.toUpperCase()}`,
    TargetDomainName: scene.device.site.domain.toUpperCase(),
    ServiceName: service,
    ServiceSid: scene.person.sid.replace(/\d+$/, '1600'),
    TicketOptions: '0x40810000',
    TicketEncryptionType: encryption,
    IpAddress: `::ffff:10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`,
    IpPort: String(scene.random.int(49_152, 65_000)),
    Status: '0x0',
    LogonGuid: `{${scene.random.uuid().toUpperCase()}}`,
    TransmittedServices: '-',
  };
}
