/** Events of the Security log: category, type and action as in Elastic’s Security pipeline, and a summary. */
import { baseName, known, text } from '../doc.ts';
import { type Row, rowOf, type Summarise, type Table } from './event.ts';
import {
  accountLabel,
  fillAccountChange,
  fillCleared,
  fillExplicitLogon,
  fillFilter,
  fillFiltering,
  fillMember,
  fillObject,
  fillPrivileges,
  fillProcessCreated,
  fillProcessEnded,
  fillService,
  fillShare,
  fillSubject,
  fillTargetLogon,
  fillTask,
  fillTicket,
  formatSource,
  logonType,
  memberName,
  taskCommand,
} from './security.ts';

/** Summary such as "ANN\ann did this to the account BOB". */
const change =
  (verb: string): Summarise =>
  ({ data }) =>
    `${accountLabel(data, 'Subject')} ${verb} ${accountLabel(data, 'Target')}`;

const accountRow = (type: string, action: string, verb: string): Row =>
  rowOf('iam', `user ${type}`, action, fillAccountChange, change(verb), 'success');
const groupRow = (type: string, action: string, verb: string): Row =>
  rowOf('iam', `group ${type}`, action, fillMember, change(verb), 'success');

const memberRow = (action: string, verb: string, preposition: string): Row =>
  rowOf(
    'iam',
    'group change',
    action,
    fillMember,
    ({ data }) =>
      `${accountLabel(data, 'Subject')} ${verb} ${memberName(data) ?? known(data.MemberSid) ?? 'a member'} ${preposition} the group ${known(data.TargetUserName) ?? 'unknown'}`,
    'success',
  );

const summariseTicket =
  (label: string): Summarise =>
  ({ data }) => {
    const status = known(data.Status);
    const failed = status !== undefined && Number(status) !== 0;
    const service = known(data.ServiceName);
    return `${label} ${failed ? 'refused' : 'given'} to ${known(data.TargetUserName) ?? 'an unknown account'}${service === undefined ? '' : ` for ${service}`}${formatSource(data)}${failed ? ` (${status})` : ''}`;
  };

const task = (type: string, action: string, verb: string): Row =>
  rowOf(
    'iam configuration',
    `${type} admin`,
    action,
    fillTask,
    ({ data }) => {
      const command = taskCommand(data);
      return `${accountLabel(data, 'Subject')} ${verb} the scheduled task ${known(data.TaskName) ?? ''}${command === undefined ? '' : `: ${command}`}`;
    },
    'success',
  );

const summariseLogon: Summarise = ({ data }) =>
  `${accountLabel(data, 'Target')} logged on${formatSource(data)}${logonType(data) ? ` (${logonType(data)})` : ''}`;

const summariseFailedLogon: Summarise = ({ data }) => {
  const reason = known(data.SubStatus) ?? known(data.Status);
  return `Logon of ${accountLabel(data, 'Target')} failed${formatSource(data)}${reason === undefined ? '' : ` (${reason})`}`;
};

const summariseLogoff: Summarise = ({ data }) => `${accountLabel(data, 'Target')} logged off`;

const summariseProcess: Summarise = ({ data }) =>
  `${baseName(known(data.NewProcessName)) ?? 'A process'} started by ${accountLabel(data, 'Subject')}: ${known(data.CommandLine) ?? known(data.NewProcessName) ?? ''}`;

const summariseShare: Summarise = ({ data }) => {
  const target = known(data.RelativeTargetName);
  return `${accountLabel(data, 'Subject')} opened the share ${known(data.ShareName) ?? ''}${target === undefined ? '' : ` (${target})`}${formatSource(data)}`;
};

const summariseObject: Summarise = ({ data }) =>
  `${accountLabel(data, 'Subject')} accessed ${known(data.ObjectName) ?? 'an object'} with ${baseName(known(data.ProcessName)) ?? 'a process'}`;

const summariseFiltering =
  (verb: string): Summarise =>
  ({ data }) =>
    `${verb} ${baseName(known(data.Application)) ?? 'a process'}: ${known(data.SourceAddress) ?? '?'} to ${known(data.DestAddress) ?? '?'} port ${text(data.DestPort) ?? '?'}`;

