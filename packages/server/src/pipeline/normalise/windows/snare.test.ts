/** Windows events in lines of syslog, in the shapes of NXLog (to_syslog_bsd, to_syslog_ietf, to_syslog_snare) and Snare's agents. */
import { describe, expect, it } from 'vitest';
import { parseSyslog } from '../../syslog/parse.ts';
import { read } from '../doc.ts';
import { normalise } from '../normalise.ts';

const now = Date.UTC(2026, 10, 20, 12);
const normalised = (line: string) => normalise(parseSyslog(line, now), now);
const read4 = (line: string) => {
  const { shape, deviceName, claimedAt, document } = normalised(line);
  return { shape, deviceName, at: claimedAt === undefined ? undefined : new Date(claimedAt).toISOString(), document };
};

const system =
  "<System><Provider Name='Microsoft-Windows-Security-Auditing' Guid='{54849625-5478-4994-A5BA-3E3B0328C30D}'/><EventID>4625</EventID><Version>0</Version><Level>0</Level><Task>12544</Task><Opcode>0</Opcode><Keywords>0x8010000000000000</Keywords><TimeCreated SystemTime='2026-11-20T11:58:03.123456700Z'/><EventRecordID>229977</EventRecordID><Execution ProcessID='516' ThreadID='3240'/><Channel>Security</Channel><Computer>WS-04.alder.example</Computer><Security/></System>";
const xml = `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>${system}<EventData><Data Name='TargetUserName'>j.reid</Data><Data Name='LogonType'>3</Data><Data Name='IpAddress'>203.0.113.9</Data></EventData></Event>`;

describe('XML in a line of syslog', () => {
  it.each([
    ['to_syslog_bsd', `<13>Nov 20 12:58:03 WS-04 Microsoft-Windows-Security-Auditing[516]: ${xml}`],
    [
      'to_syslog_ietf',
      `<13>1 2026-11-20T11:58:04Z WS-04.alder.example Microsoft-Windows-Security-Auditing 516 - [NXLOG@14506 Keywords="x"] ${xml}`,
    ],
    ['a program with spaces', `<13>Nov 20 12:58:03 ws-04 Service Control Manager[516]: ${xml}\n`],
  ])('is read as its event: %s', (_title, line) => {
    const { shape, deviceName, at, document } = read4(line);
    expect({ shape, at, device: deviceName?.slice(0, 5).toLowerCase() }).toEqual({
      shape: 'evtx',
      at: '2026-11-20T11:58:03.123Z',
      device: 'ws-04',
    });
    expect(document).toMatchObject({
      '@timestamp': '2026-11-20T11:58:03.123Z',
      event: { code: '4625', outcome: 'failure', original: expect.stringContaining('<Event ') },
      source: { ip: '203.0.113.9' },
      winlog: { computer_name: 'WS-04.alder.example', event_data: { TargetUserName: 'j.reid', LogonType: '3' } },
    });
    expect(document.message).toBeUndefined();
  });

  it.each([
    ['of another machine than the header’s', `<13>Nov 20 12:58:03 web01 app[7]: ${xml}`],
    ['of a line without a host', `<13>app[7]: ${xml}`],
    ['that is cut off', `<13>Nov 20 12:58:03 WS-04 app[7]: ${xml.slice(0, -9)}`],
    ['with more behind it', `<13>Nov 20 12:58:03 WS-04 app[7]: ${xml}${xml.replace('4625', '4624')}`],
    ['behind other text', `<13>Nov 20 12:58:03 WS-04 app[7]: user wrote "<b>": ${xml}`],
  ])('stays a line if it is one %s', (_title, line) => {
    const { shape, document } = normalised(line);
    expect({ shape, winlog: document.winlog }).toEqual({ shape: 'syslog', winlog: undefined });
    expect(document.message).toContain('<Event ');
  });

  it('stays a line of a journal, of a file and of Filebeat’s input', () => {
    for (const mark of [{ _TRANSPORT: 'syslog' }, { input: { type: 'tcp' } }, { 'log.file.path': '/var/log/messages' }]) {
      const line = { ...mark, syslogtag: 'app:', hostname: 'WS-04', message: xml };
      expect(normalise(line, now).document.winlog).toBeUndefined();
    }
  });
});

const logon =
  'An account failed to log on.    Subject:   Security ID:  S-1-0-0   Account Name:  -   Account Domain:  -   Logon ID:  0x0    Logon Type:   3    Account For Which Logon Failed:   Security ID:  S-1-0-0   Account Name:  j.reid   Account Domain:  ALDER    Failure Information:   Failure Reason:  Unknown user name or bad password.   Status:   0xC000006D   Sub Status:  0xC000006A    Process Information:   Caller Process ID: 0x0   Caller Process Name: -    Network Information:   Workstation Name: KALI   Source Network Address: 203.0.113.9   Source Port:  51542    Detailed Authentication Information:   Logon Process:  NtLmSsp    Authentication Package: NTLM   Transited Services: -   Package Name (NTLM only): -   Key Length:  0    This event is generated when a logon request fails.';
