/**
 * One Windows event in the forms in which tools write it: converters of EVTX files, forwarders, public data sets and exports. Rules have
 * to find the same in each, so the forms are made of the document that Winlogbeat sends.
 */
import { parseSyslog } from '@parapet/server/pipeline/syslog/parse.ts';
import type { Document } from './pairs.ts';

interface Winlog {
  channel: string;
  provider_name: string;
  provider_guid?: string;
  event_id: string;
  computer_name: string;
  record_id: number;
  keywords?: string[];
  task: string;
  event_data: Record<string, string>;
}

/** What every form is made of. */
interface Parts {
  document: Document;
  winlog: Winlog;
  time: string;
  message: string;
  /** The values have no names. */
  isUnnamed: boolean;
  /** The values stand in `UserData`. */
  isUser: boolean;
}

/** Providers whose events have their values in `UserData`. */
const withUserData = /-(?:WMI-Activity|TerminalServices-(?:Local|Remote).*|Eventlog)$/;

function partsOf(document: Document): Parts {
  const winlog = document.winlog as Winlog;
  return {
    document,
    winlog,
    time: String(document['@timestamp']),
    message: String(document.message),
    isUnnamed: Object.keys(winlog.event_data).some((name) => /^param\d+$/.test(name)),
    isUser: withUserData.test(winlog.provider_name),
  };
}

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&apos;');

function dataXml({ winlog, isUnnamed, isUser }: Parts): string {
  const entries = Object.entries(winlog.event_data);
  const named = entries.map(([name, value]) =>
    isUnnamed ? `<Data>${xmlText(value)}</Data>` : `<Data Name='${name}'>${xmlText(value)}</Data>`,
  );
  return isUser
    ? `<UserData><EventXML xmlns='Event_NS'>${entries.map(([name, value]) => `<${name}>${xmlText(value)}</${name}>`).join('')}</EventXML></UserData>`
    : `<EventData>${named.join('')}</EventData>`;
}

const namespace = "xmlns='http://schemas.microsoft.com/win/2004/08/events/event'";

const xmlOf = (parts: Parts): string =>
  `<Event ${namespace}><System><Provider Name='${parts.winlog.provider_name}' Guid='${parts.winlog.provider_guid ?? ''}'/><EventID Qualifiers='0'>${parts.winlog.event_id}</EventID><Version>5</Version><Level>4</Level><Task>1</Task><Opcode>0</Opcode><Keywords>0x8000000000000000</Keywords><TimeCreated SystemTime='${parts.time}'/><EventRecordID>${parts.winlog.record_id}</EventRecordID><Correlation/><Execution ProcessID='3172' ThreadID='4240'/><Channel>${parts.winlog.channel}</Channel><Computer>${parts.winlog.computer_name}</Computer><Security UserID='S-1-5-18'/></System>${dataXml(parts)}</Event>`;

/** `Data` elements as converters of XML write them. */
const dataList = ({ winlog, isUnnamed }: Parts): unknown[] =>
  Object.entries(winlog.event_data).map(([name, value]) => (isUnnamed ? value : { '@Name': name, '#text': value }));

/** `EventData` or `UserData`. */
const dataOf = ({ winlog, isUser }: Parts, data: unknown): Document =>
  isUser ? { UserData: { EventXML: winlog.event_data } } : { EventData: data };

function nxlog({ winlog, time, message }: Parts, isBare = false): Document {
  const own = {
    '@timestamp': time,
    EventTime: time.slice(0, 19).replace('T', ' '),
    Hostname: winlog.computer_name,
    host: 'collector.forwarding.example',
    Channel: winlog.channel,
    EventID: Number(winlog.event_id),
    SourceName: winlog.provider_name,
    EventType:
      winlog.channel === 'Security' ? `AUDIT_${winlog.keywords?.[0] === 'Audit Failure' ? 'FAILURE' : 'SUCCESS'}` : 'INFO',
    Keywords: '-9223372036854775808',
    Severity: 'INFO',
    SeverityValue: 2,
    Version: 5,
    Task: 1,
    Category: winlog.task,
    Opcode: 'Info',
    OpcodeValue: 0,
    RecordNumber: winlog.record_id,
    ExecutionProcessID: 3172,
    ThreadID: 4240,
    Domain: 'NT AUTHORITY',
    AccountName: 'SYSTEM',
    AccountType: 'User',
    UserID: 'S-1-5-18',
    SourceModuleName: 'eventlog',
    SourceModuleType: 'im_msvistalog',
    Message: message.replaceAll('\n', '\r\n'),
    tags: ['dataset'],
    port: 60_737,
  };
  return isBare ? own : { ...winlog.event_data, ...own };
}

