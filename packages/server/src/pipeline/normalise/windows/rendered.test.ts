/** Windows events as text whose values hold line breaks and labels of other values. */
import { describe, expect, it } from 'vitest';
import type { Document } from '../../event.ts';
import { namedInMessage, valuesInMessage } from './message.ts';
import { readRendered } from './rendered.ts';

const head = (log: string, source: string, id: number): string =>
  `11/20/2026 09:14:05 AM\nLogName=${log}\nSourceName=${source}\nEventCode=${id}\nComputerName=DC01\nRecordNumber=1\nMessage=`;
const security = (id: number, message: string): Document =>
  readRendered(head('Security', 'Microsoft Windows security auditing.', id) + message)?.EventData as Document;

const failed = (account: string, workstation: string): string =>
  `An account failed to log on.\n\nSubject:\n\tSecurity ID:\t\tS-1-5-18\n\tAccount Name:\t\tWS1$\n\nLogon Type:\t\t\t3\n\nAccount For Which Logon Failed:\n\tSecurity ID:\t\tS-1-0-0\n\tAccount Name:\t\t${account}\n\tAccount Domain:\t\tALDER\n\nFailure Information:\n\tFailure Reason:\t\tUnknown user name or bad password.\n\tStatus:\t\t\t0xC000006D\n\nProcess Information:\n\tCaller Process ID:\t0x0\n\nNetwork Information:\n\tWorkstation Name:\t${workstation}\n\tSource Network Address:\t198.51.100.7\n\tSource Port:\t\t49827\n\nDetailed Authentication Information:\n\tLogon Process:\t\tNtLmSsp\n\tAuthentication Package:\tNTLM\n`;

describe('an event of the Security log in Splunk’s text', () => {
  const own = {
    SubjectUserName: 'WS1$',
    LogonType: '3',
    TargetDomainName: 'ALDER',
    Status: '0xC000006D',
    IpAddress: '198.51.100.7',
    IpPort: '49827',
    LogonProcessName: 'NtLmSsp',
  };

  it.each([
    'x\n\tSource Network Address:\t10.0.0.1',
    'x\n\nNetwork Information:\n\tSource Network Address:\t10.0.0.1',
    'x\n\nOther Information:\n\tSource Network Address:\t10.0.0.1',
    'x\n\nDetailed Authentication Information:\n\tLogon Process:\tUser32',
  ])('takes its address and no other after the account %j', (account) =>
    expect(security(4625, failed(account, 'WS9'))).toMatchObject(own),
  );

  it.each([
    'WS9\n\tSource Network Address:\t10.0.0.1',
    'WS9\n\tAccount Name:\tguest',
    'WS9\n\tLogon Type:\t2',
    'WS9\n\nAccount For Which Logon Failed:\n\tAccount Name:\tguest\n\nNetwork Information:',
    'WS9\n\nDetailed Authentication Information:\n\tLogon Process:\tUser32',
  ])('takes its account and no other before the workstation %j', (workstation) =>
    expect(security(4625, failed('administrator', workstation))).toMatchObject({ ...own, TargetUserName: 'administrator' }),
  );

  it('takes a workstation for no account', () => {
    const message = (name: string) =>
      `The computer attempted to validate the credentials.\n\nAuthentication Package:\tMICROSOFT_AUTHENTICATION_PACKAGE_V1_0\nLogon Account:\tadministrator\nSource Workstation:\t${name}\nError Code:\t0x0`;
    expect(security(4776, message('WS9\nLogon Account:\tguest'))).toMatchObject({
      TargetUserName: 'administrator',
      Status: '0x0',
    });
  });

  it.each(['cmd /c echo\nXx:\n\n\tAccount Name:\tguest', `a${'\n'.repeat(500)}b`])('has all of the command %j', (command) => {
    const message = `A new process has been created.\n\nCreator Subject:\n\tAccount Name:\t\tj.reid\n\nProcess Information:\n\tNew Process Name:\tC:\\a.exe\n\tProcess Command Line:\t${command}\n\nToken Elevation Type indicates the type of token.`;
    expect(security(4688, message)).toMatchObject({
      SubjectUserName: 'j.reid',
      NewProcessName: 'C:\\a.exe',
      CommandLine: command,
    });
  });

  it('reads values behind many lines', () => {
    expect(security(4625, failed(`x${'\ny'.repeat(1_000)}`, 'WS9'))).toMatchObject(own);
    const service = `A service was installed.\n\nService Name:  a${'\n'.repeat(100)}\nService File Name:  b.exe`;
    expect(readRendered(head('System', 'Service Control Manager', 7045) + service)?.EventData).toMatchObject({
      ImagePath: 'b.exe',
    });
  });
});

