/** Events of the smaller Windows logs that detection rules use: services, Defender, remote desktop, tasks, WMI, firewall. */
import type { Document } from '../../event.ts';
import { baseName, fill, ip, known, section, text } from '../doc.ts';
import { account, fillFile, fillUser, type Row, rowOf, type Summarise, type Table, type WindowsEvent } from './event.ts';
import { accountLabel, fillCleared, fillService } from './security.ts';

const serviceName = (data: Document): string => known(data.ServiceName) ?? known(data.param1) ?? 'unknown';

export const serviceTable: Table = new Map([
  [
    7045,
    rowOf(
      'configuration',
      'creation',
      'service-installed',
      fillService,
      ({ data }) =>
        `Service ${serviceName(data)} installed: ${known(data.ImagePath) ?? ''}${known(data.AccountName) ? ` (as ${known(data.AccountName)})` : ''}`,
    ),
  ],
  [
    7036,
    rowOf(
      'process',
      'change',
      'service-state-changed',
      fillService,
      ({ data }) => `Service ${serviceName(data)} is now ${known(data.param2) ?? 'in another state'}`,
    ),
  ],
  [
    7040,
    rowOf(
      'configuration',
      'change',
      'service-start-type-changed',
      fillService,
      ({ data }) =>
        `Start type of service ${serviceName(data)} changed from ${known(data.param2) ?? '?'} to ${known(data.param3) ?? '?'}`,
    ),
  ],
  [
    7034,
    rowOf(
      'process',
      'end',
      'service-terminated-unexpectedly',
      fillService,
      ({ data }) => `Service ${serviceName(data)} ended unexpectedly`,
    ),
  ],
]);

const fillLogCleared = (event: WindowsEvent): void => {
  fillCleared(event);
  const path = known(event.data.BackupPath);
  if (path !== undefined) fillFile(event.document, path);
};

export const eventlogTable: Table = new Map([
  [
    104,
    rowOf(
      'configuration',
      'deletion',
      'event-log-cleared',
      fillLogCleared,
      ({ data }) => `${accountLabel(data, 'Subject')} cleared the event log ${known(data.Channel) ?? ''}`,
      'success',
    ),
  ],
  [1100, rowOf('process', 'end', 'logging-service-shutdown', undefined, () => 'The event log service was shut down', 'success')],
  [
    1102,
    rowOf(
      'iam',
      'admin change',
      'audit-log-cleared',
      fillCleared,
      ({ data }) => `${accountLabel(data, 'Subject')} cleared the audit log`,
      'success',
    ),
  ],
]);

function fillThreat({ document, data }: WindowsEvent): void {
  const threat = known(data['Threat Name']);
  if (threat !== undefined) fill(section(document, 'rule'), 'name', threat);
  const user = known(data['Detection User']) ?? known(data.User);
  if (user !== undefined) fillUser(section(document, 'user'), user);
  const process = known(data['Process Name']);
  if (process !== undefined && process !== 'Unknown') {
    fill(section(document, 'process'), 'executable', process);
    fill(section(document, 'process'), 'name', baseName(process));
  }
  // `file:_C:\x\y.exe; containerfile:_C:\x\z.zip`
  const path = /(?:^|;\s?)file:_([^;>]{1,1000})/.exec(known(data.Path)?.slice(0, 4000) ?? '')?.[1];
  if (path !== undefined) fillFile(document, path.replace(/->.*$/, ''));
}

const threat =
  (verb: string): Summarise =>
  ({ data }) =>
    `Defender ${verb} ${known(data['Threat Name']) ?? 'a threat'}${known(data.Path) ? ` in ${known(data.Path)}` : ''}${known(data['Detection User']) ? ` (${known(data['Detection User'])})` : ''}`;

const protection = (what: string): Row => rowOf('configuration', 'change', 'protection-changed', undefined, () => what);