function evtxDump(parts: Parts): Document {
  const { winlog, time, isUnnamed } = parts;
  const id = Number(winlog.event_id);
  return {
    Event: {
      '#attributes': { xmlns: 'http://schemas.microsoft.com/win/2004/08/events/event' },
      System: {
        Provider: { '#attributes': { Name: winlog.provider_name, Guid: winlog.provider_guid } },
        EventID: isUnnamed ? { '#attributes': { Qualifiers: 0 }, '#text': id } : id,
        Keywords: '0x8000000000000000',
        TimeCreated: { '#attributes': { SystemTime: time } },
        Correlation: null,
        Channel: winlog.channel,
        Computer: winlog.computer_name,
      },
      ...dataOf(parts, isUnnamed ? { Data: { '#text': Object.values(winlog.event_data) } } : winlog.event_data),
    },
  };
}

function evtxECmd(parts: Parts): Document {
  const { winlog, time } = parts;
  return {
    PayloadData1: 'User: -',
    MapDescription: winlog.task,
    Computer: winlog.computer_name,
    Payload: JSON.stringify(dataOf(parts, { Data: dataList(parts) })),
    Channel: winlog.channel,
    Provider: winlog.provider_name,
    EventId: Number(winlog.event_id),
    EventRecordId: String(winlog.record_id),
    ProcessId: 3172,
    ThreadId: 4240,
    Level: 'Info',
    SourceFile: 'C:\\Cases\\log.evtx',
    TimeCreated: time,
  };
}

function wazuh({ winlog, time, message }: Parts): Document {
  const small = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
  const doubled = Object.entries(winlog.event_data).map(([name, value]) => [small(name), value.replaceAll('\\', '\\\\')]);
  const system = {
    providerName: winlog.provider_name,
    eventID: winlog.event_id,
    channel: winlog.channel,
    computer: winlog.computer_name,
    systemTime: time,
    message: `"${message}"`,
  };
  return {
    timestamp: time,
    agent: { id: '001', name: 'manager' },
    rule: { id: '61603', level: 3, description: 'Windows event' },
    location: 'EventChannel',
    data: { win: { system, eventdata: Object.fromEntries(doubled) } },
  };
}

const fluentBit = ({ winlog, time, message }: Parts): Document => ({
  ProviderName: winlog.provider_name,
  EventID: Number(winlog.event_id),
  TimeCreated: time,
  EventRecordID: winlog.record_id,
  ProcessID: 3172,
  Channel: winlog.channel,
  Computer: winlog.computer_name,
  Message: message,
  StringInserts: Object.values(winlog.event_data),
});

const getWinEvent = ({ winlog, time, message }: Parts): Document => ({
  Id: Number(winlog.event_id),
  LogName: winlog.channel,
  ProviderName: winlog.provider_name,
  MachineName: winlog.computer_name,
  RecordId: winlog.record_id,
  TimeCreated: `/Date(${Date.parse(time)})/`,
  Message: message.replaceAll('\n', '\r\n'),
  Properties: Object.values(winlog.event_data).map((Value) => ({ Value })),
});

const azure = (parts: Parts): Document => ({
  TimeGenerated: parts.time,
  Source: parts.winlog.provider_name,
  EventLog: parts.winlog.channel,
  Computer: parts.winlog.computer_name,
  EventID: Number(parts.winlog.event_id),
  EventData: `<DataItem type="System.XmlData" time="${parts.time}">${dataXml(parts)}</DataItem>`,
  RenderedDescription: parts.message,
  Type: 'Event',
});