export const securityTable: Table = new Map([
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
  [
    4616,
    rowOf(
      'host',
      'change',
      'system-time-changed',
      fillSubject,
      ({ data }) => `${accountLabel(data, 'Subject')} changed the system time`,
      'success',
    ),
  ],
  [4624, rowOf('authentication', 'start', 'logged-in', fillTargetLogon, summariseLogon, 'success')],
  [4625, rowOf('authentication', 'start', 'logon-failed', fillTargetLogon, summariseFailedLogon, 'failure')],
  [4634, rowOf('authentication', 'end', 'logged-out', fillTargetLogon, summariseLogoff, 'success')],
  [4647, rowOf('authentication', 'end', 'logged-out', fillTargetLogon, summariseLogoff, 'success')],
  [
    4648,
    rowOf(
      'authentication',
      'start',
      'logged-in-explicit',
      fillExplicitLogon,
      ({ data }) =>
        `${accountLabel(data, 'Subject')} used the credentials of ${accountLabel(data, 'Target')} for ${known(data.TargetServerName) ?? 'a server'}`,
      'success',
    ),
  ],
  [4656, rowOf('file', 'access', 'object-opened', fillObject, summariseObject)],
  [
    4657,
    rowOf(
      'registry configuration',
      'change',
      'registry-value-modified',
      fillObject,
      ({ data }) =>
        `${accountLabel(data, 'Subject')} changed the registry value ${known(data.ObjectName) ?? ''}\\${known(data.ObjectValueName) ?? ''}`,
      'success',
    ),
  ],
  [4660, rowOf('file', 'deletion', 'object-deleted', fillObject, summariseObject, 'success')],
  [4663, rowOf('file', 'access', 'object-accessed', fillObject, summariseObject, 'success')],
  [
    4670,
    rowOf(
      'iam configuration',
      'admin change',
      'permissions-changed',
      fillObject,
      ({ data }) => `${accountLabel(data, 'Subject')} changed the permissions of ${known(data.ObjectName) ?? 'an object'}`,
      'success',
    ),
  ],
  [
    4672,
    rowOf(
      'iam',
      'admin',
      'logged-in-special',
      fillPrivileges,
      ({ data }) => `${accountLabel(data, 'Subject')} logged on with special privileges`,
      'success',
    ),
  ],
  [
    4673,
    rowOf(
      'iam',
      'admin',
      'privileged-service-called',
      fillPrivileges,
      ({ data }) => `${accountLabel(data, 'Subject')} called the privileged service ${known(data.Service) ?? ''}`,
    ),
  ],
  [4688, rowOf('process', 'start', 'created-process', fillProcessCreated, summariseProcess, 'success')],
  [
    4689,
    rowOf(
      'process',
      'end',
      'exited-process',
      fillProcessEnded,
      ({ data }) => `${baseName(known(data.ProcessName)) ?? 'A process'} ended`,
      'success',
    ),
  ],
  [
    4697,
    rowOf(
      'iam configuration',
      'admin change',
      'service-installed',
      fillService,
      ({ data }) =>
        `${accountLabel(data, 'Subject')} installed the service ${known(data.ServiceName) ?? ''}: ${known(data.ServiceFileName) ?? ''}`,
      'success',
    ),
  ],
  [4698, task('creation', 'scheduled-task-created', 'created')],
  [4699, task('deletion', 'scheduled-task-deleted', 'deleted')],
  [4700, task('change', 'scheduled-task-enabled', 'enabled')],
  [4701, task('change', 'scheduled-task-disabled', 'disabled')],
  [4702, task('change', 'scheduled-task-updated', 'changed')],
  [
    4719,
    rowOf(
      'iam configuration',
      'admin change',
      'changed-audit-config',
      fillSubject,
      ({ data }) => `${accountLabel(data, 'Subject')} changed the audit policy`,
      'success',
    ),
  ],
  [4720, accountRow('creation', 'added-user-account', 'created the account')],
  [4722, accountRow('change', 'enabled-user-account', 'enabled the account')],
  [4723, accountRow('change', 'changed-password', 'changed the password of')],
  [4724, accountRow('change', 'reset-password', 'reset the password of')],
  [4725, accountRow('change', 'disabled-user-account', 'disabled the account')],
  [4726, accountRow('deletion', 'deleted-user-account', 'deleted the account')],
  [4727, groupRow('creation', 'added-group-account', 'created the group')],
  [4728, memberRow('added-member-to-group', 'added', 'to')],
  [4729, memberRow('removed-member-from-group', 'removed', 'from')],
  [4730, groupRow('deletion', 'deleted-group-account', 'deleted the group')],
  [4731, groupRow('creation', 'added-group-account', 'created the group')],
  [4732, memberRow('added-member-to-group', 'added', 'to')],
  [4733, memberRow('removed-member-from-group', 'removed', 'from')],
  [4734, groupRow('deletion', 'deleted-group-account', 'deleted the group')],
  [4735, groupRow('change', 'modified-group-account', 'changed the group')],
  [4737, groupRow('change', 'modified-group-account', 'changed the group')],
  [4738, accountRow('change', 'modified-user-account', 'changed the account')],
  [
    4740,
    rowOf(
      'iam',
      'user change',
      'locked-out-user-account',
      fillAccountChange,
      ({ data }) =>
        `The account ${known(data.TargetUserName) ?? 'unknown'} was locked out${known(data.TargetDomainName) ? ` (caller ${known(data.TargetDomainName)})` : ''}`,
      'success',
    ),
  ],
  [4741, accountRow('creation admin', 'added-computer-account', 'created the computer account')],
  [4742, accountRow('change admin', 'changed-computer-account', 'changed the computer account')],
  [4743, accountRow('deletion admin', 'deleted-computer-account', 'deleted the computer account')],
  [4754, groupRow('creation', 'added-group-account', 'created the group')],
  [4756, memberRow('added-member-to-group', 'added', 'to')],
  [4757, memberRow('removed-member-from-group', 'removed', 'from')],
  [4767, accountRow('change', 'unlocked-user-account', 'unlocked the account')],
  [
    4768,
    rowOf('authentication', 'start', 'kerberos-authentication-ticket-requested', fillTicket, summariseTicket('Kerberos ticket')),
  ],
  [
    4769,
    rowOf('authentication', 'start', 'kerberos-service-ticket-requested', fillTicket, summariseTicket('Kerberos service ticket')),
  ],
  [
    4770,
    rowOf(
      'authentication',
      'start',
      'kerberos-service-ticket-renewed',
      fillTicket,
      summariseTicket('Renewed Kerberos service ticket'),
      'success',
    ),
  ],
  [
    4771,
    rowOf(
      'authentication',
      'start',
      'kerberos-preauth-failed',
      fillTicket,
      summariseTicket('Kerberos pre-authentication'),
      'failure',
    ),
  ],
  [4776, rowOf('authentication', 'start', 'credential-validated', fillTicket, summariseTicket('NTLM validation'))],
  [
    4778,
    rowOf(
      'authentication session',
      'start',
      'session-reconnected',
      fillTargetLogon,
      ({ data }) => `${known(data.AccountName) ?? 'A user'} reconnected to a session`,
      'success',
    ),
  ],
  [
    4779,
    rowOf(
      'authentication session',
      'end',
      'session-disconnected',
      fillTargetLogon,
      ({ data }) => `${known(data.AccountName) ?? 'A user'} disconnected from a session`,
      'success',
    ),
  ],
  [4781, accountRow('change', 'renamed-user-account', 'renamed the account')],
  [
    5136,
    rowOf(
      'iam configuration',
      'change',
      'directory-object-modified',
      fillSubject,
      ({ data }) =>
        `${accountLabel(data, 'Subject')} changed ${known(data.AttributeLDAPDisplayName) ?? 'an attribute'} of ${known(data.ObjectDN) ?? 'a directory object'}`,
      'success',
    ),
  ],
  [5140, rowOf('network file', 'info access', 'network-share-object-accessed', fillShare, summariseShare, 'success')],
  [5145, rowOf('network file', 'info access', 'network-share-object-access-checked', fillShare, summariseShare)],
  [
    5156,
    rowOf(
      'network',
      'connection allowed',
      'windows-firewall-connection',
      fillFiltering,
      summariseFiltering('Connection allowed for'),
      'success',
    ),
  ],
  [
    5157,
    rowOf(
      'network',
      'connection denied',
      'windows-firewall-packet-block',
      fillFiltering,
      summariseFiltering('Connection blocked for'),
      'failure',
    ),
  ],
  [5441, filterRow('windows-firewall-filter-present', 'A filter was there when the filtering platform started')],
  [5447, filterRow('windows-firewall-filter-changed', 'A filter of the filtering platform was changed')],
]);

function filterRow(action: string, words: string): Row {
  return rowOf(
    'configuration network',
    'change',
    action,
    fillFilter,
    ({ data }) => `${words}: ${known(data.FilterName) ?? 'no name'}`,
  );
}
