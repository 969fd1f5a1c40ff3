import { describe, expect, test } from 'vitest';
import { classify, newView } from './logsource.ts';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import type { Document } from './source.ts';
import { matchesRule, ruleOf } from './testing.ts';

const SYSMON = 'Microsoft-Windows-Sysmon/Operational';
const evtx = (Channel: string, EventID: unknown, data: Document = {}, rest: Document = {}): Document => ({
  Event: { System: { Channel, EventID, Provider: { '#attributes': { Name: 'P' } }, ...rest }, EventData: data },
});

describe('log source of an event', () => {
  test.each<[string, Document, string | undefined, string | undefined, string | undefined]>([
    ['Sysmon 1', evtx(SYSMON, 1), 'windows', 'sysmon', 'process_creation'],
    [
      'an id with attributes',
      evtx(SYSMON, { '#text': 3, '#attributes': { Qualifiers: 0 } }),
      'windows',
      'sysmon',
      'network_connection',
    ],
    ['Security 4688', evtx('Security', '4688'), 'windows', 'security', 'process_creation'],
    ['Security 4624', evtx('Security', 4624), 'windows', 'security', ''],
    ['another spelling', evtx('SECURITY', 4624), 'windows', 'security', ''],
    ['an unknown channel', evtx('My/Channel', 1), 'windows', '', ''],
    ['PowerShell 4104', evtx('Microsoft-Windows-PowerShell/Operational', 4104), 'windows', 'powershell', 'ps_script'],
    ['PowerShell 7', evtx('PowerShellCore/Operational', 4103), 'windows', 'powershell', 'ps_module'],
    ['classic PowerShell', evtx('Windows PowerShell', 400), 'windows', 'powershell-classic', 'ps_classic_start'],
    ['Sysmon 13', evtx(SYSMON, 13), 'windows', 'sysmon', 'registry_event,registry_set'],
    ['Defender', evtx('Microsoft-Windows-Windows Defender/Operational', 1116), 'windows', 'windefend', 'antivirus'],
    ['unwrapped EVTX', evtx('System', 7045).Event as Document, 'windows', 'system', ''],
    ['Winlogbeat', { winlog: { channel: SYSMON, event_id: '11' } }, 'windows', 'sysmon', 'file_event'],
    ['Winlogbeat with event.code', { winlog: { channel: SYSMON }, event: { code: '22' } }, 'windows', 'sysmon', 'dns_query'],
    ['dotted Winlogbeat', { 'winlog.channel': 'Security', 'event.code': '4688' }, 'windows', 'security', 'process_creation'],
    ['flat', { Channel: SYSMON, EventID: 7 }, 'windows', 'sysmon', 'image_load'],
    ['flat as Splunk has it', { LogName: SYSMON, EventCode: '7' }, 'windows', 'sysmon', 'image_load'],
    ['Velociraptor', { System: { Channel: 'Security', EventID: { Value: 4688 } } }, 'windows', 'security', 'process_creation'],
    ['xml2js', evtx(SYSMON, { _: '7', $: { Qualifiers: '0' } }), 'windows', 'sysmon', 'image_load'],
    [
      'a provider beside its attributes',
      { Event: { System: { EventID: 7, Provider_attributes: { Name: 'Microsoft-Windows-Sysmon' } } } },
      'windows',
      'sysmon',
      'image_load',
    ],
    [
      'a service with two names',
      evtx('Microsoft-ServiceBus-Client/Admin', 40300),
      'windows',
      'servicebus-client,microsoft-servicebus-client',
      '',
    ],
    [
      'flat with its provider only',
      { SourceName: 'Microsoft-Windows-Sysmon', EventID: 8 },
      'windows',
      'sysmon',
      'create_remote_thread',
    ],
    ['Sysmon for Linux', evtx('Linux-Sysmon/Operational', 1), 'linux', 'sysmon', 'process_creation'],
    [
      'a Linux process',
      { event: { category: ['process'], type: ['start'] }, process: { executable: '/bin/sh' } },
      'linux',
      '',
      'process_creation',
    ],
    ['auditd', { event: { module: 'auditd', category: ['process'], action: 'executed' } }, 'linux', 'auditd', 'process_creation'],
    ['sshd', { event: { dataset: 'system.auth' }, process: { name: 'sshd' } }, 'linux', 'auth,sshd,syslog', ''],
    [
      'sudo by syslog',
      { log: { syslog: { facility: { code: 10 } } }, process: { name: 'sudo' } },
      'linux',
      'auth,sudo,syslog',
      '',
    ],
    ['nginx', { event: { dataset: 'nginx.access' } }, 'nginx', 'nginx', 'webserver'],
    ['any web log', { url: { original: '/' }, http: { request: {} } }, undefined, '', 'proxy,webserver'],
    ['dns', { event: { category: 'network' }, dns: { question: {} } }, undefined, '', 'dns,dns_query'],
    ['CloudTrail', { eventVersion: '1', eventSource: 's3.amazonaws.com', userIdentity: {} }, 'aws', 'cloudtrail', ''],
    ['CloudTrail in ECS', { event: { dataset: 'aws.cloudtrail' } }, 'aws', 'cloudtrail', ''],
    ['Entra', { event: { dataset: 'azure.signinlogs' } }, 'azure', 'signinlogs', ''],
    [
      'Microsoft 365',
      { Workload: 'Exchange', Operation: 'New-InboxRule' },
      'm365',
      'audit,exchange,threat_detection,threat_management',
      '',
    ],
    ['Kubernetes', { kind: 'Event', apiVersion: 'audit.k8s.io/v1' }, 'kubernetes', 'audit', 'application'],
    ['what says it itself', { logsource: { product: 'Zeek', service: 'dns' } }, 'zeek', 'dns', ''],
    ['nothing that tells', { CommandLine: 'x' }, undefined, undefined, undefined],
  ])('%s', (_name, document, product, service, category) => {
    const source = classify(document, newView());
    expect([source.products?.join(), source.services?.join(), source.categories?.join()]).toEqual([product, service, category]);
    expect(classify(document, newView())).toBe(source);
  });

  test('selects the rules for an event', () => {
    const text = [
      '{"product":"windows","category":"process_creation"}',
      '{"product":"windows","service":"sysmon"}',
      '{"product":"windows","service":"security"}',
      '{"product":"windows"}',
      '{"category":"process_creation"}',
      '{"product":"linux","category":"process_creation"}',
      '{}',
    ].map(
      (source, index) => `title: r${index}\nlogsource: ${source}\ndetection: {s: {CommandLine|contains: evil}, condition: s}`,
    );
    const matcher = compileRules(loadRules([{ file: 'r.yml', text: text.join('\n---\n') }]).rules);
    const found = (document: Document) =>
      matcher
        .match(document)
        .map(({ title }) => title.slice(1))
        .join('');
    const data = { CommandLine: 'an evil one' };
    expect(found(evtx(SYSMON, 1, data))).toBe('01346');
    expect(found(evtx(SYSMON, 3, data))).toBe('136');
    expect(found(evtx('Security', 4688, data))).toBe('02346');
    expect(found(evtx('Nowhere', 4688, data))).toBe('36');
    expect(found({ event: { category: 'process', type: 'start' }, process: { executable: '/x', args: ['an', 'evil'] } })).toBe(
      '456',
    );
    expect(found(data)).toBe('0123456');
  });
});

