/**
 * ECS fields of Security log events. The choice of `user` follows Elastic’s Security pipeline: for a logon the account that
 * logs on, for a change of an account the one that makes it, with the changed one in `user.target`.
 */
import type { Document } from '../../event.ts';
import { fill, ip, known, number, port, section, text } from '../doc.ts';
import { account, fillAccount, fillFile, fillImage, fillRegistry, fillUser, type WindowsEvent } from './event.ts';

const logonTypes: Record<string, string> = {
  '0': 'System',
  '2': 'Interactive',
  '3': 'Network',
  '4': 'Batch',
  '5': 'Service',
  '7': 'Unlock',
  '8': 'NetworkCleartext',
  '9': 'NewCredentials',
  '10': 'RemoteInteractive',
  '11': 'CachedInteractive',
  '12': 'CachedRemoteInteractive',
  '13': 'CachedUnlock',
};

/** Display form of the account with a prefix. */
export function accountLabel(data: Document, prefix: 'Subject' | 'Target'): string {
  return account(known(data[`${prefix}DomainName`]), known(data[`${prefix}UserName`])) ?? 'an unknown account';
}

/** ` from 203.0.113.9`, ` from WS01 (203.0.113.9)` or nothing. */
export function formatSource(data: Document): string {
  const address = ip(data.IpAddress ?? data.ClientAddress);
  const station = known(data.WorkstationName ?? data.Workstation);
  if (address === undefined) return station === undefined ? '' : ` from ${station}`;
  return station === undefined ? ` from ${address}` : ` from ${station} (${address})`;
}

export function logonType(data: Document): string | undefined {
  return logonTypes[text(data.LogonType) ?? ''];
}

function fillSource({ document, data }: WindowsEvent): void {
  const address = ip(data.IpAddress ?? data.ClientAddress);
  const station = known(data.WorkstationName ?? data.Workstation ?? data.ClientName);
  if (address === undefined && station === undefined) return;
  const source = section(document, 'source');
  fill(source, 'ip', address);
  fill(source, 'port', port(data.IpPort));
  fill(source, 'domain', station);
}

/** A process named by `ProcessName`/`ProcessId` (hexadecimal in this log). */
function fillProcess({ document, data }: WindowsEvent, image: unknown = data.ProcessName): void {
  const pid = number(data.ProcessId);
  if (known(image) === undefined && !pid) return;
  fillImage(section(document, 'process'), image, pid === 0 ? undefined : pid, undefined);
}

/** 4624, 4625, 4634, 4647, 4778, 4779: the account that logs on or off is the user. */
export function fillTargetLogon(event: WindowsEvent): void {
  const { document, data } = event;
  const prefix = data.TargetUserName === undefined ? 'Subject' : 'Target';
  const user = section(document, 'user');
  if (data.TargetUserName === undefined && data.AccountName !== undefined) {
    fill(user, 'name', known(data.AccountName));
    fill(user, 'domain', known(data.AccountDomain));
  } else fillAccount(user, data, prefix);
  fillSource(event);
  if (event.id === 4624 || event.id === 4625) fillProcess(event);
}

/** 4648: the subject uses other credentials. */
export function fillExplicitLogon(event: WindowsEvent): void {
  const { document, data } = event;
  const user = section(document, 'user');
  fillAccount(user, data, 'Subject');
  fillAccount(section(user, 'effective'), data, 'Target');
  fillSource(event);
  fillProcess(event);
  const server = known(data.TargetServerName);
  if (server !== undefined && server !== 'localhost') fill(section(document, 'destination'), 'domain', server);
}

/** The subject is the user; nothing else is common to these events. */
export function fillSubject(event: WindowsEvent): void {
  fillAccount(section(event.document, 'user'), event.data, 'Subject');
}

/** 4672, 4673: special privileges. */
export function fillPrivileges(event: WindowsEvent): void {
  fillSubject(event);
  if (event.id === 4673) fillProcess(event);
  const privileges = known(event.data.PrivilegeList);
  if (privileges !== undefined) {
    const list = privileges.slice(0, 4000).split(/\s+/).filter(Boolean);
    fill(section(event.document, 'winlog'), 'privileges', list);
  }
}

