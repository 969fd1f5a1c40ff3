import { expect, test } from 'vitest';
import { normalise } from '../normalise.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const finding = (seen: string, more: object = {}) => ({
  schemaVersion: '2.0',
  id: 'f1',
  type: 'Recon:EC2/PortProbeUnprotectedPort',
  service: { serviceName: 'guardduty', eventFirstSeen: '2026-11-20T09:10:00.000Z', eventLastSeen: seen },
  createdAt: '2026-11-20T09:15:00.123Z',
  updatedAt: seen,
  ...more,
});
const timeOf = (document: Record<string, unknown>) => new Date(normalise(document, now).claimedAt ?? 0).toISOString();

test('keeps the time of a finding that is exported again, so that the store recognises it', () => {
  expect(timeOf(finding('2026-11-20T09:14:05.000Z'))).toBe('2026-11-20T09:15:00.123Z');
  expect(timeOf(finding('2026-11-20T11:30:00.000Z'))).toBe('2026-11-20T09:15:00.123Z');
});

test('takes the first sight of a finding without a time of creation', () => {
  expect(timeOf(finding('2026-11-20T11:30:00.000Z', { createdAt: undefined }))).toBe('2026-11-20T09:10:00.000Z');
});
