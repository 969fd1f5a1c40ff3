/** Techniques that administration hardly ever needs, and circumstances of an event that speak for or against an attack. */
import type { Feature } from './decisioning.weights.ts';

/** ATT&CK id → what was done, in the words of a sentence. Counted for rules of at least medium with medium or high confidence. */
export const indicativeTechniques: Readonly<Record<string, string>> = {
  'T1003.001': 'memory of the sign-in process read',
  'T1003.002': 'local password hashes copied',
  'T1003.003': 'password database of the domain copied',
  'T1003.004': 'stored secrets of the system copied',
  'T1003.006': 'password hashes requested by replication',
  'T1003.008': 'password hashes of the machine read',
  T1014: 'a part of the kernel put in place',
  'T1036.005': 'a program named like one of the system',
  'T1055.012': 'a process hollowed out',
  T1068: 'a hole used for greater rights',
  'T1070.001': 'event log cleared',
  'T1070.002': 'records of the system removed',
  'T1110.003': 'one password tried on many accounts',
  'T1132.001': 'data encoded in other traffic',
  'T1134.001': 'a token of another user taken',
  T1187: 'a machine made to sign in elsewhere',
  T1207: 'a rogue domain controller registered',
  T1486: 'data encrypted',
  'T1505.003': 'web shell used',
  T1539: 'session cookies stolen',
  'T1547.012': 'a library planted in the print service',
  'T1547.005': 'a security package planted',
  'T1550.002': 'a hash used in place of a password',
  'T1550.003': 'a ticket used in place of a password',
  'T1555.003': 'passwords of a browser taken',
  'T1556.003': 'rules of the sign-in changed',
  T1557: 'a sign-in relayed',
  'T1568.002': 'generated names asked for',
  'T1561.001': 'contents of a disk erased',
  'T1561.002': 'structure of a disk erased',
  'T1558.001': 'a ticket forged',
  'T1558.003': 'service tickets collected for cracking',
  'T1558.004': 'accounts without pre-authentication collected',
  'T1562.002': 'event logging switched off',
  'T1564.001': 'a hidden file or folder used',
  'T1574.006': 'a library planted for every process',
  T1620: 'a program run from memory',
  T1611: 'a way from a container to its host used',
  T1621: 'second-factor prompts repeated',
  T1649: 'a certificate for another account taken',
};

/** Techniques, sub-techniques included, that administration and users need as well. */
export const everydayTechniques: readonly string[] = [
  'T1016',
  'T1018',
  'T1021.001',
  'T1021.004',
  'T1033',
  'T1039',
  'T1049',
  'T1057',
  'T1069',
  'T1074',
  'T1082',
  'T1083',
  'T1087',
  'T1098.007',
  'T1136.001',
  'T1136.002',
  'T1213',
  'T1219',
  'T1482',
  'T1489',
  'T1530',
  'T1531',
  'T1562.004',
];

/** Fields of circumstances, with the field's name in rules where events of Windows have it in several places. */
export const detailFields = {
  'process.executable': 'Image',
  'process.command_line': 'CommandLine',
  'process.parent.executable': 'ParentImage',
  'process.parent.name': 'process.parent.name',
  'process.parent.command_line': 'ParentCommandLine',
  'source.ip': 'source.ip',
  'user_agent.original': 'user_agent.original',
  'http.response.status_code': 'http.response.status_code',
  'http.response.body.bytes': 'http.response.body.bytes',
  'file.path': 'TargetFilename',
  'winlog.event_data.ScriptBlockText': 'ScriptBlockText',
} as const;
type DetailName = keyof typeof detailFields;

/** A circumstance by its usual name, and the field and value that the document has. */
export interface Detail {
  name: DetailName;
  field: string;
  value: string;
  /** Alert of the event, if it is not the rule's first. */
  alertID?: number;
}