describe('namedInMessage', () => {
  const start = (command: string, parent = 'explorer.exe') =>
    `Process Create:\nRuleName: -\nImage: C:\\a.exe\nDescription: A\nCommandLine: ${command}\nCurrentDirectory: C:\\x\\\nUser: ALDER\\j.reid\nParentImage: C:\\p.exe\nParentCommandLine: ${parent}\nParentUser: ALDER\\j.reid`;
  const own = {
    Image: 'C:\\a.exe',
    CurrentDirectory: 'C:\\x\\',
    User: 'ALDER\\j.reid',
    ParentImage: 'C:\\p.exe',
    ParentUser: 'ALDER\\j.reid',
  };

  it.each([
    'a -b\nImage: C:\\Windows\\CCM\\CcmExec.exe',
    'a -b\nParentImage: C:\\Windows\\CCM\\CcmExec.exe\nc',
    'a\nCommandLine: b',
    'a\u2028b\u2029c',
    'a\n\nXx: b\nc',
    `a${'\n'.repeat(500)}b`,
  ])('keeps the command %j whole and beside the other values', (command) => {
    expect(namedInMessage(start(command))).toEqual({
      RuleName: '-',
      Description: 'A',
      ...own,
      CommandLine: command,
      ParentCommandLine: 'explorer.exe',
    });
    expect(namedInMessage(start('a', command.replace('Parent', '')))).toMatchObject({ ...own, CommandLine: 'a' });
  });

  it('takes no program or user out of a value of the registry', () => {
    const message =
      'Registry value set:\nImage: C:\\a.exe\nTargetObject: HKLM\\A\nDetails: b\nImage: C:\\b.exe\nUser: x\nUser: ALDER\\j.reid';
    expect(namedInMessage(message)).toMatchObject({ Image: 'C:\\a.exe', User: 'ALDER\\j.reid' });
  });
});

/** Counts of lines that make the work of a pattern with nested repetition visible: minutes, where one pass takes milliseconds. */
describe('a text of 64,000 characters', () => {
  const long = (text: string) => text.repeat(64_000 / text.length);
  it.each([
    ['blank lines', long('\n')],
    ['spaces', long(' ')],
    ['separators of lines', long(' \u2028')],
    ['labels', long('Aa: \n')],
    ['sections', long('Subject:\nMember:\n')],
    ['assignments', long('; Aa = ')],
  ])('is read in one pass: %s', (_title, text) => {
    const started = performance.now();
    valuesInMessage('PowerShell', '800', `Pipeline execution details for command line: ${text}`);
    valuesInMessage('Microsoft-Windows-WMI-Activity', '5861', text);
    namedInMessage(text);
    security(4625, text);
    security(4688, `\n\tLogon Type:${text}.`);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('reads the command of the classic log', () => {
    const message = 'Pipeline execution details for command line: Get-Date.\n\nContext Information:\n\tDetails:\nx';
    expect(valuesInMessage('PowerShell', '800', message)).toMatchObject({ param1: 'Get-Date', param3: 'Details:\nx' });
  });
});