describe('field lookup in every shape', () => {
  const cases: [field: string, value: string, document: Document][] = [
    ['Image', 'c:\\x.exe', evtx(SYSMON, 1, { Image: 'C:\\x.exe' })],
    ['Image', 'c:\\x.exe', evtx('Security', 4688, { NewProcessName: 'C:\\x.exe' })],
    ['ParentImage', 'p.exe', evtx('Security', 4688, { ParentProcessName: 'p.exe' })],
    ['User', 'CORP\\al', evtx('Security', 4688, { NewProcessName: 'x', SubjectDomainName: 'CORP', SubjectUserName: 'al' })],
    ['Image', 'c:\\x.exe', { winlog: { channel: SYSMON, event_id: 1 }, process: { executable: 'C:\\x.exe' } }],
    ['Image', 'c:\\x.exe', { 'winlog.channel': SYSMON, 'event.code': '1', 'process.executable': 'C:\\x.exe' }],
    ['Image', 'c:\\x.exe', { process: { executable: 'C:\\x.exe' } }],
    ['ParentImage', 'p', { process: { 'parent.executable': 'p' } }],
    ['process.parent.executable', 'p', { process: { 'parent.executable': 'p' } }],
    ['process.executable', 'x', { process: { executable: 'x' } }],
    ['process.executable', 'x', { 'process.executable': 'x' }],
    [
      'CommandLine',
      'ls -la',
      { event: { category: ['process'], type: ['start'] }, process: { executable: '/bin/ls', args: ['ls', '-la'] } },
    ],
    ['EventID', '4624', evtx('Security', { '#text': '4624' })],
    ['Provider_Name', 'P', evtx('Security', 1)],
    ['Provider_Name', 'Q', evtx('Security', 1, {}, { Provider: { '@Name': 'Q' } })],
    ['Provider_Name', 'Q', { winlog: { channel: 'System', provider_name: 'Q' } }],
    ['Computer', 'PC', evtx('Security', 1, {}, { Computer: 'pc' })],
    [
      'SubjectUserName',
      'al',
      { Event: { System: { Channel: 'Security', EventID: 1102 }, UserData: { LogFileCleared: { SubjectUserName: 'al' } } } },
    ],
    // The cleared log, not the log that records it.
    ['Channel', 'x', { Event: { System: { Channel: 'System', EventID: 104 }, UserData: { LogFileCleared: { Channel: 'x' } } } }],
    ['Channel', 'x', { winlog: { channel: 'System', event_id: 104, user_data: { Channel: 'x' } } }],
    ['Channel', 'System', evtx('System', 7045, { ServiceName: 's' })],
    ['NewValue', 'v', evtx('Microsoft-Windows-Windows Defender/Operational', 5007, { 'New Value': 'v' })],
    ['Data', 'two', evtx('Windows PowerShell', 400, { Data: { '#text': ['one', 'two'] } })],
    ['Data', 'two', evtx('Windows PowerShell', 400, { Data: ['one', 'two'] })],
    ['Data', 'two', { winlog: { channel: 'Windows PowerShell', event_id: 400, event_data: { param1: 'one', param2: 'two' } } }],
    [
      'param2',
      'two',
      { ...evtx('System', 7036, { Data: ['one', 'two'] }), winlog: { event_data: { param1: 'one', param2: 'two' } } },
    ],
    ['Image', 'x', evtx(SYSMON, 1, { Data: [{ '@Name': 'RuleName' }, { '@Name': 'Image', '#text': 'x' }] })],
    ['Image', 'x', evtx(SYSMON, 1, { Data: { '@Name': 'Image', '#text': 'x' } })],
    ['Image', 'x', evtx(SYSMON, '1', { Data: [{ _: 'x', $: { Name: 'Image' } }] })],
    ['Provider_Name', 'Q', evtx('Security', 1, {}, { Provider: { $: { Name: 'Q' } } })],
    ['Provider_Name', 'Q', evtx('Security', 1, {}, { Provider: null, Provider_attributes: { Name: 'Q' } })],
    ['EventID', '1', { System: { Channel: 'Security', EventID: { Value: 1 }, Provider: { Name: 'P' } }, EventData: {} }],
    [
      'Address',
      'LOCAL',
      {
        Event: {
          System: { Channel: 'x', EventID: 21 },
          UserData: { EventXML_attributes: { xmlns: 'u' }, EventXML: { Address: 'LOCAL' } },
        },
      },
    ],
    ['ThreatName', 't', { Channel: 'Microsoft-Windows-Windows Defender/Operational', EventID: 1116, 'Threat Name': 't' }],
    [
      'User',
      'CORP\\bo',
      evtx('Security', 4688, {
        NewProcessName: 'x',
        SubjectDomainName: 'CORP',
        SubjectUserName: 'PC$',
        TargetDomainName: 'CORP',
        TargetUserName: 'bo',
      }),
    ],
    [
      'User',
      'CORP\\al',
      evtx('Security', 4688, {
        NewProcessName: 'x',
        SubjectDomainName: 'CORP',
        SubjectUserName: 'al',
        TargetDomainName: '-',
        TargetUserName: '-',
      }),
    ],
    ['Imphash', 'ABC', evtx(SYSMON, 1, { Hashes: 'MD5=1,IMPHASH=ABC' })],
    ['md5', '1', { Channel: SYSMON, EventID: 1, Hashes: 'MD5=1,IMPHASH=ABC' }],
    ['Hashes|contains', 'IMPHASH=abc', { winlog: { channel: SYSMON, event_id: 1 }, process: { pe: { imphash: 'ABC' } } }],
    ['TargetFilename', 'f', { winlog: { channel: SYSMON, event_id: 11 }, file: { path: 'f' } }],
    ['TargetObject', 'HKLM\\x', { winlog: { channel: SYSMON, event_id: 13 }, registry: { path: 'HKLM\\x' } }],
    ['ScriptBlockText', 's', { winlog: { channel: 'x', event_data: { ScriptBlockText: 's' } } }],
    ['QueryName', 'a.b', { winlog: { channel: SYSMON, event_id: 22 }, dns: { question: { name: 'a.b' } } }],
    ['query', 'a.b', { event: { category: 'network' }, dns: { question: { name: 'a.b' } } }],
    ['DestinationIp', '10.0.0.1', { destination: { ip: '10.0.0.1' } }],
    ['c-uri', '/a?b', { url: { original: '/a?b' }, http: {} }],
    ['cs-uri-query|contains', 'b', { url: { original: '/a?b' }, http: {} }],
    ['cs-uri-stem', '/a', { url: { original: '/a?b' }, http: {} }],
    ['cs-method', 'get', { url: {}, http: { request: { method: 'GET' } } }],
    ['sc-status', '404', { url: {}, http: { response: { status_code: 404 } } }],
    ['cs-user-agent', 'curl', { url: {}, http: {}, user_agent: { original: 'curl' } }],
    ['ResultType', '50126', { event: { dataset: 'azure.signinlogs' }, azure: { signinlogs: { result_type: 50126 } } }],
    [
      'AppDisplayName',
      'App',
      { event: { dataset: 'azure.signinlogs' }, azure: { signinlogs: { properties: { app_display_name: 'App' } } } },
    ],
    [
      'DeviceDetail.trusttype',
      'x',
      { event: { dataset: 'azure.signinlogs' }, azure: { signinlogs: { properties: { device_detail: { trust_type: 'x' } } } } },
    ],
    ['properties.riskState', 'x', { category: 'SignInLogs', operationName: 'o', properties: { riskState: 'x' } }],
    ['eventSource', 'Exchange', { Workload: 'Exchange', Operation: 'o' }],
    ['status', 'success', { Workload: 'Exchange', Operation: 'o', ResultStatus: 'True' }],
    ['Operation', 'Set-Mailbox', { event: { dataset: 'o365.audit' }, o365: { audit: { Operation: 'Set-Mailbox' } } }],
    ['userIdentity.type', 'Root', { eventVersion: '1', eventSource: 's', userIdentity: { type: 'Root' } }],
    [
      'userIdentity.type',
      'Root',
      { event: { dataset: 'aws.cloudtrail' }, aws: { cloudtrail: { user_identity: { type: 'Root' } } } },
    ],
    ['a.b.c', '2', { a: { b: [{ c: 1 }, { c: 2 }] } }],
  ];
  test.each(cases)('%s = %s in %j', (field, value, document) => {
    expect(matchesRule(ruleOf({ s: { [field]: value }, condition: 's' }, { logsource: {} }), document)).toBe(true);
    expect(matchesRule(ruleOf({ s: { [field]: `${value}!` }, condition: 's' }, { logsource: {} }), document)).toBe(false);
  });
});

