/** Windows events inside a text or a wrapper. That rules find the same in each form is tested in `detections/forms.test.ts`. */
import { describe, expect, it } from 'vitest';
import type { Document } from '../../event.ts';
import { read } from '../doc.ts';
import { normalise } from '../normalise.ts';
import { readXml } from './xml.ts';

const now = Date.UTC(2026, 10, 20);
const dataOf = (document: Document): unknown => read(normalise(document, now).document, 'winlog.event_data');

describe('readXml', () => {
  it.each([
    ['<a>x</a>', { a: 'x' }],
    ["<?xml version='1.0'?><a b='1' c=\"&lt;2\">x &amp; y</a>", { a: { '@b': '1', '@c': '<2', '#text': 'x & y' } }],
    ['<a><b/><b>2</b><c>3</c></a>', { a: { b: ['', '2'], c: '3' } }],
    ['<a><![CDATA[<b>&amp;]]></a>', { a: '<b>&amp;' }],
    ['<a>&#x41;&#66;&#0;&#xD800;&unknown;</a>', { a: 'AB\ufffd\ufffd&unknown;' }],
    ['<a>1</a><a>2</a>', { a: '1' }],
  ])('reads %s', (xml, expected) => expect(readXml(xml)).toEqual(expected));

  it.each([
    ['an element without an end', '<a><b>'],
    ['elements that cross', '<a><b></a></b>'],
    ['a declaration of entities', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['a tag without an end', '<a'],
    ['too many levels', '<a>'.repeat(40) + '</a>'.repeat(40)],
    ['too many elements', `<a>${'<b/>'.repeat(2_000)}</a>`],
    ['too many attributes', `<a ${'b="1" '.repeat(20_000)}/>`],
    ['no element', 'text'],
  ])('refuses %s', (_title, xml) => expect(readXml(xml)).toBeUndefined());

  it('touches no prototype', () => {
    const node = readXml('<a><__proto__><polluted>1</polluted></__proto__></a>')?.a as Document;
    expect(Object.keys(node)).toEqual(['__proto__']);
    expect(({} as Document).polluted).toBeUndefined();
  });
});

describe('a text with an event', () => {
  const system =
    '<System><Provider Name="Microsoft-Windows-Sysmon"/><EventID>1</EventID><Channel>Microsoft-Windows-Sysmon/Operational</Channel><Computer>WS1</Computer></System>';

  it('keeps the text and reads the rendered message', () => {
    const message = `<Event>${system}<EventData><Data Name="Image">C:\\a.exe</Data></EventData><RenderingInfo Culture="en-US"><Message>Process Create</Message></RenderingInfo></Event>`;
    const { document, deviceName, shape } = normalise(
      { message, host: 'collector', splunk: { sourcetype: 'XmlWinEventLog' } },
      now,
    );
    expect({ deviceName, shape, observer: document.observer, message: document.message }).toEqual({
      deviceName: 'WS1',
      shape: 'evtx',
      observer: { name: 'collector' },
      message: 'Process Create',
    });
    expect(read(document, 'event.original')).toBe(message);
  });

  it.each([
    '<Event>',
    '<Event><System></Event>',
    '<Eventually>no</Eventually>',
    `{"Event": "none"}`,
    '{"EventID": 1, "Channel": ',
  ])('leaves %s as it is', (message) => {
    const { document } = normalise({ message }, now);
    expect({ message: document.message, winlog: document.winlog }).toEqual({ message, winlog: undefined });
  });

  it('leaves XML with more fields than a document may have', () => {
    const data = Array.from({ length: 500 }, (_, at) => `<Data Name="a${at}" Other="b">c</Data>`).join('');
    const message = `<Event>${system}<EventData>${data}</EventData></Event>`;
    const { document } = normalise({ message }, now);
    expect({ message: document.message, winlog: document.winlog }).toEqual({ message, winlog: undefined });
  });

  it('leaves an event of Winlogbeat with its own text', () => {
    const winlog = { channel: 'Security', event_id: '4624', event_data: { TargetUserName: 'j' } };
    expect(dataOf({ winlog, message: `<Event>${system}</Event>` })).toEqual({ TargetUserName: 'j' });
  });
});

describe('a text that passes for an event of another machine', () => {
  const logon = {
    Event: {
      System: {
        Provider: { '@Name': 'Microsoft-Windows-Security-Auditing' },
        EventID: 4624,
        Channel: 'Security',
        Computer: 'DC01',
      },
      EventData: { TargetUserName: 'administrator', IpAddress: '203.0.113.9' },
    },
  };
  const flat = { EventID: 4624, Channel: 'Security', Hostname: 'DC01', TargetUserName: 'administrator' };
  const message = JSON.stringify(logon);
  const xml = '<Event><System><EventID>1</EventID><Channel>Security</Channel><Computer>DC01</Computer></System></Event>';
  const host = { name: 'web01' };

  it.each<[string, Document]>([
    ['Filebeat', { agent: { type: 'filebeat' }, host, message }],
    ['a hit of Filebeat', { _index: 'f', _source: { 'agent.type': 'filebeat', 'host.name': 'web01', message } }],
    ['the journal', { journald: { custom: {} }, host, message }],
    ['the journal of Fluent Bit', { _HOSTNAME: 'web01', message, hostname: 'web01' }],
    ['a file', { 'log.file.path': '/var/log/app.log', host, message: xml }],
    ['syslog', { SYSLOG_IDENTIFIER: 'app', host, message: xml }],
    ['ECS', { 'ecs.version': '8.0.0', host, message }],
  ])('is left as a line of %s', (_title, document) => {
    const { deviceName, shape, document: read } = normalise(structuredClone(document), now);
    expect({ deviceName, winlog: read.winlog }).toEqual({ deviceName: 'web01', winlog: undefined });
    expect(shape).not.toBe('evtx');
  });

  it('leaves an event of Winlogbeat 6 with its own text, also as a hit', () => {
    const own = { event_id: 1, log_name: 'Security', event_data: { A: 'b' }, computer_name: 'WS1', message };
    for (const document of [own, { _index: 'w', _source: own }])
      expect(normalise(structuredClone<Document>(document), now)).toMatchObject({ deviceName: 'WS1', shape: 'winlogbeat' });
  });

  it.each<[string, string, Document]>([
    ['an envelope', JSON.stringify({ ...logon, host: { name: 'DC01' }, agent: { name: 'x' }, event: { original: 'y' } }), {}],
    [
      'flat fields',
      JSON.stringify({ ...flat, 'host.name': 'DC01', host: 'DC01', observer: { name: 'x' }, event: { original: 'y' } }),
      {},
    ],
    ['XML', xml, {}],
    ['an agent alone', message, { host: undefined, agent: { hostname: 'web01' } }],
  ])('keeps the device and the text of a shipper that forwards nothing: %s', (_title, text, more) => {
    const { deviceName, document } = normalise({ message: text, host: { ...host }, ...more }, now);
    expect(deviceName).toBe('web01');
    expect([read(document, 'event.original'), read(document, 'observer.name'), read(document, 'winlog.computer_name')]).toEqual([
      text,
      undefined,
      'DC01',
    ]);
  });

  it('keeps a text beside another original of the shipper', () => {
    const { document } = normalise({ message: xml, event: { original: 'line' } }, now);
    expect([document.message, read(document, 'event.original')]).toEqual([xml, 'line']);
  });
});

describe('an event with a shipper’s own fields', () => {
  it('reads a hit with dotted names', () => {
    const { deviceName, shape } = normalise(
      { _index: 'w', _source: { 'winlog.channel': 'Security', 'winlog.event_id': '4624', 'host.name': 'WS1' } },
      now,
    );
    expect({ deviceName, shape }).toEqual({ deviceName: 'WS1', shape: 'winlogbeat' });
  });

  it.each<[Document, string]>([
    [{ host: { name: 'till 7', hostname: 'WS1' } }, 'till 7'],
    [{ host: { name: 'till 7' }, agent: { hostname: 'ws1' } }, 'till 7'],
    [{ host: { name: 'collector', hostname: 'collector' } }, 'WS1.alder.example'],
  ])('names the device of %j', (shipper, expected) => {
    const winlog = { channel: 'Security', event_id: '4624', computer_name: 'WS1.alder.example' };
    expect(normalise({ winlog, ...structuredClone(shipper) }, now).deviceName).toBe(expected);
  });

  it('reads the provider of Azure’s security events', () => {
    const EventData = '<EventData><Data Name="TargetUserName">j</Data></EventData>';
    const azure = { EventID: 4624, Channel: 'Security', EventSourceName: 'Microsoft-Windows-Security-Auditing', EventData };
    expect(read(normalise(azure, now).document, 'winlog.provider_name')).toBe('Microsoft-Windows-Security-Auditing');
  });

  it('takes data of a user beside an id for Winlogbeat with a log or a provider only', () => {
    const { shape } = normalise({ event_id: 1, user_data: { a: 1 } }, now);
    expect(shape).toBe('unknown');
    expect(normalise({ event_id: 1, user_data: { a: 1 }, source_name: 'x' }, now).shape).toBe('winlogbeat');
  });
});

describe('a wrapper without a readable event', () => {
  it.each([
    { EventId: 1, Channel: 'Security', Payload: '{' },
    { EventID: 1, Channel: 'Security', EventData: '<a>' },
    { EventID: 1, Channel: 'Security', EventData: '{"a":' },
    { data: { win: { system: {} } } },
    { _index: 'x', _source: [] },
  ])('is kept: %j', (document) => expect(normalise(structuredClone<Document>(document), now).document).toMatchObject(document));
});

const head = (log: string, source: string, id: number): string =>
  `11/20/2026 09:14:05 AM\nLogName=${log}\nSourceName=${source}\nEventCode=${id}\nEventType=0\nType=Information\nComputerName=DC01.alder.example\nTaskCategory=Logon\nOpCode=Info\nRecordNumber=4711\nKeywords=Audit Success\nMessage=`;
const auditing = 'Microsoft Windows security auditing.';

describe('an event in Splunk’s text', () => {
  it('reads a logon', () => {
    const message = `${head('Security', auditing, 4624)}An account was successfully logged on.\n\nSubject:\n\tSecurity ID:\t\tS-1-0-0\n\tAccount Name:\t\t-\n\tLogon ID:\t\t0x0\n\nLogon Information:\n\tLogon Type:\t\t3\n\tElevated Token:\t\tYes\n\nNew Logon:\n\tSecurity ID:\t\tS-1-5-21-1-500\n\tAccount Name:\t\tadministrator\n\tAccount Domain:\t\tALDER\n\tLogon ID:\t\t0x8DCDC\n\nNetwork Information:\n\tWorkstation Name:\tWS9\n\tSource Network Address:\t198.51.100.7\n\tSource Port:\t\t49827\n\nDetailed Authentication Information:\n\tLogon Process:\t\tNtLmSsp \n\tAuthentication Package:\tNTLM\n\tPackage Name (NTLM only):\tNTLM V2\n\tKey Length:\t\t128\n`;
    const { document, deviceName, userName } = normalise({ message: message.replaceAll('\n', '\r\n') }, now);
    expect([deviceName, userName, read(document, 'source.ip')]).toEqual([
      'DC01.alder.example',
      'ALDER\\administrator',
      '198.51.100.7',
    ]);
    expect(read(document, 'winlog.event_data')).toMatchObject({
      SubjectUserSid: 'S-1-0-0',
      TargetUserSid: 'S-1-5-21-1-500',
      LogonType: '3',
      LogonProcessName: 'NtLmSsp',
      LmPackageName: 'NTLM V2',
      WorkstationName: 'WS9',
    });
  });

  it('reads values of several lines and of changed accounts', () => {
    const share = `${head('Security', auditing, 5145)}A network share object was checked.\n\t\nSubject:\n\tAccount Name:\t\tj.reid\n\nNetwork Information:\t\n\tObject Type:\t\tFile\n\tSource Address:\t\t198.51.100.7\n\tSource Port:\t\t50000\n\t\nShare Information:\n\tShare Name:\t\t\\\\*\\IPC$\n\tRelative Target Name:\tsvcctl\n\nAccess Request Information:\n\tAccess Mask:\t\t0x3\n\tAccesses:\t\tReadData\n\t\t\t\tWriteData\n`;
    expect(dataOf({ message: share })).toEqual({
      SubjectUserName: 'j.reid',
      ObjectType: 'File',
      IpAddress: '198.51.100.7',
      IpPort: '50000',
      ShareName: '\\\\*\\IPC$',
      RelativeTargetName: 'svcctl',
      AccessMask: '0x3',
      AccessList: 'ReadData\nWriteData',
    });
    const member = `${head('Security', auditing, 4732)}A member was added.\n\nSubject:\n\tAccount Name:\t\tj.reid\n\nMember:\n\tSecurity ID:\t\tALDER\\guest\n\tAccount Name:\t\tCN=guest\n\nGroup:\n\tSecurity ID:\t\tS-1-5-32-544\n\tGroup Name:\t\tAdministrators\n`;
    expect(dataOf({ message: member })).toEqual({
      SubjectUserName: 'j.reid',
      MemberSid: 'ALDER\\guest',
      MemberName: 'CN=guest',
      TargetSid: 'S-1-5-32-544',
      TargetUserName: 'Administrators',
    });
  });

  it.each([
    [
      'System',
      'Microsoft-Windows-Service Control Manager',
      7045,
      'A service was installed in the system.\n\nService Name:  PSEXESVC\nService File Name:  %SystemRoot%\\PSEXESVC.exe\nService Account:  LocalSystem',
      { ServiceName: 'PSEXESVC', ImagePath: '%SystemRoot%\\PSEXESVC.exe', AccountName: 'LocalSystem' },
    ],
    [
      'Microsoft-Windows-PowerShell/Operational',
      'Microsoft-Windows-PowerShell',
      4104,
      'Creating Scriptblock text (1 of 1):\nGet-Date\n-Format o\n\nScriptBlock ID: a1\nPath: ',
      { ScriptBlockText: 'Get-Date\n-Format o' },
    ],
    [
      'Microsoft-Windows-Sysmon/Operational',
      'Microsoft-Windows-Sysmon',
      1,
      'Process Create:\nRuleName: -\nImage: C:\\a.exe\nCommandLine: a.exe -b c',
      { RuleName: '-', Image: 'C:\\a.exe', CommandLine: 'a.exe -b c' },
    ],
  ])('reads %s', (log, source, id, rest, expected) =>
    expect(dataOf({ message: head(log, source, id) + rest })).toEqual(expected),
  );
});