const fields = (id: number, log: string, provider: string, type: string, message: string, computer = 'WS-04.alder.example') =>
  `MSWinEventLog\t1\t${log}\t1167\tFri Nov 20 12:58:03 2026\t${id}\t${provider}\tN/A\tN/A\t${type}\t${computer}\tLogon\t\t${message}\t733`;
const security = 'Microsoft-Windows-Security-Auditing';
const failed = fields(4625, 'Security', security, 'Failure Audit', logon);

describe('a line in Snare’s form', () => {
  it.each([
    ['a syslog header', `<13>Nov 20 12:58:03 WS-04 ${failed}`, '2026-11-20T12:58:03.000Z'],
    [
      'a header whose host could be a program',
      `<13>Nov 20 12:58:03 WORK ${failed.replace('WS-04.alder.example', 'WORK')}`,
      '2026-11-20T12:58:03.000Z',
    ],
    ['RFC 5424', `<13>1 2026-11-20T11:58:03.97Z WS-04 - - - - ${failed}`, '2026-11-20T11:58:03.970Z'],
    ['no header', `WS-04.alder.example\t${failed}`, '2026-11-20T12:58:03.000Z'],
    ['tabs that rsyslog escaped', `<13>Nov 20 12:58:03 WS-04 ${failed.replaceAll('\t', '#011')}`, '2026-11-20T12:58:03.000Z'],
  ])('is read with its values: %s', (_title, line, time) => {
    const { shape, at, document } = read4(line);
    expect({ shape, at }).toEqual({ shape: 'evtx', at: time });
    expect(document).toMatchObject({
      event: { code: '4625', outcome: 'failure', provider: security },
      source: { ip: '203.0.113.9' },
      user: { name: 'j.reid' },
      winlog: {
        channel: 'Security',
        record_id: '1167',
        event_data: {
          TargetUserName: 'j.reid',
          LogonType: '3',
          SubStatus: '0xC000006A',
          WorkstationName: 'KALI',
          Status: '0xC000006D',
        },
      },
    });
  });

  it('reads services, scripts and Sysmon', () => {
    const dataOf = (line: string) => read(normalised(`<13>Nov 20 12:58:03 WS-04 ${line}`).document, 'winlog.event_data');
    const service =
      'A service was installed in the system.    Service Name:  PSEXESVC  Service File Name:  %SystemRoot%\\PSEXESVC.exe  Service Type:  user mode service  Service Start Type:  demand start  Service Account:  LocalSystem';
    expect(dataOf(fields(7045, 'System', 'Service Control Manager', 'Information', service))).toMatchObject({
      ServiceName: 'PSEXESVC',
      ImagePath: '%SystemRoot%\\PSEXESVC.exe',
      AccountName: 'LocalSystem',
    });
    const script = 'Creating Scriptblock text (1 of 1):  IEX (New-Object Net.WebClient)    ScriptBlock ID: 3a1b  Path:';
    const powershell = 'Microsoft-Windows-PowerShell';
    expect(dataOf(fields(4104, `${powershell}/Operational`, powershell, 'Warning', script))).toMatchObject({
      ScriptBlockText: 'IEX (New-Object Net.WebClient)',
    });
    const process =
      'Process Create:  RuleName: -  UtcTime: 2026-11-20 11:58:03.001  Image: C:\\Windows\\System32\\cmd.exe  CommandLine: cmd /c "echo  User: SYSTEM"  CurrentDirectory: C:\\  User: ALDER\\j.reid  ParentImage: C:\\Windows\\explorer.exe';
    const sysmon = 'Microsoft-Windows-Sysmon';
    expect(dataOf(fields(1, `${sysmon}/Operational`, sysmon, 'Information', process))).toMatchObject({
      Image: 'C:\\Windows\\System32\\cmd.exe',
      User: 'ALDER\\j.reid',
      ParentImage: 'C:\\Windows\\explorer.exe',
    });
  });

  it.each([
    ['another machine than the header’s', `<13>Nov 20 12:58:03 web01 app[7]: ${failed}`],
    ['another machine than the name before it', `DC01\t${failed}`],
    ['too few fields', `<13>Nov 20 12:58:03 WS-04 ${failed.split('\t', 12).join('\t')}`],
    ['an event without a number', `<13>Nov 20 12:58:03 WS-04 ${failed.replace('4625', 'many')}`],
    ['the mark in a sentence', '<13>Nov 20 12:58:03 WS-04 app[7]: sends MSWinEventLog\tfields'],
  ])('stays a line with %s', (_title, line) => {
    const { document } = normalised(line);
    expect(document.winlog).toBeUndefined();
    expect(document.message).toContain('MSWinEventLog');
  });

  it('reads a long run of spaces in time', () => {
    const start = process.cpuUsage().user;
    normalised(
      `<13>Nov 20 12:58:03 WS-04 ${fields(4625, 'Security', security, 'Failure Audit', `${' A '.repeat(30_000)}${' '.repeat(60_000)}`)}`,
    );
    expect(process.cpuUsage().user - start).toBeLessThan(500_000);
  });
});