const winlogbeat6 = ({ winlog, time, message, isUser }: Parts): Document => ({
  '@timestamp': time,
  beat: { name: 'collector', hostname: 'collector' },
  computer_name: winlog.computer_name,
  event_id: Number(winlog.event_id),
  log_name: winlog.channel,
  source_name: winlog.provider_name,
  [isUser ? 'user_data' : 'event_data']: winlog.event_data,
  message,
});

/** The fields of Azure's table beside those of the event. */
const azureTable = ({ winlog, time }: Parts, type: string): Document => ({
  TenantId: '4f0c',
  TimeGenerated: time,
  Computer: winlog.computer_name,
  Channel: winlog.channel,
  EventID: Number(winlog.event_id),
  Type: type,
  _ResourceId: '/subscriptions/4f0c/virtualmachines/ws1',
});

const forwarder = { host: 'collector', sourcetype: 'XmlWinEventLog', index: 'wineventlog' };

/** NXLog's fields as its GELF has them. */
function gelf(parts: Parts): Document {
  const { '@timestamp': _time, EventTime: _own, Hostname, host: _host, Message, SeverityValue: _level, ...fields } = nxlog(parts);
  return {
    version: '1.1',
    host: Hostname,
    short_message: String(Message).slice(0, 64),
    full_message: Message,
    timestamp: Date.parse(parts.time) / 1_000,
    level: 6,
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`_${name}`, value])),
  };
}

function collector({ winlog, time, message }: Parts, event_data: unknown): Document {
  return {
    channel: winlog.channel,
    computer: winlog.computer_name,
    event_id: { id: Number(winlog.event_id), qualifiers: 0 },
    keywords: [],
    level: 'Information',
    message,
    opcode: 'Info',
    provider: { event_source: '', guid: winlog.provider_guid, name: winlog.provider_name },
    record_id: winlog.record_id,
    system_time: time,
    task: winlog.task,
    event_data,
  };
}

