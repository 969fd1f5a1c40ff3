/** How a report says numbers, times and the names of things. */

import { severityOf } from '@parapet/contract/primitives.ts';
import type { ReportFigure } from '@parapet/contract/reports.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';

export const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** "1 case", "1,200 cases" */
export const counted = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;

/** "a, b and c"; of more than `most` the first, and how many more there are. */
export function listed(names: readonly string[], most = 5): string {
  const shown = names.length > most ? [...names.slice(0, most), `${number(names.length - most)} more`] : [...names];
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

const unitWords: Record<ReportFigure['unit'], (value: number) => string> = {
  count: number,
  minutes: durationText,
  score: number,
  percent: (value) => `${number(value)} %`,
  days: (value) => counted(value, 'day'),
};

/** As a person reads it. */
export const shownValue = (value: number | null, unit: ReportFigure['unit']): string =>
  value === null ? 'not measured' : unitWords[unit](value);

/** "12 more than in October", against the month before. */
export function compared(now: number, before: number | null, month: string): string {
  if (before === null) return '';
  if (now === before) return `, as many as in ${month}`;
  return `, ${number(Math.abs(now - before))} ${now > before ? 'more' : 'fewer'} than in ${month}`;
}

export const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
export const criticalityName = (criticality: number): string => capital(severityOf(criticality));

const typeNames: Record<string, string> = {
  server: 'Server',
  workstation: 'Workstation',
  networkDevice: 'Network device',
  productivity: 'Productivity service',
  cloudPlatform: 'Cloud platform',
  cloudApp: 'Cloud application',
};
export const typeName = (type: string): string => typeNames[type] ?? type;

const actionNames: Record<string, string> = {
  isolate: 'Isolate a device',
  unisolate: 'End an isolation',
  blockUser: 'Block a user',
  unblockUser: 'Unblock a user',
  block: 'Block an address or file',
  unblock: 'Unblock an address or file',
  disable: 'Disable an account',
  reenable: 'Enable an account again',
  killProcess: 'Stop a process',
  collectFile: 'Collect a file',
};
export const actionName = (action: string): string => actionNames[action] ?? action;
