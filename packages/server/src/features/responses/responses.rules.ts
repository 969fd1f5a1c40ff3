/** Response actions, approval rules and manual steps, without a database. */

import { may, providerId, type RoleHolder } from '@parapet/contract/access.ts';
import { type AgentAction, accountName } from '@parapet/contract/agentProtocol.ts';
import type { Response } from '@parapet/contract/caseDetail.ts';
import { dayMs, durationText } from '@parapet/contract/rules/duration.ts';
import type { VendorTaskAction } from '../../core/db/tables.connections.ts';
import type { Tables } from '../../core/db/tables.ts';
import { isWorkingHours } from '../../domain/workingHours.ts';

export type Action = Response['action'];

interface Kind {
  /** The undoing or undone action; ended processes and collected files have none. */
  opposite?: Action;
  isUndo: boolean;
  /** Flag that it sets or drops; that of `block` depends on its target. */
  flag?: 'deviceIsolated' | 'userDisabled';
  /** Agent task that executes it; none for addresses and hashes. */
  task?: AgentAction;
  /** Action of a client's vendor that executes it. */
  vendorTask?: VendorTaskAction;
  /** On an account of a directory, never of a host. */
  isOfDirectory?: boolean;
  text: string;
}
export const actions: Record<Action, Kind> = {
  isolate: {
    opposite: 'unisolate',
    isUndo: false,
    flag: 'deviceIsolated',
    task: 'isolate',
    vendorTask: 'isolate',
    text: 'Isolation of',
  },
  unisolate: {
    opposite: 'isolate',
    isUndo: true,
    flag: 'deviceIsolated',
    task: 'unisolate',
    vendorTask: 'unisolate',
    text: 'Release from isolation of',
  },
  blockUser: {
    opposite: 'unblockUser',
    isUndo: false,
    flag: 'userDisabled',
    task: 'blockUser',
    vendorTask: 'disableUser',
    text: 'Blocking of user',
  },
  unblockUser: {
    opposite: 'blockUser',
    isUndo: true,
    flag: 'userDisabled',
    task: 'unblockUser',
    vendorTask: 'enableUser',
    text: 'Unblocking of user',
  },
  block: { opposite: 'unblock', isUndo: false, text: 'Blocking of' },
  unblock: { opposite: 'block', isUndo: true, text: 'Unblocking of' },
  disable: {
    opposite: 'reenable',
    isUndo: false,
    flag: 'userDisabled',
    task: 'blockUser',
    vendorTask: 'disableUser',
    text: 'Disabling of user',
  },
  reenable: {
    opposite: 'disable',
    isUndo: true,
    flag: 'userDisabled',
    task: 'unblockUser',
    vendorTask: 'enableUser',
    text: 'Reenabling of user',
  },
  killProcess: { isUndo: false, task: 'killProcess', text: 'Ending of process' },
  collectFile: { isUndo: false, task: 'collectFile', text: 'Collecting of file' },
  revokeSessions: { isUndo: false, isOfDirectory: true, vendorTask: 'revokeSessions', text: 'Revocation of all sessions of' },
  resetFactors: { isUndo: false, isOfDirectory: true, vendorTask: 'resetFactors', text: 'Reset of the factors of' },
};
export const kindOf = ({ action }: { action: string }): Kind => actions[action as Action];

export const textOf = (response: { action: string; target: string; device_name: string | null }): string =>
  `${kindOf(response).text} ${response.target}${response.device_name ? ` on ${response.device_name}` : ''}`.slice(0, 1500);

/** The target device of an action on one device. */
export const deviceOf = ({ action, target, device_name }: { action: string; target: string; device_name: string | null }) =>
  kindOf({ action }).flag === 'deviceIsolated' ? target : device_name || undefined;

export const isOfUser = (response: { action: string }): boolean =>
  kindOf(response).flag === 'userDisabled' || kindOf(response).isOfDirectory === true;

/** True for an action and target that an agent accepts; others are executed manually. */
export function isForAgents({ action, target }: { action: string; target: string }): boolean {
  const { task } = kindOf({ action });
  if (task === 'blockUser' || task === 'unblockUser') return accountName.safeParse(target).success;
  return task !== undefined;
}

export const expiryMs = dayMs;
/** Default automatic release in hours when the request sets none. */
export const defaultReleaseHours = 24;

// Approval

export type Rule = Pick<Tables['approval_rules'], 'action' | 'device_type' | 'hours' | 'approvers'> & {
  persons: number;
  silence: 'expire' | 'approve';
  wait_minutes: number;
};

