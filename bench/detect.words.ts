/** Seeded vocabulary of the generated rules and events, with similar shares, lengths and overlaps as real ones. */

import { between, pick, type Random } from '../detections/testing/benign/random.ts';

export const BINARIES = (
  'powershell cmd rundll32 regsvr32 mshta wscript cscript certutil bitsadmin schtasks net net1 reg sc wmic msiexec pwsh whoami nltest ' +
  'taskkill tasklist vssadmin wbadmin bcdedit wevtutil curl ftp robocopy esentutl ntdsutil netsh icacls takeown attrib cmstp installutil ' +
  'msbuild regasm regsvcs odbcconf forfiles hh pcalua control explorer svchost winword excel outlook mmc dllhost wmiprvse werfault ' +
  'bash wsl python ruby perl java node 7z rar winrar procdump psexec psexec64 adfind sharphound rubeus mimikatz nc ncat plink putty ssh scp rclone'
).split(' ');
const WORDS = (
  'invoke expression download string file net webclient iex bypass hidden noprofile encodedcommand frombase64 reflection assembly load ' +
  'delete shadows quiet export import create query start stop config add user localgroup administrators domain trusts enterprise admins ' +
  'lsass dump minidump comsvcs full ntds system sam security save hklm hkcu software microsoft currentversion run policies defender ' +
  'exclusionpath disablerealtime monitoring firewall rule allow dir in out program action remote desktop shadow session inject payload ' +
  'stager beacon tunnel proxy socks reverse connect listen port script block text transform object copy move hidden temp public downloads'
).split(' ');
export const FOLDERS = [
  'C:\\Windows\\System32\\',
  'C:\\Windows\\SysWOW64\\',
  'C:\\Program Files\\',
  'C:\\Users\\Public\\',
  'C:\\ProgramData\\',
  'C:\\Windows\\Temp\\',
];

export const word = (random: Random): string => pick(random, WORDS);
export const rare = (random: Random): string =>
  `${word(random)}${pick(random, ['-', '.', '_', ''])}${word(random)}${between(random, 0, 99)}`;

export const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