/** 4688: a process was created; its new id is the process, the creator its parent. */
export function fillProcessCreated(event: WindowsEvent): void {
  const { document, data } = event;
  const process = section(document, 'process');
  fillImage(process, data.NewProcessName, data.NewProcessId, undefined);
  fill(process, 'command_line', known(data.CommandLine));
  const parent = section(process, 'parent');
  fillImage(parent, data.ParentProcessName, data.ProcessId, undefined);
  const user = section(document, 'user');
  fillAccount(user, data, 'Subject');
  if (known(data.TargetUserName)) fillAccount(section(user, 'effective'), data, 'Target');
}

/** 4689: a process ended. */
export function fillProcessEnded(event: WindowsEvent): void {
  fillSubject(event);
  fillProcess(event);
}

/** 4697 and 7045, 7040, 7036: a service. */
export function fillService(event: WindowsEvent): void {
  const { document, data } = event;
  if (event.id === 4697) fillSubject(event);
  const name = known(data.ServiceName) ?? known(data.param1);
  const service = section(document, 'service');
  fill(service, 'name', name);
  const image = known(data.ImagePath) ?? known(data.ServiceFileName);
  if (image !== undefined) {
    fill(service, 'address', image);
    const quoted = /^"([^"]+)"/.exec(image)?.[1];
    fillFile(document, quoted ?? image.split(' ', 1)[0]);
  }
}

/** 4698–4702: a scheduled task; its XML stays in `winlog.event_data.TaskContent`. */
export function fillTask(event: WindowsEvent): void {
  fillSubject(event);
  const command = taskCommand(event.data);
  if (command !== undefined) fill(section(event.document, 'process'), 'command_line', command);
}

/** Returns the command of a task’s XML (`<Command>` and `<Arguments>`), searched in the first 16,000 characters. */
export function taskCommand(data: Document): string | undefined {
  const xml = text(data.TaskContent ?? data.TaskContentNew)?.slice(0, 16_000);
  if (xml === undefined) return undefined;
  const command = between(xml, '<Command>', '</Command>');
  if (command === undefined) return undefined;
  const parameters = between(xml, '<Arguments>', '</Arguments>');
  return parameters === undefined ? command : `${command} ${parameters}`;
}

function between(value: string, open: string, close: string): string | undefined {
  const start = value.indexOf(open);
  const end = start < 0 ? -1 : value.indexOf(close, start);
  return end < 0 ? undefined : value.slice(start + open.length, end);
}

/** 4720 and its kin: the subject changes an account. */
export function fillAccountChange(event: WindowsEvent): void {
  const { document, data } = event;
  const user = section(document, 'user');
  if (event.id === 4740) {
    // The subject of a lockout is the domain controller itself; the event is about the account that is locked.
    fillAccount(user, data, 'Target');
    const caller = known(data.TargetDomainName);
    delete user.domain;
    fill(user, 'domain', known(data.SubjectDomainName));
    if (caller !== undefined) fill(section(document, 'source'), 'domain', caller.replace(/^\\\\/, ''));
    return;
  }
  fillAccount(user, data, 'Subject');
  const target = section(user, 'target');
  if (event.id === 4781) {
    fill(target, 'name', known(data.NewTargetUserName));
    fill(section(user, 'changes'), 'name', known(data.OldTargetUserName));
  } else fillAccount(target, data, 'Target');
}

/** 4728, 4732, 4756 and their opposites: the subject changes a group; the member is the target. */
export function fillMember(event: WindowsEvent): void {
  const { document, data } = event;
  const user = section(document, 'user');
  fillAccount(user, data, 'Subject');
  const group = section(document, 'group');
  fill(group, 'name', known(data.TargetUserName));
  fill(group, 'domain', known(data.TargetDomainName));
  fill(group, 'id', known(data.TargetSid));
  const name = memberName(data);
  const sid = known(data.MemberSid);
  if (name !== undefined || sid !== undefined) {
    const target = section(user, 'target');
    fill(target, 'name', name);
    fill(target, 'id', sid);
  }
}

/** The common name of a member's distinguished name: `CN=Ann Lee,OU=…` → `Ann Lee`. */
export function memberName(data: Document): string | undefined {
  const member = known(data.MemberName);
  return member === undefined ? undefined : (/^CN=((?:[^,\\]|\\.)+)/i.exec(member.slice(0, 1000))?.[1] ?? member);
}