export const defenderTable: Table = new Map([
  [1006, rowOf('malware', 'info', 'malware-found', fillThreat, threat('found'))],
  [1007, rowOf('malware', 'info', 'malware-action-taken', fillThreat, threat('acted on'))],
  [1008, rowOf('malware', 'info', 'malware-action-failed', fillThreat, threat('failed to act on'), 'failure')],
  [
    1013,
    rowOf('malware', 'deletion', 'malware-history-deleted', fillThreat, () => 'The malware history of Defender was deleted'),
  ],
  [1015, rowOf('malware', 'info', 'suspicious-behaviour', fillThreat, threat('saw the behaviour of'))],
  [1116, rowOf('malware', 'info', 'malware-detected', fillThreat, threat('detected'))],
  [1117, rowOf('malware', 'info', 'malware-action-taken', fillThreat, threat('acted on'), 'success')],
  [1118, rowOf('malware', 'info', 'malware-action-failed', fillThreat, threat('failed to act on'), 'failure')],
  [1119, rowOf('malware', 'info', 'malware-action-failed', fillThreat, threat('failed to act on'), 'failure')],
  [
    1121,
    rowOf(
      'intrusion_detection',
      'denied',
      'attack-surface-rule-blocked',
      fillThreat,
      ({ data }) => `An attack surface rule blocked ${known(data['Process Name']) ?? 'a process'}: ${known(data.Path) ?? ''}`,
    ),
  ],
  [5001, protection('Real-time protection of Defender was disabled')],
  [5004, protection('Real-time protection of Defender was changed')],
  [
    5007,
    rowOf(
      'configuration',
      'change',
      'protection-changed',
      undefined,
      ({ data }) => `The configuration of Defender changed: ${known(data['New Value']) ?? ''}`,
    ),
  ],
  [5010, protection('Scanning for malware was disabled in Defender')],
  [5012, protection('Scanning for viruses was disabled in Defender')],
  [
    5013,
    rowOf(
      'configuration',
      'change',
      'tamper-protection-blocked',
      undefined,
      ({ data }) => `Tamper protection blocked a change: ${known(data.Value) ?? known(data['Changed Type']) ?? ''}`,
    ),
  ],
]);

/** Remote desktop: the user and the client's address, named or as Param1 to Param3. */
function fillSession({ document, data }: WindowsEvent): void {
  const user = section(document, 'user');
  if (data.Param1 !== undefined) {
    fill(user, 'name', known(data.Param1));
    fill(user, 'domain', known(data.Param2));
  } else fillUser(user, data.User);
  const address = ip(data.Param3 ?? data.Address);
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
}

const session =
  (verb: string): Summarise =>
  ({ data }) => {
    const user = data.Param1 === undefined ? known(data.User) : account(known(data.Param2), known(data.Param1));
    const from = ip(data.Param3 ?? data.Address);
    return `${user ?? 'A user'} ${verb}${from === undefined ? '' : ` from ${from}`}`;
  };

export const terminalTable: Table = new Map([
  [
    21,
    rowOf(
      'authentication session',
      'start',
      'session-logon',
      fillSession,
      session('logged on to a remote desktop session'),
      'success',
    ),
  ],
  [22, rowOf('session', 'start', 'shell-started', fillSession, session('started a remote desktop shell'), 'success')],
  [
    23,
    rowOf(
      'authentication session',
      'end',
      'session-logoff',
      fillSession,
      session('logged off a remote desktop session'),
      'success',
    ),
  ],
  [24, rowOf('session', 'end', 'session-disconnected', fillSession, session('disconnected a remote desktop session'), 'success')],
  [
    25,
    rowOf(
      'authentication session',
      'start',
      'session-reconnected',
      fillSession,
      session('reconnected a remote desktop session'),
      'success',
    ),
  ],
  [
    1149,
    rowOf(
      'authentication',
      'start',
      'remote-desktop-authenticated',
      fillSession,
      session('authenticated to remote desktop'),
      'success',
    ),
  ],
]);

