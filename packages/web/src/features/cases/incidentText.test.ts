import { expect, test } from 'vitest';
import { incidentStatusText, incidentSyncText } from './incidentText.ts';

test('words the status of an incident', () => {
  expect(incidentStatusText({ status: 'inProgress', goneAt: null })).toBe('In progress');
  expect(incidentStatusText({ status: 'Active', goneAt: null })).toBe('Active');
  expect(incidentStatusText({ status: '', goneAt: null })).toBe('Not read yet');
  expect(incidentStatusText({ status: 'active', goneAt: '2026-11-20T09:00:00Z' })).toBe('No longer at the vendor');
});

test('words the exchange, confirmed only once the vendor shows it', () => {
  const both = { incidentMode: 'both', isSending: false, error: null } as const;
  expect(incidentSyncText(both)).toBe('Both ways');
  expect(incidentSyncText({ ...both, isSending: true })).toBe('Waiting for confirmation');
  expect(incidentSyncText({ ...both, isSending: true, error: 'No.' })).toBe('Retrying');
  expect(incidentSyncText({ ...both, incidentMode: 'read' })).toBe('Shown only');
});
