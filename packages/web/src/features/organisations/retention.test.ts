import { expect, test } from 'vitest';
import { archiveText, diskText, sizeText } from './retention.ts';

test.each([
  [null, 'Not measured: PostgreSQL runs outside of the data folder.'],
  [{ freeBytes: 10 * 1024 ** 3, bytesPerDay: 0, daysLeft: null }, '10 GiB free, no growth'],
  [
    { freeBytes: 10 * 1024 ** 3, bytesPerDay: 10 * 1024 ** 2, daysLeft: 1024 },
    '10 GiB free, full in 1,024 days at 10 MiB a day for all organisations',
  ],
  [
    { freeBytes: 10 * 1024 ** 3, bytesPerDay: 1024, daysLeft: 10_485_760 },
    '10 GiB free, full in more than 10 years at 1 KiB a day for all organisations',
  ],
])('%o reads %s', (disk, text) => {
  expect(diskText(disk)).toBe(text);
});

test('reads a size without growth before the first event', () => {
  expect(sizeText({ events: 0, oldest: null, bytes: 0, bytesPerDay: null })).toBe('0 B');
  expect(sizeText({ events: 9, oldest: null, bytes: 2048, bytesPerDay: 1024 })).toBe('2 KiB, growing 1 KiB a day');
});

test.each([
  [{ files: 0, events: 0, bytes: 0, firstDay: null, lastDay: null }, 'Empty'],
  [{ files: 1, events: 1, bytes: 900, firstDay: '2026-08-01', lastDay: '2026-08-01' }, '1 event of 2026-08-01, 900 B'],
  [
    { files: 3, events: 12_000, bytes: 2048, firstDay: '2026-08-01', lastDay: '2026-08-03' },
    '12,000 events of 2026-08-01 to 2026-08-03, 2 KiB',
  ],
])('%o reads %s', (archive, text) => {
  expect(archiveText(archive)).toBe(text);
});