describe('explain', () => {
  test('returns the field name of the event, the value and the item', () => {
    const rule = ruleOf(
      {
        sel: { 'Image|endswith': ['\\cmd.exe', '\\x.exe'], 'User|exists': false },
        other: { Nope: 1 },
        filter: { CommandLine: 'a' },
        condition: '(sel or other) and not filter',
      },
      { logsource: {} },
    );
    const document = { process: { executable: 'C:\\X.exe' } };
    const matcher = compileRules([rule]);
    expect(matcher.match(document)).toEqual([rule]);
    expect(matcher.explain(rule, document)).toEqual({
      condition: '(sel or other) and not filter',
      items: [
        { selection: 'sel', field: 'process.executable', modifier: 'endswith', pattern: '\\x.exe', value: 'C:\\X.exe' },
        { selection: 'sel', field: 'User', modifier: 'exists', pattern: 'false', value: '' },
      ],
    });
    expect(matcher.explain(rule, { process: { executable: 'C:\\y.exe' } }).items).toEqual([]);
  });

  test('returns no field for keywords', () => {
    const rule = ruleOf({ k: ['evil', 'other'], condition: 'k' }, { logsource: {} });
    expect(compileRules([rule]).explain(rule, { a: { b: 'so EVIL' } }).items).toEqual([
      { selection: 'k', field: null, modifier: '', pattern: 'evil', value: 'so EVIL' },
    ]);
  });
});
