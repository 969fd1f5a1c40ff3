/** Rules that the demo’s partner Harbor wrote, one in each state. None matches an event of the demo’s year. */
import type { RuleState } from '@parapet/contract/detectionRules.ts';

export interface DemoRule {
  /** Fixed, so that an interrupted start adds none twice. */
  id: string;
  yaml: string;
  note: string;
  tests: readonly { name: string; isMatch: boolean; event: object }[];
  /** States after draft, each with its reason. */
  states: readonly (readonly [RuleState, string])[];
}

const processEvent = (executable: string, parent: string, user: string) => ({
  event: { category: ['process'], type: ['start'] },
  host: { os: { type: 'windows' }, name: 'BIR-WS-04' },
  process: { executable, name: executable.split('\\').at(-1), parent: { executable: parent } },
  user: { name: user },
  winlog: {
    channel: 'Microsoft-Windows-Sysmon/Operational',
    event_id: 1,
    event_data: { Image: executable, ParentImage: parent, User: `BIRCH\\${user}` },
  },
});

/** An event of the Security log, as Winlogbeat writes it. */
const securityEvent = (code: number, computer: string, data: Record<string, string>) => ({
  event: { code: String(code), provider: 'Microsoft-Windows-Security-Auditing' },
  host: { os: { type: 'windows' }, name: computer },
  winlog: {
    channel: 'Security',
    provider_name: 'Microsoft-Windows-Security-Auditing',
    event_id: code,
    computer_name: computer,
    event_data: data,
  },
});

const fileEvent = (path: string) => ({
  event: { category: ['file'], type: ['creation'] },
  host: { os: { type: 'windows' }, name: 'BIR-WS-04' },
  file: { path },
  winlog: {
    channel: 'Microsoft-Windows-Sysmon/Operational',
    event_id: 11,
    event_data: { Image: 'C:\\Program Files\\Microsoft Office\\root\\Office16\\WINWORD.EXE', TargetFilename: path },
  },
});

const explorer = 'C:\\Windows\\explorer.exe';

const remoteSupport = {
  id: '6f0e4f3a-5f2b-4c8f-9a57-1f6f3f0c7a10',
  note: 'Clients of Harbor are supported with our own tool only.',
  yaml: `title: Remote support tool that Harbor does not use
id: 6f0e4f3a-5f2b-4c8f-9a57-1f6f3f0c7a10
status: experimental
description: Detects the start of a remote support tool other than the one that Harbor rolls out.
author: Harbor Managed IT
date: 2026-09-14
tags:
  - attack.command-and-control
  - attack.t1219.002
logsource:
  product: windows
  category: process_creation
detection:
  selection:
    Image|endswith:
      - '\\SupRemo.exe'
      - '\\AA_v3.exe'
  condition: selection
falsepositives:
  - A vendor who supports one client with a tool of its own; add an exception for that client.
level: medium
`,
  tests: [
    {
      name: 'SupRemo from the downloads of a user',
      isMatch: true,
      event: processEvent('C:\\Users\\mreyes\\Downloads\\SupRemo.exe', explorer, 'mreyes'),
    },
    { name: 'Notepad', isMatch: false, event: processEvent('C:\\Windows\\System32\\notepad.exe', explorer, 'mreyes') },
  ],
  states: [
    ['tested', 'Both tests pass.'],
    ['shadow', 'To count its matches before it raises alerts.'],
    ['live', 'No match in shadow at any client.'],
  ],
  exception: `title: Vendor of the imaging software
logsource:
  product: windows
  category: process_creation
filter:
  rules:
    - 6f0e4f3a-5f2b-4c8f-9a57-1f6f3f0c7a10
  vendor:
    Image|startswith: 'C:\\Program Files (x86)\\DentalImaging\\'
  condition: not vendor
`,
} satisfies DemoRule & { exception: string };

