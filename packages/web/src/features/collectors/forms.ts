/** Forms of the collectors' common settings as data: sections of fields, and lists whose items have fields by kind. Other settings are text only. */
import type { ConfigKind } from '@parapet/contract/collectors.ts';

export interface Field {
  key: string;
  label: string;
  /** `lines`: list, one per line; `block`: multi-line text; `numbers`: list of ports. */
  kind: 'text' | 'lines' | 'block' | 'flag' | 'number' | 'numbers' | 'choice' | 'choices';
  hint?: string;
  choices?: readonly string[];
  /** Default of a flag that the text omits. */
  isOnByItself?: true;
}

export interface FieldSection {
  id: string;
  title: string;
  purpose: string;
  fields: readonly Field[];
}
export interface ListSection {
  id: string;
  title: string;
  purpose: string;
  /** Path of the list. */
  list: string;
  /** Name of an item, for example "input". */
  item: string;
  /** Key that determines the kind of an item; undefined where the first key does. */
  kindKey?: string | undefined;
  /** Additional keys whose values name the item. */
  nameKeys?: readonly string[];
  additions: readonly { label: string; item: object }[];
  fieldsOf: (kind: string) => readonly Field[];
}
export type Section = FieldSection | ListSection;

const text = (key: string, label: string, hint?: string): Field => ({ key, label, kind: 'text', ...(hint && { hint }) });
const linesOf = (key: string, label: string, hint?: string): Field => ({ key, label, kind: 'lines', ...(hint && { hint }) });
const flag = (key: string, label: string, more: Partial<Field> = {}): Field => ({ key, label, kind: 'flag', ...more });
const number = (key: string, label: string, hint?: string): Field => ({ key, label, kind: 'number', ...(hint && { hint }) });
const choice = (key: string, label: string, choices: readonly string[]): Field => ({ key, label, kind: 'choice', choices });
const enabled = flag('enabled', 'Collect', { isOnByItself: true });
const tags = linesOf('tags', 'Tags', 'One per line');

const processors: ListSection = {
  id: 'processors',
  title: 'Processors',
  purpose: 'Processing steps for each event on the host, in order. Edit conditions (when) in the text.',
  list: 'processors',
  item: 'processor',
  additions: [
    { label: 'Add facts of the host', item: { add_host_metadata: null } },
    { label: 'Add the time zone', item: { add_locale: null } },
    { label: 'Add facts of the cloud', item: { add_cloud_metadata: null } },
    { label: 'Add facts of the container', item: { add_docker_metadata: null } },
    { label: 'Add tags', item: { add_tags: { tags: [] } } },
    { label: 'Drop fields', item: { drop_fields: { fields: [], ignore_missing: true } } },
    { label: 'Drop events', item: { drop_event: { when: { equals: { 'event.action': 'example' } } } } },
    { label: 'Shorten fields', item: { truncate_fields: { fields: ['message'], max_characters: 8000, ignore_missing: true } } },
  ],
  fieldsOf: (kind) =>
    kind === 'drop_fields' || kind === 'truncate_fields'
      ? [
          linesOf(`${kind}.fields`, 'Fields', 'One per line'),
          ...(kind === 'truncate_fields' ? [number(`${kind}.max_characters`, 'At most so many characters')] : []),
        ]
      : kind === 'add_tags'
        ? [linesOf('add_tags.tags', 'Tags', 'One per line')]
        : [],
};

const output: FieldSection = {
  id: 'output',
  title: 'Output',
  purpose: 'Delivery settings. Address and key are added on download.',
  fields: [
    number('output.elasticsearch.worker', 'Connections at once', 'Without: 1'),
    number('output.elasticsearch.bulk_max_size', 'Events in a batch', 'Without: 1600, older Beats 50'),
    number('output.elasticsearch.compression_level', 'Compression', '0 to 9; without: 1'),
    text('output.elasticsearch.timeout', 'Give up after', 'For example 90s'),
    choice('logging.level', 'Its own log', ['debug', 'info', 'warning', 'error']),
  ],
};