const weightOf = ({ action, device_type, hours }: Rule): number =>
  (action === null ? 0 : 4) + (device_type === null ? 0 : 2) + (hours === 'always' ? 0 : 1);

/** The most specific matching rule; of equally specific ones, as for an account on devices of several types, the strictest. */
export function ruleFor<R extends Rule>(
  rules: readonly R[],
  { action, deviceTypes, now, timeZone }: { action: Action; deviceTypes: readonly string[]; now: number; timeZone: string },
): R | undefined {
  const isWork = isWorkingHours(now, timeZone);
  const approvalsNeeded = ({ approvers, persons }: Rule) => (approvers === 'nobody' ? 0 : persons);
  return rules
    .filter(
      (rule) =>
        (rule.action === null || rule.action === action) &&
        (rule.device_type === null || deviceTypes.includes(rule.device_type)) &&
        (rule.hours === 'always' || (rule.hours === 'workingHours') === isWork),
    )
    .sort((a, b) => weightOf(b) - weightOf(a) || approvalsNeeded(b) - approvalsNeeded(a))[0];
}

/** Actions that a second person approves unless a rule names exactly this: reading a file, ending a process, resetting factors, isolating a server. */
export const needsSecondPerson = (action: Action, deviceTypes: readonly string[]): boolean =>
  action === 'collectFile' ||
  action === 'killProcess' ||
  action === 'resetFactors' ||
  (action === 'isolate' && deviceTypes.includes('server'));

/** True for a rule that names exactly this action, and may therefore weaken the default. */
export const namesSensitive = (rule: Rule, action: Action): boolean =>
  rule.action === action && (action !== 'isolate' || rule.device_type === 'server');

export const defaultApprovalText = (action: Action): string =>
  `${actionLabels[action]}${action === 'isolate' ? ' on servers' : ''} is approved by another person who may respond; after 1 h of silence it expires.`;

const actionLabels: Record<Action, string> = {
  isolate: 'Isolating',
  unisolate: 'Releasing from isolation',
  blockUser: 'Blocking a user',
  unblockUser: 'Unblocking a user',
  block: 'Blocking an artifact',
  unblock: 'Unblocking an artifact',
  disable: 'Disabling a user',
  reenable: 'Reenabling a user',
  killProcess: 'Ending a process',
  collectFile: 'Collecting a file',
  revokeSessions: 'Revoking sessions',
  resetFactors: 'Resetting factors',
};
const typeLabels: Record<string, string> = {
  server: 'servers',
  workstation: 'workstations',
  networkDevice: 'network devices',
  productivity: 'productivity suites',
  cloudPlatform: 'cloud platforms',
  cloudApp: 'cloud applications',
};
const hourLabels = { always: '', workingHours: ' in working hours', outsideWorkingHours: ' outside working hours' };
const approverLabels = { client: 'the client', partner: 'the partner', provider: 'the provider' };

export function ruleText(rule: Rule): string {
  const what = `${rule.action === null ? 'Every response' : actionLabels[rule.action as Action]}${
    rule.device_type === null ? '' : ` on ${typeLabels[rule.device_type] ?? rule.device_type}`
  }${hourLabels[rule.hours]}`;
  if (rule.approvers === 'nobody') return `${what} needs no approval.`;
  const who = `${rule.persons === 1 ? '1 person' : `${rule.persons} people`} of ${approverLabels[rule.approvers]}`;
  const then = rule.silence === 'approve' ? 'counts as approved' : 'expires';
  return `${what} is approved by ${who}; after ${durationText(rule.wait_minutes)} of silence it ${then}.`;
}

/** True for an approver of the kind, by home organisation; `null` accepts anyone with access to responses there. */
export function mayApproveAs(
  kind: 'client' | 'partner' | 'provider' | null,
  who: RoleHolder,
  home: { organisation_id: number; parent_id: number | null; is_partner: boolean },
): boolean {
  if (!may(who, 'responses:write')) return false;
  if (kind === null) return true;
  if (kind === 'provider') return who.organisationId === providerId;
  if (kind === 'client') return who.organisationId === home.organisation_id;
  return who.isPartner && who.organisationId === (home.is_partner ? home.organisation_id : home.parent_id);
}
export const approversText = (kind: 'client' | 'partner' | 'provider' | null): string =>
  kind === null ? 'another person who may respond' : `the staff of ${approverLabels[kind]}`;