const payrollShare: DemoRule = {
  id: 'b7a0c4be-6a5e-4f0c-8f0e-2d9c1a6b7e21',
  note: 'Two clients need it after their audits.',
  yaml: `title: Payroll share opened by a service account
id: b7a0c4be-6a5e-4f0c-8f0e-2d9c1a6b7e21
status: experimental
description: Detects access of a service account to the share with payroll files.
author: Harbor Managed IT
date: 2026-11-02
tags:
  - attack.collection
  - attack.t1039
logsource:
  product: windows
  service: security
detection:
  selection:
    EventID: 5140
    ShareName|endswith: '\\Payroll'
    SubjectUserName|startswith: 'svc-'
  condition: selection
falsepositives:
  - The nightly backup, where it runs under a service account.
level: high
`,
  tests: [
    {
      name: 'Sync account opens the share',
      isMatch: true,
      event: securityEvent(5140, 'CED-SRV-02', {
        SubjectUserName: 'svc-sync',
        ShareName: '\\\\*\\Payroll',
        IpAddress: '10.12.0.31',
      }),
    },
    {
      name: 'Payroll clerk opens the share',
      isMatch: false,
      event: securityEvent(5140, 'CED-SRV-02', {
        SubjectUserName: 'lchen',
        ShareName: '\\\\*\\Payroll',
        IpAddress: '10.12.0.54',
      }),
    },
  ],
  states: [
    ['tested', 'Both tests pass.'],
    ['shadow', 'Until the month’s payroll has run.'],
  ],
};

const invoiceMacro: DemoRule = {
  id: '0d1f7c52-93c5-4a0e-bd0a-6f4d7a4b9c32',
  note: 'For the template that accounting sent to all clients.',
  yaml: `title: Macro of the old invoice template
id: 0d1f7c52-93c5-4a0e-bd0a-6f4d7a4b9c32
status: experimental
description: Detects the script that the macro of the old invoice template writes.
author: Harbor Managed IT
date: 2026-03-20
tags:
  - attack.execution
  - attack.t1204.002
logsource:
  product: windows
  category: file_event
detection:
  selection:
    TargetFilename|endswith: '\\invoice-2019-helper.vbs'
  condition: selection
falsepositives:
  - Clients that still use the template.
level: medium
`,
  tests: [
    { name: 'Helper script', isMatch: true, event: fileEvent('C:\\Users\\lchen\\AppData\\Local\\Temp\\invoice-2019-helper.vbs') },
    { name: 'Invoice', isMatch: false, event: fileEvent('C:\\Users\\lchen\\Documents\\invoice-2026-114.docx') },
  ],
  states: [
    ['tested', 'Both tests pass.'],
    ['live', 'The template is known to be abused.'],
    ['retired', 'The template was withdrawn at all clients.'],
  ],
};

const serverTask: DemoRule = {
  id: '3c9a2e84-1b7d-4e65-a9c3-8e5f0d2b6a43',
  note: 'Tasks of our own deployment are named HMS.',
  yaml: `title: Scheduled task created by hand on a server
id: 3c9a2e84-1b7d-4e65-a9c3-8e5f0d2b6a43
status: experimental
description: Detects a scheduled task on a server that the deployment of Harbor did not create.
author: Harbor Managed IT
date: 2026-11-20
tags:
  - attack.persistence
  - attack.t1053.005
logsource:
  product: windows
  service: security
detection:
  selection:
    EventID: 4698
    Computer|contains: '-SRV-'
  deployment:
    TaskName|startswith: '\\HMS\\'
  condition: selection and not deployment
falsepositives:
  - Administrators of the client.
level: low
`,
  tests: [
    {
      name: 'Task of a user',
      isMatch: true,
      event: securityEvent(4698, 'CED-SRV-02', { SubjectUserName: 'lchen', TaskName: '\\Updater', TaskContent: '<Task />' }),
    },
    {
      name: 'Task of the deployment',
      isMatch: false,
      event: securityEvent(4698, 'CED-SRV-02', {
        SubjectUserName: 'svc-hms',
        TaskName: '\\HMS\\Inventory',
        TaskContent: '<Task />',
      }),
    },
  ],
  states: [['tested', 'Both tests pass.']],
};

const fileSharing: DemoRule = {
  id: 'e4d8b190-7c3f-4d2a-8b61-5a9e3c7f1d54',
  note: 'First version; the list of sites is not complete.',
  yaml: `title: File sharing site that no client uses
id: e4d8b190-7c3f-4d2a-8b61-5a9e3c7f1d54
status: experimental
description: Detects a DNS query for a file sharing site that no client of Harbor has approved.
author: Harbor Managed IT
date: 2026-11-24
tags:
  - attack.exfiltration
  - attack.t1567.002
logsource:
  product: windows
  category: dns_query
detection:
  selection:
    QueryName|endswith:
      - '.gofile.io'
      - '.catbox.moe'
  condition: selection
falsepositives:
  - Private use by an employee.
level: low
`,
  tests: [],
  states: [],
};

export const demoRules: readonly [typeof remoteSupport, ...DemoRule[]] = [
  remoteSupport,
  payrollShare,
  invoiceMacro,
  serverTask,
  fileSharing,
];
