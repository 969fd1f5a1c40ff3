/** Formatting of numbers, times and names in reports. */

import { severityOf } from '@parapet/contract/primitives.ts';
import type { ReportFigure } from '@parapet/contract/reports.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';
import { exact } from '@parapet/contract/rules/numbers.ts';

export const number = (value: number): string => exact(Math.round(value * 10) / 10);

/** "1 case", "1,200 cases" */
export const counted = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;

export const was = (count: number): string => (count === 1 ? 'was' : 'were');
export const is = (count: number): string => (count === 1 ? 'is' : 'are');
export const does = (count: number): string => (count === 1 ? 'does' : 'do');
/** "1 case was", "2 cases were" */
export const countedWas = (count: number, one: string): string => `${counted(count, one)} ${was(count)}`;

/** Sentences without those left out. */
export const sentences = (...all: (string | false | undefined)[]): string[] => all.filter((text) => typeof text === 'string');

/** "a, b and c"; beyond `max`, the first ones and the number of the rest. */
export function listed(names: readonly string[], max = 5): string {
  const shown = names.length > max ? [...names.slice(0, max), `${number(names.length - max)} more`] : [...names];
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

const unitWords: Record<ReportFigure['unit'], (value: number) => string> = {
  count: number,
  minutes: durationText,
  score: number,
  percent: (value) => `${number(value)}%`,
  days: (value) => counted(value, 'day'),
};

/** Human-readable value with its unit. */
export const shownValue = (value: number | null, unit: ReportFigure['unit']): string =>
  value === null ? 'not measured' : unitWords[unit](value);

/** Comparison with the month before, e.g. ", 12 more than in October". */
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
  unisolate: 'End isolation of a device',
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
