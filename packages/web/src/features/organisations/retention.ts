/** Texts of retention and legal holds. */
import type { RequestKind, RetentionState } from '@parapet/contract/retention.ts';
import { bytesText } from '../../kit/bytes.ts';
import { counted, exact } from '../../kit/numbers.ts';

export const requestText: Record<RequestKind, string> = {
  hold: 'a legal hold',
  lift: 'the end of the legal hold',
  erase: 'the erasure of all data',
};

export function sizeText({ bytes, bytesPerDay }: RetentionState['kept']): string {
  return bytesPerDay === null ? bytesText(bytes) : `${bytesText(bytes)}, growing ${bytesText(bytesPerDay)} a day`;
}

export function archiveText({ events, bytes, firstDay, lastDay }: RetentionState['archive']): string {
  if (firstDay === null) return 'Empty';
  return `${counted(events, 'event')} of ${firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`}, ${bytesText(bytes)}`;
}

const longDays = 3_650;

export function diskText(disk: RetentionState['disk']): string {
  if (!disk) return 'Not measured: PostgreSQL runs outside of the data folder.';
  const free = `${bytesText(disk.freeBytes)} free`;
  if (disk.daysLeft === null) return `${free}, no growth`;
  const left = disk.daysLeft > longDays ? 'more than 10 years' : counted(disk.daysLeft, 'day');
  return `${free}, full in ${left} at ${bytesText(disk.bytesPerDay)} a day for all organisations`;
}

export const daysHint = ({ limits, defaultEventDays }: RetentionState): string =>
  `Default: ${exact(defaultEventDays)} days. Limits: ${exact(limits.minEventDays)} to ${exact(limits.maxEventDays ?? defaultEventDays)}.`;