/** 4768–4771, 4776: Kerberos and NTLM, seen from the domain controller. */
export function fillTicket(event: WindowsEvent): void {
  const { document, data } = event;
  const user = section(document, 'user');
  const name = known(data.TargetUserName);
  const at = name?.indexOf('@') ?? -1;
  // A service ticket names its user `name@REALM`.
  fill(user, 'name', name !== undefined && at > 0 ? name.slice(0, at) : name);
  fill(user, 'domain', known(data.TargetDomainName));
  const sid = known(data.TargetSid ?? data.TargetUserSid);
  if (sid !== undefined && sid !== 'S-1-0-0') fill(user, 'id', sid);
  fillSource(event);
  const service = known(data.ServiceName);
  if (service !== undefined) fill(section(document, 'service'), 'name', service);
  const status = known(data.Status);
  if (status !== undefined) fill(section(document, 'event'), 'outcome', number(status) === 0 ? 'success' : 'failure');
}

/** 5140, 5145: a share was opened; the client is in `IpAddress`. */
export function fillShare(event: WindowsEvent): void {
  fillSubject(event);
  fillSource(event);
  const { document, data } = event;
  const share = known(data.ShareName);
  const target = known(data.RelativeTargetName);
  if (target !== undefined && target !== '\\') {
    fillFile(document, share === undefined ? target : `${share.replace(/\\$/, '')}\\${target}`);
  } else if (share !== undefined) fill(section(document, 'file'), 'path', share);
}

/** 4656, 4657, 4660, 4663: an object (file, key) was opened or changed. */
export function fillObject(event: WindowsEvent): void {
  fillSubject(event);
  fillProcess(event);
  const { document, data } = event;
  const type = known(data.ObjectType);
  if (event.id === 4657) {
    const name = known(data.ObjectName);
    const valueName = known(data.ObjectValueName);
    const registry = fillRegistry(document, valueName === undefined ? name : `${name}\\${valueName}`, valueName !== undefined);
    const value = known(data.NewValue);
    if (registry && value !== undefined) fill(section(registry, 'data'), 'strings', [value]);
  } else if (type === 'Key') fillRegistry(document, data.ObjectName, false);
  else if (type === 'File') fillFile(document, data.ObjectName);
}

/** 1102 and 104: a log was cleared; the fields are in `UserData`. */
export function fillCleared(event: WindowsEvent): void {
  const { document, data } = event;
  const user = section(document, 'user');
  fillAccount(user, data, 'Subject');
  fillUser(user, data.SubjectUserName);
  fill(user, 'domain', known(data.SubjectDomainName));
}

/** 5156–5158: the filtering platform saw a connection. */
export function fillFiltering({ document, data }: WindowsEvent): void {
  const source = section(document, 'source');
  fill(source, 'ip', ip(data.SourceAddress));
  fill(source, 'port', port(data.SourcePort));
  if (data.DestAddress !== undefined) {
    const destination = section(document, 'destination');
    fill(destination, 'ip', ip(data.DestAddress));
    fill(destination, 'port', port(data.DestPort));
  }
  fillImage(section(document, 'process'), data.Application, data.ProcessID ?? data.ProcessId, undefined);
}

/** 5441, 5447: a filter of the platform; the program that its conditions name is the file. */
export function fillFilter({ document, data }: WindowsEvent): void {
  const conditions = text(data.Conditions)?.slice(0, 16_000);
  const path = conditions === undefined ? undefined : dumped(conditions);
  if (path?.includes('\\')) fillFile(document, path);
  fillUser(section(document, 'user'), data.UserName);
}

/** Text of UTF-16 that an event shows as bytes: lines of an address, up to sixteen bytes and their letters; undefined without such lines. */
function dumped(value: string): string | undefined {
  const lines = [...value.matchAll(/\b([0-9a-f]{8})\s{1,3}((?:[0-9a-f]{2}[\s-]{1,3}){1,16})/gi)];
  // Of several conditions in bytes, the first.
  const next = lines.findIndex(([, at], index) => index > 0 && /^0+$/.test(at!));
  const bytes = lines.slice(0, next < 0 ? undefined : next).flatMap(([, , pairs]) => pairs!.match(/[0-9a-f]{2}/gi) ?? []);
  if (bytes.length === 0) return undefined;
  return Buffer.from(bytes.join(''), 'hex').toString('utf16le').replace(/\0+$/, '');
}