const makers: Readonly<Record<string, (parts: Parts) => Document>> = {
  NXLog: nxlog,
  evtx_dump: evtxDump,
  xmltodict: (parts) => ({ Event: { System: systemOf(parts), ...dataOf(parts, { Data: dataList(parts) }) } }),
  'XML in a message': (parts) => ({ '@timestamp': parts.time, message: xmlOf(parts) }),
  'XML in a result of Splunk': (parts) => ({ preview: false, result: { _raw: xmlOf(parts), sourcetype: 'XmlWinEventLog' } }),
  'JSON in a message': (parts) => ({ '@timestamp': parts.time, message: JSON.stringify(evtxDump(parts)) }),
  EvtxECmd: evtxECmd,
  Velociraptor: ({ winlog, time, message, ...parts }) => ({
    System: {
      Provider: { Name: winlog.provider_name },
      EventID: { Value: Number(winlog.event_id) },
      TimeCreated: { SystemTime: Date.parse(time) / 1_000 },
      Channel: winlog.channel,
      Computer: winlog.computer_name,
    },
    ...dataOf({ winlog, time, message, ...parts }, winlog.event_data),
    Message: message,
  }),
  'hit of Elasticsearch': ({ document }) => ({ _index: 'winlogbeat-8.15.3', _id: 'b7c1', _score: 1, _source: document }),
  'Winlogbeat 6': winlogbeat6,
  Wazuh: wazuh,
  'Get-WinEvent': getWinEvent,
  'Fluent Bit': fluentBit,
  Azure: azure,
  'Azure, table WindowsEvent': (parts) => ({
    ...azureTable(parts, 'WindowsEvent'),
    Provider: parts.winlog.provider_name,
    EventLevelName: 'Information',
    EventData: parts.winlog.event_data,
  }),
  'Elastic Agent': ({ document, winlog }) => ({
    ...document,
    agent: { type: 'filebeat', name: winlog.computer_name, version: '8.15.3' },
    data_stream: { type: 'logs', dataset: 'windows.forwarded', namespace: 'default' },
    input: { type: 'winlog' },
    elastic_agent: { id: 'b7c1', version: '8.15.3', snapshot: false },
  }),
  'Winlogbeat through Logstash': ({ document }) => ({
    ...document,
    '@version': '1',
    tags: ['beats_input_codec_plain_applied'],
  }),
  'XML through Logstash': (parts) => ({
    '@version': '1',
    '@timestamp': parts.time,
    type: 'wineventlog',
    message: xmlOf(parts),
    event: { original: xmlOf(parts) },
  }),
  'NXLog’s JSON through Vector': (parts) => ({
    timestamp: parts.time,
    source_type: 'socket',
    host: parts.winlog.computer_name,
    message: JSON.stringify(nxlog(parts)),
  }),
  Cribl: (parts) => ({
    _raw: xmlOf(parts),
    _time: Date.parse(parts.time) / 1_000,
    cribl_pipe: 'wineventlog',
    source: 'XmlWinEventLog:Security',
    ...forwarder,
  }),
  'Splunk’s forwarder': (parts) => ({ message: xmlOf(parts), host: { name: 'collector' }, splunk: forwarder }),
  'Fluent Bit with XML': (parts) => ({
    System: xmlOf(parts),
    Message: parts.message,
    StringInserts: Object.values(parts.winlog.event_data),
  }),
  Fluentd: ({ winlog, time, message }) => ({
    ProviderName: winlog.provider_name,
    ProviderGUID: winlog.provider_guid,
    EventID: winlog.event_id,
    Qualifiers: '',
    Level: '4',
    Task: '1',
    Opcode: '0',
    Keywords: '0x8000000000000000',
    TimeCreated: time,
    EventRecordID: String(winlog.record_id),
    ProcessID: '3172',
    ThreadID: '4240',
    Channel: winlog.channel,
    Computer: winlog.computer_name,
    UserID: 'S-1-5-18',
    Version: '5',
    Description: message,
    EventData: Object.values(winlog.event_data),
  }),
  'rsyslog’s mmjsonparse': (parts) => ({
    ...nxlog(parts),
    syslogtag: 'nxlog:',
    programname: 'nxlog',
    'syslogfacility-text': 'user',
    'syslogseverity-text': 'info',
    timereported: parts.time,
    fromhost: 'collector',
  }),
  'json-parser of syslog-ng': (parts) => ({
    ...nxlog(parts),
    PROGRAM: 'nxlog',
    PRIORITY: 'info',
    FACILITY: 'user',
    HOST: 'collector',
    ISODATE: parts.time,
  }),
  'XML in a line of syslog': (parts) =>
    parseSyslog(
      `<14>1 ${parts.time} ${parts.winlog.computer_name.split('.', 1)[0]}.alder.example ${parts.winlog.provider_name.replaceAll(' ', '_')} 3172 - - ${xmlOf(parts)}`,
      Date.parse(parts.time),
    ),
  GELF: gelf,
  'OpenTelemetry’s collector': (parts) => collector(parts, parts.winlog.event_data),
  'OpenTelemetry’s collector with a list': (parts) =>
    collector(parts, { data: Object.entries(parts.winlog.event_data).map(([name, value]) => ({ [name]: value })) }),
};

function systemOf({ winlog, time }: Parts): Document {
  return {
    Provider: { '@Name': winlog.provider_name },
    EventID: winlog.event_id,
    Channel: winlog.channel,
    Computer: winlog.computer_name,
    TimeCreated: { '@SystemTime': time },
  };
}

export const formNames: readonly string[] = Object.keys(makers);

/** The event of a document of Winlogbeat in another form. */
export const inForm = (name: string, document: Document): Document => structuredClone(makers[name]!(partsOf(document)));

/** As NXLog sends an event whose values it does not read: the message alone has them. */
export const withMessageAlone = (document: Document): Document => nxlog(partsOf(document), true);