export interface Context {
  id: string;
  feature: Extract<Feature, `context.${string}`>;
  fields: readonly DetailName[];
  pattern: RegExp;
  /** Limited to rules of these tactics or techniques. */
  tactics?: readonly string[];
  techniques?: readonly string[];
  /** Not for rules that have one of these tactics. */
  never?: readonly string[];
  /** Not for rules that have these techniques alone. */
  except?: readonly string[];
  /** 1 by default. */
  amount?: number;
  /** Not counted where a command contacts the client's own domain only. */
  isForeign?: boolean;
  /** Start of the sentence, which the cited value completes. */
  text: string;
}

const parent = ['process.parent.executable', 'process.parent.name'] as const;
const commandFields = ['process.command_line', 'winlog.event_data.ScriptBlockText'] as const;
/** Activity of the client's own people and scanners as well; spraying is not among it. */
const guessing = ['T1110', 'T1110.001', 'T1595', 'T1595.002', 'T1046', 'T1190'];
/** Attempts that public servers get from public addresses every day. */
const attempts = ['T1190', 'T1595', 'T1595.001', 'T1595.002', 'T1595.003', 'T1083'];
const internal =
  /^(?:10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i;

/** Circumstances, each counted once per case by its amount. Patterns have bounded repetition only, as values are hostile. */
export const contexts: readonly Context[] = [
  {
    id: 'office-parent',
    feature: 'context.risky',
    fields: parent,
    pattern: /(?:^|[\\/])(?:winword|excel|powerpnt|outlook|onenote|msaccess|mspub|visio|eqnedt32|acrord32|acrobat)(?:\.exe)?$/i,
    text: 'A document program started it',
  },
  {
    id: 'host-entered',
    feature: 'context.risky',
    fields: commandFields,
    // A shell below its root, or a program in the namespaces of its first process, the files included.
    pattern:
      /(?:-v|--volume)[ =]\/:\/[^;|&]{1,200}\schroot\s\/|\bnsenter\s(?=[^;|&]{0,100}(?:-t\s{0,3}1|--target[ =]1)\s)(?=[^;|&]{0,100}\s(?:-[a-z]{0,6}m[a-z]{0,6}|--mount|-a|--all)\s)/,
    techniques: ['T1611', 'T1610'],
    text: 'The command opened a shell of the host',
  },
  {
    id: 'web-parent',
    feature: 'context.risky',
    fields: parent,
    pattern:
      /(?:^|[\\/])(?:w3wp|httpd|nginx|apache2?|php-fpm[\d.]{0,6}|php-cgi|tomcat\d{0,2}|umworkerprocess|sqlservr)(?:\.exe)?$/i,
    text: 'A server program started it',
  },
  {
    id: 'writable-program',
    feature: 'context.risky',
    fields: ['process.executable'],
    pattern:
      /\\(?:users\\public|perflogs|windows\\temp|appdata\\local\\temp|appdata\\roaming|downloads|\$recycle\.bin)\\|^[a-z]:\\programdata\\[^\\]{1,64}$|^\/(?:tmp|var\/tmp|dev\/shm)\//i,
    text: 'The program lies where anybody may write',
  },
  {
    id: 'writable-argument',
    feature: 'context.risky',
    fields: commandFields,
    pattern:
      /(?:\\windows\\temp\\|\\users\\public\\|\\perflogs\\|\\programdata\\[^\\\s"]{1,64}(?:["\s]|$)|(?:^|[\s"'=>])\/(?:tmp|var\/tmp|dev\/shm)\/)/i,
    text: 'It works in a folder where anybody may write',
  },
  {
    id: 'short-name',
    feature: 'context.risky',
    fields: ['process.executable'],
    // sc.exe and 7z.exe at their places are no such names; folders below System32 take files of anybody.
    pattern: /^(?!c:\\(?:program files(?: \(x86\))?\\|windows\\sys(?:tem32|wow64)\\[^\\]*$)).*\\[a-z0-9]{1,2}\.exe$/i,
    text: 'The name of the program is no more than two characters',
  },
  {
    id: 'bare-address',
    feature: 'context.risky',
    fields: commandFields,
    pattern: /(?:https?|ftp|tcp):\/{2}(?!10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(?:\d{1,3}\.){3}\d{1,3}|\/dev\/tcp\//i,
    text: 'It contacts an address without a name',
  },
  {
    id: 'download-run',
    feature: 'context.risky',
    fields: commandFields,
    pattern:
      /(?:\b(?:iex|invoke-expression|mshta|regsvr32|certutil|bitsadmin)\b.{0,300}https?:|(?:curl|wget)\b.{0,300}\|\s{0,3}(?:sudo\s)?(?:ba|z|da)?sh\b|downloadstring|downloaddata|https?:.{0,300}\|\s{0,3}(?:iex|python\d?|perl)\b)/i,
    isForeign: true,
    text: 'It fetches a program and runs it at once',
  },
  {
    id: 'hidden-path',
    feature: 'context.risky',
    fields: ['process.executable', 'process.command_line', 'file.path'],
    pattern: /(?:^|[\s"'=>])\/(?:tmp|var|dev|usr|etc|opt|lib|srv|boot)\/(?:[\w.-]{1,64}\/){0,8}\.[\w-]/,
    text: 'A hidden file or folder lies outside of any home',
  },
  {
    id: 'no-file',
    feature: 'context.risky',
    fields: ['process.executable'],
    pattern: /^\/memfd:|^\/.{1,300} \(deleted\)$/,
    text: 'The file of the program is gone or never was',
  },
  {
    id: 'sealed',
    feature: 'context.risky',
    fields: commandFields,
    pattern:
      /(?:\b(?:7z[ar]?|rar|zip)(?:\.exe)?"?\s.{0,200}\s-(?:hp|p|mhe)|\bopenssl\s{1,3}(?:enc|smime|aes)\b.{0,200}\s-(?:pass|k|kfile|pbkdf2)\b|\bgpg\b.{0,200}\s(?:-c|--symmetric)\b)/i,
    text: 'It seals data with a password',
  },
  {
    id: 'given-password',
    feature: 'context.risky',
    fields: commandFields,
    pattern:
      /(?:\bsshpass\s{1,3}-p|\bplink(?:\.exe)?\s.{0,200}\s-pw\s|\bnet1?(?:\.exe)?\s{1,3}use\s.{0,200}\/u(?:ser)?:\S{1,100}\s{1,3}(?!\/)\S|\bpsexec(?:64)?(?:\.exe)?\s.{0,200}\s-p\s|\s\/password:\S)/i,
    text: 'The password of another machine stands in the command',
  },
  {
    id: 'no-trace-of-host',
    feature: 'context.risky',
    fields: commandFields,
    pattern: /\bUserKnownHostsFile\s{0,2}[= ]\s{0,2}\/dev\/null\b/i,
    text: 'It leaves no record of the machine at the other end',
  },
  {
    id: 'own-agent',
    feature: 'context.risky',
    amount: 2,
    fields: commandFields,
    pattern: /\b(?:stop|disable|mask|kill|pkill|killall|remove|purge|delete|uninstall|rm)\b.{0,80}\bmdr-agent\b/i,
    text: 'It turns against the agent that reports to this portal',
  },
  {
    id: 'encoded',
    feature: 'context.risky',
    fields: commandFields,
    pattern: /(?:\s[-/–—]e(?:c|n|nc\w{0,14})?\s{1,5}["']?[A-Za-z0-9+/=]{40,}|frombase64string|base64\s{1,3}(?:-d|--decode)\b)/i,
    text: 'Its command is encoded',
  },
  {
    id: 'script-client',
    feature: 'context.risky',
    fields: ['user_agent.original'],
    pattern:
      /\b(?:python-requests|python-urllib|aiohttp|go-http-client|curl|wget|axios|okhttp|node-fetch|powershell|bav2ropc|fasthttp|libwww-perl)\b/i,
    text: 'A script library sent it, no browser',
  },
  {
    id: 'outside-source',
    feature: 'context.risky',
    fields: ['source.ip'],
    pattern: new RegExp(`^(?!${internal.source.slice(1)})[0-9a-f.:]{3,45}$`, 'i'),
    except: attempts,
    tactics: [
      'credential-access',
      'initial-access',
      'lateral-movement',
      'persistence',
      'defense-evasion',
      'collection',
      'exfiltration',
      'impact',
    ],
    text: 'It came from a public address',
  },
  {
    id: 'inside-source',
    feature: 'context.internal',
    fields: ['source.ip'],
    pattern: internal,
    techniques: guessing,
    // Not for a machine that takes orders from outside as well.
    never: ['command-and-control', 'collection', 'exfiltration', 'impact'],
    text: 'It came from an internal address',
  },
  {
    id: 'managed-windows',
    feature: 'context.managed',
    fields: ['process.parent.executable', 'process.executable'],
    pattern:
      /^[a-z]:\\(?:windows\\(?:ccm|ccmsetup|ccmcache|softwaredistribution|servicing|winsxs|imecache|adminarsenal)\\|windows\\system32\\(?:msiexec|wuauclt|usoclient|trustedinstaller|gpscript|sppsvc)\.exe$|program files(?: \(x86\))?\\(?:microsoft intune management extension|microsoft configuration manager|microsoft monitoring agent|windows defender advanced threat protection|veeam|veritas|commvault|acronis|backupclient|tanium|ivanti|landesk|manageengine|qualys|tenable|nessus|rapid7|nsclient\+\+|zabbix agent\d?|sophos|crowdstrike|sentinelone|trend micro|bitdefender|eset|kaspersky lab|mcafee|symantec|citrix|vmware|pdq deploy|pdqdeployrunner|chocolatey|puppet labs|opscode|dell|hp|lenovo)\\)/i,
    text: 'Management or protection software is behind it',
  },
  {
    id: 'first-start',
    feature: 'context.managed',
    amount: 2,
    fields: ['process.parent.command_line'],
    // Only administrators write there, and Windows runs the script once, before the first sign-in.
    pattern:
      /^"?(?:[a-z]:\\windows\\system32\\)?cmd(?:\.exe)?"?\s{1,3}\/c\s{1,3}"?[a-z]:\\windows\\setup\\scripts\\(?:setupcomplete|oobe)\.cmd"?\s{0,3}$/i,
    text: 'The script of the first start of Windows is behind it',
  },
  {
    id: 'developer',
    feature: 'context.developer',
    fields: parent,
    pattern:
      /(?:^|[\\/])(?:code|cursor|devenv|rider64|idea64|pycharm64|webstorm64|goland64|clion64|studio64|eclipse|msbuild|vbcscompiler|gitlab-runner|actions-runner|runner\.worker|buildkite-agent|agent\.worker|cargo|rustc|go|gradle|mvn|npm|pnpm|yarn|make|cmake|ninja|bazel)(?:\.exe)?$/i,
    tactics: ['execution', 'defense-evasion', 'command-and-control', 'persistence', 'collection'],
    text: 'A developer’s tool is behind it',
  },
  {
    id: 'managed-command',
    feature: 'context.managed',
    fields: ['process.parent.command_line', 'process.parent.executable', 'process.parent.name', 'process.command_line'],
    pattern:
      /(?:\/\.ansible\/tmp\/ansible-tmp-|\bansible(?:ballz|-playbook)|(?:^|\/)(?:unattended-upgrade[s]?|dpkg|apt(?:-get)?|dnf|yum|rpm|snapd|puppet|salt-minion|salt-call|chef-client|cloud-init|needrestart|logrotate|certbot|restic|borg|bareos-fd|zabbix_agentd|nrpe|dockerd|containerd-shim[\w-]{0,10}|kubelet|gitlab-runner|buildkitd)(?:\s|$))/,
    text: 'Management software of the system is behind it',
  },
];

/** Answers of a web server that gave nothing: not allowed, not found, not understood. */
export const isRefusal = (status: string): boolean => /^4\d\d$/.test(status);

export const outsideSource = contexts.find(({ id }) => id === 'outside-source')!;

export const isInternal = (address: string): boolean => internal.test(address);