/** All spellings of an account: CORP\ada, ada@corp.example and ada. */
export function accountKeys(name: string): string[] {
  const whole = name.trim().toLowerCase();
  const bare = whole.slice(whole.lastIndexOf('\\') + 1).split('@', 1)[0] ?? '';
  return bare === '' ? [whole] : [whole, bare];
}

// Manual steps

export interface Place {
  name: string;
  deviceType: string;
  agentVersion: string | null;
}

/** Names come from events: only a harmless one goes into a command that people copy. */
const isPlain = (name: string): boolean => /^[A-Za-z0-9_][\w.-]{0,63}$/.test(name);

function systemOf(place: Place | undefined): 'windows' | 'linux' | 'network' | 'cloud' | 'unknown' {
  if (!place) return 'unknown';
  if (place.deviceType === 'networkDevice') return 'network';
  if (place.deviceType !== 'server' && place.deviceType !== 'workstation') return 'cloud';
  const version = place.agentVersion?.toLowerCase() ?? '';
  if (version.startsWith('winlogbeat')) return 'windows';
  return /^(mdr-agent|auditbeat|journalbeat|rsyslog)/.test(version) ? 'linux' : 'unknown';
}

/** Manual steps for an action that no agent executes. */
export function instructionsFor(
  response: { action: string; target: string; device_name: string | null; expected_name: string },
  place: Place | undefined,
): string[] {
  const action = response.action as Action;
  const system = systemOf(place);
  const where = deviceOf(response) ?? place?.name;
  const onDevice = where === undefined ? 'the directory or system that holds the account' : where;
  const name = isPlain(response.target) ? response.target : '<account>';
  const last = 'Verify the result, then confirm here and describe how you verified it. If it cannot be done, mark it as failed.';
  const isOff = !actions[action].isUndo;
  const byUser: Record<string, string> = {
    windows: isOff
      ? `In PowerShell as an administrator: Disable-LocalUser -Name "${name}", then log off its sessions (quser, logoff).`
      : `In PowerShell as an administrator: Enable-LocalUser -Name "${name}".`,
    linux: isOff
      ? `As root: usermod -L -e 1 "${name}", then loginctl terminate-user "${name}".`
      : `As root: usermod -U -e "" "${name}".`,
  };
  const block = [
    `Block the account ${response.target} in ${onDevice}.`,
    byUser[system] ?? 'Disable the account there and end all of its sessions and tokens.',
  ];
  const unblock = [
    `Unblock the account ${response.target} in ${onDevice}.`,
    byUser[system] ?? 'Enable the account there and require a new password.',
  ];
  const listed = `the block list of the firewall, proxy or endpoint protection${where ? ` that covers ${where}` : ''}`;
  const steps: Record<Action, string[]> = {
    isolate: [
      `Find the switch port, the wireless session or the hypervisor’s network card of ${where}.`,
      system === 'windows'
        ? 'Shut that port, or on the device as an administrator: netsh advfirewall set allprofiles firewallpolicy blockinbound,blockoutbound.'
        : system === 'network' || system === 'cloud'
          ? 'Shut its ports, or move it to a network or security group without outbound access.'
          : 'Shut that port, or move it to a network without outbound access.',
      'Leave the device running, so that its memory can be examined.',
    ],
    unisolate: [
      `Reopen the port of ${where}, or move it back to its network.`,
      ...(system === 'windows'
        ? ['If its firewall was closed: netsh advfirewall set allprofiles firewallpolicy blockinbound,allowoutbound.']
        : []),
    ],
    blockUser: block,
    disable: block,
    unblockUser: unblock,
    reenable: unblock,
    block: [`Add ${response.target} to ${listed}.`],
    unblock: [`Remove ${response.target} from ${listed}.`],
    killProcess: [
      `Sign in to ${where} and check that process ${response.target} is still ${response.expected_name || 'the intended one'}.`,
      'End it with its child processes. If it has another name by now, leave it running and note that.',
    ],
    collectFile: [
      `Sign in to ${where} and copy ${response.target} without opening it; note its SHA-256 and size.`,
      'Store the copy with the evidence of the case, and include the hash in your confirmation.',
    ],
    revokeSessions: [`In the directory that holds ${response.target}, revoke all of its sessions and refresh tokens.`],
    resetFactors: [
      `In the directory that holds ${response.target}, remove all of its second factors.`,
      'Verify the identity of the user over another channel before new factors are enrolled.',
    ],
  };
  return [...steps[action], last].map((text) => text.slice(0, 2000));
}