const fileInput = [
  enabled,
  linesOf('paths', 'Paths', 'One per line; * matches any name'),
  linesOf('exclude_lines', 'Leave out lines', 'Regular expressions, one per line'),
  text('ignore_older', 'Ignore files older than', 'For example 72h'),
  tags,
];
const filebeat: Section[] = [
  {
    id: 'inputs',
    title: 'Inputs',
    purpose: 'Inputs of Filebeat.',
    list: 'filebeat.inputs',
    item: 'input',
    kindKey: 'type',
    nameKeys: ['id'],
    additions: [
      { label: 'Files', item: { type: 'filestream', id: 'files', paths: ['/var/log/app/*.log'] } },
      { label: 'The systemd journal', item: { type: 'journald', id: 'journal' } },
      { label: 'Containers', item: { type: 'container', id: 'containers', paths: ['/var/log/containers/*.log'] } },
      { label: 'Syslog over TCP', item: { type: 'tcp', host: '0.0.0.0:9000' } },
      { label: 'Syslog over UDP', item: { type: 'udp', host: '0.0.0.0:9000' } },
    ],
    fieldsOf: (type) =>
      type === 'tcp' || type === 'udp'
        ? [
            enabled,
            text('host', 'Listen on', 'Address and port'),
            text('max_message_size', 'Longest message', 'For example 20MiB'),
            tags,
          ]
        : type === 'journald'
          ? [
              enabled,
              linesOf('units', 'Units', 'One per line; empty: all'),
              linesOf('syslog_identifiers', 'Programs', 'One per line; empty: all'),
              tags,
            ]
          : ['filestream', 'log', 'container'].includes(type)
            ? fileInput
            : [enabled, tags],
  },
  processors,
  output,
];

const auditbeat: Section[] = [
  {
    id: 'modules',
    title: 'Modules',
    purpose: 'Kernel audit, file integrity and system state.',
    list: 'auditbeat.modules',
    item: 'module',
    kindKey: 'module',
    additions: [
      { label: 'Files', item: { module: 'file_integrity', paths: ['/etc'] } },
      {
        label: 'Kernel audit',
        item: { module: 'auditd', audit_rules: '-a always,exit -F arch=b64 -S execve,execveat -k exec\n' },
      },
      { label: 'System', item: { module: 'system', datasets: ['host', 'login', 'user'], period: '1m' } },
    ],
    fieldsOf: (module) =>
      module === 'file_integrity'
        ? [
            enabled,
            flag('recursive', 'Folders within folders'),
            linesOf('paths', 'Paths', 'One per line'),
            linesOf('exclude_files', 'Exclude', 'Regular expressions, one per line'),
            text('max_file_size', 'Largest file', 'Default: 100 MiB'),
            linesOf('hash_types', 'Hashes', 'One per line, for example sha256'),
          ]
        : module === 'auditd'
          ? [enabled, { key: 'audit_rules', label: 'Audit rules', kind: 'block', hint: 'auditctl syntax' }]
          : [
              enabled,
              {
                key: 'datasets',
                label: 'What',
                kind: 'choices',
                choices: ['host', 'login', 'package', 'process', 'socket', 'user'],
              },
              text('period', 'Interval', 'For example 1m'),
            ],
  },
  processors,
  output,
];

const packetbeat: Section[] = [
  {
    id: 'interfaces',
    title: 'Interfaces',
    purpose: 'Network interfaces to capture.',
    fields: [
      text('packetbeat.interfaces.device', 'Interface', 'For example eth0; any: all (Linux)'),
      choice('packetbeat.interfaces.type', 'How', ['pcap', 'af_packet']),
      text('packetbeat.interfaces.bpf_filter', 'Filter', 'tcpdump syntax; default: ports of the protocols'),
      linesOf('packetbeat.interfaces.internal_networks', 'Internal networks', 'One per line; private: all private networks'),
    ],
  },
  {
    id: 'flows',
    title: 'Flows',
    purpose: 'Connections of any protocol.',
    fields: [
      flag('packetbeat.flows.enabled', 'Report flows', { isOnByItself: true }),
      text('packetbeat.flows.timeout', 'Timeout', 'For example 30s'),
      text('packetbeat.flows.period', 'Report interval', 'For example 10s; -1s: when finished'),
    ],
  },
  {
    id: 'protocols',
    title: 'Protocols',
    purpose: 'Decoded protocols by port.',
    list: 'packetbeat.protocols',
    item: 'protocol',
    kindKey: 'type',
    additions: [
      ...(
        [
          ['dns', [53]],
          ['http', [80, 8080]],
          ['tls', [443]],
          ['dhcpv4', [67, 68]],
          ['mysql', [3306]],
          ['pgsql', [5432]],
          ['mongodb', [27017]],
          ['redis', [6379]],
          ['nfs', [2049]],
          ['sip', [5060]],
        ] as const
      ).map(([type, ports]) => ({ label: type, item: { type, ports: [...ports] } })),
      { label: 'icmp', item: { type: 'icmp', enabled: true } },
    ],
    fieldsOf: (type) => [
      enabled,
      ...(type === 'icmp' ? [] : [{ key: 'ports', label: 'Ports', kind: 'numbers', hint: 'Comma-separated' } as const]),
      ...(type === 'http' ? [linesOf('hide_keywords', 'Hide parameters', 'One per line, for example password')] : []),
    ],
  },
  processors,
  output,
];

