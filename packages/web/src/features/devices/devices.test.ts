import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { expect, test } from 'vitest';
import { checkInBuckets } from './checkIns.ts';
import { collectorOf } from './collectorOf.ts';
import { hourBuckets } from './hours.ts';

test('orders the counts of a day by device type', () => {
  const [bucket] = checkInBuckets([
    {
      date: '2026-03-01',
      serverCount: 1,
      workstationCount: 2,
      networkDevicesCount: 3,
      productivityCount: 4,
      cloudPlatformCount: 5,
      cloudAppCount: 6,
      totalCount: 21,
    },
  ]);
  expect(deviceTypes).toEqual(['server', 'workstation', 'networkDevice', 'productivity', 'cloudPlatform', 'cloudApp']);
  expect(bucket).toEqual({ key: '2026-03-01', label: '1 Mar', title: '1 March 2026 (UTC)', values: [1, 2, 3, 4, 5, 6] });
});

const device = (agentUpdateVersion: string | null, deviceType: (typeof deviceTypes)[number] = 'server', hasAgent = false) => ({
  agentUpdateVersion,
  deviceType,
  hasAgent,
});

test.each([
  [device('winlogbeat 8.17.1'), { kind: 'beat', title: 'Winlogbeat 8.17.1', config: 'winlogbeat' }],
  [device('metricbeat 8.1.0'), { kind: 'beat', title: 'Metricbeat 8.1.0', config: null }],
  [device('mdr-agent 1.0.0', 'server', true), { kind: 'agent', title: 'Agent 1.0.0', config: null }],
  [device(null, 'server', true), { kind: 'agent', title: 'Agent', config: null }],
  [device(null, 'networkDevice'), { kind: 'syslog', title: 'Syslog', config: 'rsyslog' }],
  [device(null, 'cloudApp'), { kind: 'unknown', title: 'Unknown', config: null }],
  [device('<img src=x>'), { kind: 'unknown', title: '<img src=x>', config: null }],
])('%o', (given, expected) => {
  expect(collectorOf(given)).toEqual(expected);
});

test('labels hours in the viewer’s time zone and adds known baselines', () => {
  const hour = { time: '2026-03-01T23:00:00.000Z', events: 4, expected: 2.5 };
  const [known, learning] = hourBuckets([hour, { ...hour, expected: null }], 'Europe/Berlin');
  expect(known).toMatchObject({ key: hour.time, label: 'Mon 00:00', values: [4], usual: 2.5 });
  expect(learning).not.toHaveProperty('usual');
});