function fillScheduled({ document, data }: WindowsEvent): void {
  const user = known(data.UserContext) ?? known(data.UserName);
  if (user !== undefined) fillUser(section(document, 'user'), user);
  const path = known(data.ActionName) ?? known(data.Path);
  if (path !== undefined && /[\\/]/.test(path)) {
    fill(section(document, 'process'), 'executable', path);
    fill(section(document, 'process'), 'name', baseName(path));
  }
}

const scheduled =
  (verb: string): Summarise =>
  ({ data }) => {
    const user = known(data.UserContext) ?? known(data.UserName);
    return `Scheduled task ${known(data.TaskName) ?? ''} ${verb}${user === undefined ? '' : ` (${user})`}${known(data.ActionName) ? `: ${known(data.ActionName)}` : ''}`;
  };

export const taskTable: Table = new Map([
  [106, rowOf('configuration', 'creation', 'scheduled-task-created', fillScheduled, scheduled('registered'), 'success')],
  [129, rowOf('process', 'start', 'scheduled-task-process-created', fillScheduled, scheduled('started a process'))],
  [140, rowOf('configuration', 'change', 'scheduled-task-updated', fillScheduled, scheduled('updated'), 'success')],
  [141, rowOf('configuration', 'deletion', 'scheduled-task-deleted', fillScheduled, scheduled('deleted'), 'success')],
  [200, rowOf('process', 'start', 'scheduled-task-executed', fillScheduled, scheduled('ran'))],
  [201, rowOf('process', 'end', 'scheduled-task-completed', fillScheduled, scheduled('completed'))],
]);

export const wmiTable: Table = new Map([
  [
    5857,
    rowOf(
      'process',
      'info',
      'wmi-provider-started',
      undefined,
      ({ data }) => `WMI provider ${known(data.ProviderName) ?? ''} started: ${known(data.ProviderPath) ?? ''}`,
    ),
  ],
  [
    5858,
    rowOf(
      'process',
      'error',
      'wmi-operation-failed',
      ({ document, data }) => fillUser(section(document, 'user'), data.User),
      ({ data }) => `WMI operation failed: ${known(data.Operation) ?? ''}`,
      'failure',
    ),
  ],
  [
    5860,
    rowOf(
      'process',
      'info',
      'wmi-temporary-subscription',
      ({ document, data }) => fillUser(section(document, 'user'), data.User),
      ({ data }) => `Temporary WMI event subscription: ${known(data.Query) ?? ''}`,
    ),
  ],
  [
    5861,
    rowOf(
      'configuration',
      'creation',
      'wmi-permanent-subscription',
      undefined,
      ({ data }) => `Permanent WMI event subscription: ${known(data.CONSUMER) ?? known(data.ESS) ?? ''}`,
    ),
  ],
]);

function fillFirewallRule({ document, data }: WindowsEvent): void {
  const name = known(data.RuleName);
  if (name !== undefined) fill(section(document, 'rule'), 'name', name);
  const path = known(data.ModifyingApplication);
  if (path !== undefined) {
    fill(section(document, 'process'), 'executable', path);
    fill(section(document, 'process'), 'name', baseName(path));
  }
}

const firewallRule =
  (verb: string): Summarise =>
  ({ data }) =>
    `Firewall rule ${known(data.RuleName) ?? text(data.RuleId) ?? ''} ${verb}${known(data.ModifyingApplication) ? ` by ${baseName(known(data.ModifyingApplication))}` : ''}`;

export const firewallTable: Table = new Map(
  [
    [2003, 'change', 'firewall-profile-changed', 'or profile changed'],
    [2004, 'creation', 'firewall-rule-added', 'added'],
    [2005, 'change', 'firewall-rule-changed', 'changed'],
    [2006, 'deletion', 'firewall-rule-deleted', 'deleted'],
    [2033, 'deletion', 'firewall-rules-deleted', 'and all others deleted'],
    [2071, 'creation', 'firewall-rule-added', 'added'],
    [2097, 'creation', 'firewall-rule-added', 'added'],
  ].map(([id, type, action, verb]) => [
    id as number,
    rowOf('configuration', type as string, action as string, fillFirewallRule, firewallRule(verb as string)),
  ]),
);