const winlogbeat: Section[] = [
  {
    id: 'event-logs',
    title: 'Event logs',
    purpose: 'Windows event logs and filters.',
    list: 'winlogbeat.event_logs',
    item: 'log',
    kindKey: 'name',
    additions: [
      'Security',
      'System',
      'Application',
      'Windows PowerShell',
      'Microsoft-Windows-PowerShell/Operational',
      'Microsoft-Windows-Sysmon/Operational',
      'Microsoft-Windows-Windows Defender/Operational',
      'Microsoft-Windows-TaskScheduler/Operational',
      'Microsoft-Windows-TerminalServices-LocalSessionManager/Operational',
      'ForwardedEvents',
    ].map((name) => ({ label: name, item: { name, ignore_older: '72h' } })),
    fieldsOf: () => [
      text('name', 'Name', 'As in Event Viewer'),
      text('event_id', 'Event ids', 'Comma-separated numbers and ranges; -4662 excludes one. At most 22. Empty: all'),
      text('level', 'Levels', 'For example critical, error; empty: all'),
      text('ignore_older', 'Ignore events older than', 'For example 72h'),
      linesOf('provider', 'Providers', 'One per line; empty: all'),
      flag('include_xml', 'With the event’s XML'),
    ],
  },
  processors,
  output,
];

const rsyslog: Section[] = [
  {
    id: 'local',
    title: 'The host’s own log',
    purpose: 'Logs of the host’s own rsyslog.',
    fields: [
      text('local', 'Facilities and severities', '*.*: all; auth,authpriv.*: sign-ins and sudo; empty: none'),
      number('buffer_megabytes', 'Keep on disk while the portal is away', 'Megabytes'),
    ],
  },
  {
    id: 'files',
    title: 'Files',
    purpose: 'Additional files to follow.',
    list: 'files',
    item: 'file',
    kindKey: 'program',
    additions: [{ label: 'File', item: { path: '/var/log/nginx/access.log', program: 'nginx' } }],
    fieldsOf: () => [text('path', 'Path', '* stands for any name'), text('program', 'Program', 'Program that writes the file')],
  },
  {
    id: 'listen',
    title: 'Ports',
    purpose: 'Listeners for syslog from other devices, such as firewalls.',
    list: 'listen',
    item: 'port',
    kindKey: 'protocol',
    nameKeys: ['port'],
    additions: [
      { label: 'UDP', item: { protocol: 'udp', port: 514 } },
      { label: 'TCP', item: { protocol: 'tcp', port: 514 } },
    ],
    fieldsOf: () => [
      choice('protocol', 'Protocol', ['udp', 'tcp']),
      number('port', 'Port'),
      text('address', 'Only on this address', 'Empty: on all'),
    ],
  },
];

const client: Section[] = [
  {
    id: 'way',
    title: 'Connection to the portal',
    purpose: 'Applies to all collectors of this client from their next download.',
    fields: [
      text(
        'address',
        'Server address',
        'Address of the portal for collectors, such as https://portal.example. Empty: the portal’s own address',
      ),
      text('proxy', 'Proxy', 'For example http://proxy.example:3128. Not supported by rsyslog'),
      text('certificate_authority', 'Certificate authority', 'A file on the host, such as /etc/ssl/certs/own-ca.pem'),
    ],
  },
  {
    id: 'what',
    title: 'Collectors by source',
    purpose: 'Shown during setup, and named in the file with the key.',
    fields: [
      {
        key: 'collectors',
        label: 'Collectors',
        kind: 'choices',
        choices: ['agent', 'auditbeat', 'filebeat', 'packetbeat', 'winlogbeat', 'rsyslog'],
      },
      linesOf('tags', 'Tags', 'Put on every event of this client’s collectors, one per line'),
    ],
  },
];

export const forms: Record<ConfigKind, readonly Section[]> = { client, auditbeat, filebeat, packetbeat, winlogbeat, rsyslog };
