/**
 * Common path for all Windows events, whether sent by Winlogbeat or converted from EVTX files: both have a `winlog` section
 * by then, and the table of the log fills ECS beside it. `winlog.event_data` stays unchanged, because Sigma rules use its
 * names.
 */
import type { Document } from '../../event.ts';
import { ecsVersion, fill, first, known, number, object, read, section, text } from '../doc.ts';
import { account, type Table, type WindowsEvent } from './event.ts';
import { defenderTable, eventlogTable, firewallTable, serviceTable, taskTable, terminalTable, wmiTable } from './others.ts';
import { powershellTable } from './powershell.ts';
import { securityTable } from './security-table.ts';
import { sysmonTable } from './sysmon.ts';

interface Log {
  table: Table;
  module: string;
  dataset: string;
}

const log = (table: Table, module: string, dataset: string): Log => ({ table, module, dataset });
const security = log(securityTable, 'security', 'system.security');
const sysmon = log(sysmonTable, 'sysmon', 'windows.sysmon_operational');
const powershell = log(powershellTable, 'powershell', 'windows.powershell_operational');
const classicPowershell = log(powershellTable, 'powershell', 'windows.powershell');
const defender = log(defenderTable, 'windows', 'windows.windows_defender');
const tasks = log(taskTable, 'windows', 'windows.taskscheduler_operational');
const terminal = log(terminalTable, 'windows', 'windows.terminalservices');
const firewall = log(firewallTable, 'windows', 'windows.firewall');
const services = log(serviceTable, 'system', 'system.system');

const logs = new Map<string, Log>([
  ['Microsoft-Windows-Sysmon', sysmon],
  ['Microsoft-Windows-Sysmon/Operational', sysmon],
  ['Linux-Sysmon', sysmon],
  ['Linux-Sysmon/Operational', sysmon],
  ['Microsoft-Windows-Security-Auditing', security],
  ['Security', security],
  ['Microsoft-Windows-Eventlog', log(eventlogTable, 'system', 'system.system')],
  ['Microsoft-Windows-PowerShell', powershell],
  ['Microsoft-Windows-PowerShell/Operational', powershell],
  ['PowerShellCore', powershell],
  ['PowerShellCore/Operational', powershell],
  ['PowerShell', classicPowershell],
  ['Windows PowerShell', classicPowershell],
  ['Service Control Manager', services],
  ['Microsoft-Windows-Windows Defender', defender],
  ['Microsoft-Windows-Windows Defender/Operational', defender],
  ['Microsoft-Windows-TaskScheduler', tasks],
  ['Microsoft-Windows-TaskScheduler/Operational', tasks],
  ['Microsoft-Windows-TerminalServices-LocalSessionManager', terminal],
  ['Microsoft-Windows-TerminalServices-LocalSessionManager/Operational', terminal],
  ['Microsoft-Windows-TerminalServices-RemoteConnectionManager', terminal],
  ['Microsoft-Windows-TerminalServices-RemoteConnectionManager/Operational', terminal],
  ['Microsoft-Windows-WMI-Activity', log(wmiTable, 'windows', 'windows.wmi')],
  ['Microsoft-Windows-WMI-Activity/Operational', log(wmiTable, 'windows', 'windows.wmi')],
  ['Microsoft-Windows-Windows Firewall With Advanced Security', firewall],
  ['Microsoft-Windows-Windows Firewall With Advanced Security/Firewall', firewall],
]);

const none: Document = Object.freeze({});

/** Accounts present on every Windows machine, by security identifier. */
const wellKnown = new Map<string, string>([
  ['S-1-5-18', 'SYSTEM'],
  ['S-1-5-19', 'LOCAL SERVICE'],
  ['S-1-5-20', 'NETWORK SERVICE'],
]);

/**
 * Fills ECS from the document’s `winlog` section.
 * @param isOfShipper true if the device is the shipper, whatever computer the event names
 * @returns a summary, or undefined when the event is in no table (the caller falls back on the message)
 */
