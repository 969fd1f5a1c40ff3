import { connectors } from '@parapet/connectors/all.ts';
import { connectorsOf } from '@parapet/contract/rules/connectors.ts';
import { expect, test } from 'vitest';

/** Log sources as vendors' events are identified. */
const ofVendors = [
  'aws / cloudtrail',
  'aws / guardduty',
  'azure / signinlogs',
  'crowdstrike / alert',
  'defender_endpoint / alert',
  'github / audit',
  'google_workspace / google_workspace.admin',
  'm365 / audit',
  'm365_defender / alert',
  'okta / okta',
  'sentinelone / threat',
];

test('names each connector by its title for the log source that it brings', () => {
  expect(ofVendors.flatMap(connectorsOf).sort()).toEqual(connectors.map(({ title }) => title).sort());
});

test('names collectors by platform, and none for what is unknown', () => {
  expect(connectorsOf('windows / security')).toEqual(['Winlogbeat']);
  expect(connectorsOf('windows / image_load')).toEqual(['Winlogbeat with Sysmon']);
  expect(connectorsOf('linux / process_creation')).toEqual(['Auditbeat']);
  expect(connectorsOf('linux / sshd')).toEqual(['Agent', 'Filebeat', 'rsyslog']);
  expect(connectorsOf('dns')).toEqual(['Packetbeat']);
  expect([connectorsOf(''), connectorsOf('constructor'), connectorsOf('portal / silence')]).toEqual([[], [], []]);
});
