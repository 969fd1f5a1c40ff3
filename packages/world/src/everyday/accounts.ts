/** Alert triggers on Windows accounts, services, Defender and logs, in Windows' own channels. */
import { minuteMs } from '@parapet/contract/rules/duration.ts';
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
import { type Acted, type AlertTrigger, trigger, windowsHosts, windowsServers } from './alert-trigger.ts';

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
  trigger('windows/user-account-created', 'informational', 11, { roles: ['domainController'], by: 'administrator' }, (scene) => {
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
  }),
  trigger('windows/account-locked-out', 'low', 34, { roles: ['domainController'] }, (scene) =>
    accountEvent(scene, 4740, 'A user account was locked out.', {
      TargetUserName: scene.person.account,
      TargetDomainName: `${scene.device.site.prefix}-WS-${String(scene.random.int(1, 12)).padStart(3, '0')}`,
      TargetSid: scene.person.sid,
      ...machineSubject(scene.device),
    }),
  ),
  trigger('windows/defender-found-unwanted-software', 'low', 26, { roles: ['workstation'] }, (scene) =>
    malwareFound(scene, {
      name: scene.random.pick(unwanted),
      severity: 'Low',
      category: 'Potentially Unwanted Software',
      path: `C:\\Users\\${scene.person.account}\\Downloads\\free-converter-${scene.random.int(1, 9)}.exe`,
    }),
  ),
  trigger('windows/defender-found-malware', 'medium', 18, { roles: ['workstation'] }, (scene) => {
    const threat = {
      name: scene.random.pick(malware),
      severity: 'Severe',
      category: 'Trojan',
      path: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Microsoft\\Windows\\INetCache\\IE\\${scene.random.hex(8).toUpperCase()}\\document[1].js`,
    };
    return [malwareFound(scene, threat), malwareFound({ ...scene, at: scene.at + 4_000 }, { ...threat, isRemoved: true })];
  }),
  trigger('windows/defender-exclusion-added', 'medium', 8, { roles: windowsHosts, by: 'administrator' }, (scene) =>
    defender(scene, {
      eventId: 5007,
      level: 'information',
      title: 'Microsoft Defender Antivirus Configuration has changed.',
      data: {
        'Old Value': '',
        'New Value': `HKLM\\SOFTWARE\\Microsoft\\Windows Defender\\Exclusions\\Paths\\D:\\${scene.random.pick(['ERP', 'Build', 'Database'])} = 0x0`,
      },
    }),
  ),
  trigger('windows/defender-could-not-clean', 'high', 5, { roles: ['workstation'] }, (scene) =>
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
  ),
  trigger('windows/defender-protection-off', 'high', 6, { roles: ['workstation'] }, (scene) =>
    defender(scene, {
      eventId: 5001,
      level: 'information',
      title:
        'Microsoft Defender Antivirus Real-time Protection scanning for malware and other potentially unwanted software was disabled.',
      data: {},
    }),
  ),
  trigger('windows/kerberoasting', 'medium', 14, { roles: ['domainController'] }, (scene) =>
    securityEvent(scene, {
      eventId: 4769,
      task: 'Kerberos Service Ticket Operations',
      title: 'A Kerberos service ticket was requested.',
      data: serviceTicket(scene, scene.random.pick(['svc-print', 'svc-sql', 'svc-erp']), '0x17'),
    }),
  ),
  trigger('windows/many-failed-logons', 'medium', 5, { roles: windowsServers }, (scene) => {
    const from = `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`;
    return Array.from({ length: 16 }, (_, index) => logonFailure({ ...scene, at: scene.at + index * 9_000 }, { from }));
  }),
  trigger('windows/system-log-cleared', 'medium', 4, { roles: windowsHosts, by: 'administrator' }, (scene) =>
    systemLogCleared(scene, scene.random.pick(['Application', 'Setup', 'Windows PowerShell'])),
  ),
  trigger('windows/remote-execution-service-installed', 'medium', 9, { roles: windowsHosts, by: 'administrator' }, (scene) =>
    serviceInstalled(scene, { name: 'PSEXESVC', path: '%SystemRoot%\\PSEXESVC.exe' }),
  ),
  trigger('windows/suspicious-service-installed', 'high', 3, { roles: windowsServers, by: 'administrator' }, (scene) =>
    serviceInstalled(scene, { name: 'erp-watchdog', path: '%COMSPEC% /c powershell.exe -File D:\\ERP\\watchdog.ps1' }),
  ),
  trigger('windows/privileged-group-member-added', 'high', 9, { roles: ['domainController'], by: 'administrator' }, (scene) =>
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
  ),
  trigger('windows/remote-desktop-from-internet', 'high', 4, { roles: ['windowsServer', 'workstation'] }, (scene) =>
    logon(scene, { type: 10, from: `203.0.113.${scene.random.int(150, 250)}`, authentication: 'Negotiate' }),
  ),
  trigger('windows/lsass-opened-for-reading', 'high', 6, { roles: windowsHosts, by: 'administrator' }, (scene) =>
    processAccess(scene, { image: 'C:\\Tools\\Sysinternals\\procexp64.exe', target: `${system32}lsass.exe`, access: '0x1410' }),
  ),
  trigger('windows/powershell-offensive-framework', 'high', 2, { roles: ['workstation'], by: 'administrator' }, (scene) =>
    scriptBlock(
      scene,
      'Import-Module .\\audit.psm1; Find-LocalAdminAccess -Verbose | Export-Csv audit.csv',
      'C:\\Audit\\run.ps1',
    ),
  ),
  trigger('windows/powershell-assembly-in-memory', 'high', 3, { roles: windowsHosts, by: 'administrator' }, (scene) =>
    scriptBlock(
      scene,
      '$b=[Convert]::FromBase64String((Get-Content .\\vendor.b64)); [System.Reflection.Assembly]::Load($b); [Vendor.Setup]::Run()',
      'D:\\ERP\\install.ps1',
    ),
  ),
  trigger('windows/system-library-side-loaded', 'high', 3, { roles: ['workstation'] }, (scene) =>
    imageLoad(scene, {
      image: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Programs\\viewer\\viewer.exe`,
      library: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Programs\\viewer\\version.dll`,
    }),
  ),
  trigger('windows/remote-thread-in-system-process', 'high', 2, { roles: ['workstation'] }, (scene) =>
    createRemoteThread(scene, {
      image: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Programs\\hotkeys\\hotkeys.exe`,
      target: 'C:\\Windows\\explorer.exe',
    }),
  ),
  trigger('windows/brute-force-succeeded', 'critical', 1, { roles: windowsServers }, (scene) => {
    const from = `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`;
    const failures = Array.from({ length: 16 }, (_, index) => logonFailure({ ...scene, at: scene.at + index * 6_000 }, { from }));
    return [...failures, logon({ ...scene, at: scene.at + 3 * minuteMs }, { from, type: 3 })];
  }),
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