export function fillWindows(document: Document, isOfShipper = false): string | undefined {
  const winlog = section(document, 'winlog');
  const event = section(document, 'event');
  const code = text(winlog.event_id) ?? text(event.code);
  const id = number(code) ?? -1;
  const provider = text(winlog.provider_name) ?? text(event.provider) ?? '';
  const channel = text(winlog.channel) ?? '';
  const data = object(winlog.event_data) ?? object(winlog.user_data) ?? none;
  if (winlog.event_data === undefined && data !== none) winlog.event_data = data;

  fill(event, 'code', code);
  if (provider !== '') fill(event, 'provider', provider);
  fill(event, 'kind', 'event');
  nameComputer(document, known(winlog.computer_name), isOfShipper);
  fill(section(section(document, 'host'), 'os'), 'type', provider === 'Linux-Sysmon' ? 'linux' : 'windows');
  fill(section(document, 'ecs'), 'version', ecsVersion);

  // The Security log’s own housekeeping (1100, 1102) comes from the event log’s provider.
  const found = channel === 'Security' ? security : (logs.get(provider) ?? logs.get(channel));
  let line: string | undefined;
  if (found !== undefined) {
    fill(event, 'module', found.module);
    fill(event, 'dataset', found.dataset);
    line = applyTable(event, winlog, found.table, { document, data, id, channel, provider });
  }
  fillLogUser(document, winlog);
  return line;
}

/**
 * The machine that wrote the event is its host; a collector of forwarded events, which shippers name there, observes it. An agent with a
 * name of its own shows by its host's name that it runs on that machine.
 */
function nameComputer(document: Document, computer: string | undefined, isOfShipper: boolean): void {
  if (computer === undefined) return;
  const host = section(document, 'host');
  const shipper = known(first(host.name));
  const names = [shipper, first(host.hostname), read(document, 'agent.hostname'), read(document, 'beat.hostname')];
  const isSame = names.some((name) => typeof name === 'string' && shortName(name) === shortName(computer));
  if (shipper !== undefined && !isSame && !isOfShipper) {
    fill(section(document, 'observer'), 'name', shipper);
    document.host = { name: computer };
  } else fill(host, 'name', computer);
}

export const shortName = (name: string): string => name.split('.', 1)[0]!.toLowerCase();

function applyTable(event: Document, winlog: Document, table: Table, windows: WindowsEvent): string | undefined {
  const row = table.get(windows.id);
  if (row === undefined) return undefined;
  const { kind: what } = row;
  // Winlogbeat puts the task’s localised name here; it stays in `winlog.task`.
  if (event.action === winlog.task || event.action === undefined || event.action === '') event.action = what.action;
  fill(event, 'category', what.category.length > 0 ? what.category : undefined);
  fill(event, 'type', what.type);
  row.fill?.(windows);
  fill(event, 'outcome', what.outcome ?? outcomeOfKeywords(winlog));
  return row.summarise?.(windows);
}

/** Success and failure of audit events by their keywords: a bit mask, or Winlogbeat’s words. */
function outcomeOfKeywords(winlog: Document): string | undefined {
  const keywords = winlog.keywords;
  if (typeof keywords === 'string') {
    if (keywords.startsWith('0x801')) return 'failure';
    if (keywords.startsWith('0x802')) return 'success';
  } else if (Array.isArray(keywords)) {
    if (keywords.includes('Audit Failure')) return 'failure';
    if (keywords.includes('Audit Success')) return 'success';
  }
  return undefined;
}

/** Uses the account under which the event was written when the event itself names no user. */
function fillLogUser(document: Document, winlog: Document): void {
  const writer = object(winlog.user);
  if (writer === undefined) return;
  const user = section(document, 'user');
  if (user.name !== undefined || user.id !== undefined) return;
  const sid = known(writer.identifier);
  fill(user, 'id', sid);
  const local = sid === undefined ? undefined : wellKnown.get(sid);
  fill(user, 'name', known(writer.name) ?? local);
  if (user.name !== undefined) fill(user, 'domain', known(writer.domain) ?? (local === undefined ? undefined : 'NT AUTHORITY'));
}

/** Summary for an event in no table. */
export function summariseWindows(document: Document): string {
  const winlog = object(document.winlog) ?? none;
  const message = text(document.message)?.split('\n', 1)[0];
  const what = text(winlog.task) ?? text(winlog.provider_name) ?? 'Windows event';
  const where = text(winlog.channel);
  const user = object(document.user);
  const by = account(known(user?.domain), known(user?.name));
  if (message !== undefined && message.trim() !== '') return message;
  return `${what} ${text(winlog.event_id) ?? ''}${where === undefined ? '' : ` in ${where}`}${by === undefined ? '' : ` (${by})`}${dataLine(winlog.event_data)}`;
}

function dataLine(value: unknown): string {
  const data = object(value);
  if (data === undefined) return '';
  let line = '';
  for (const name in data) {
    const part = known(data[name]);
    if (part === undefined) continue;
    line += `${line === '' ? ': ' : ', '}${name}=${part.slice(0, 200)}`;
    if (line.length > 1000) break;
  }
  return line;
}
