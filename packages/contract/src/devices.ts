/** Data sources: devices that send events or occur in them. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  clientId,
  count,
  id,
  instant,
  line,
  listOf,
  name,
  organisationId,
  page,
  results,
  severity,
  startBeforeEnd,
  timeRange,
} from './primitives.ts';
import { queryParam } from './query.ts';
import { deviceTypes } from './rules/values.ts';
import { tag } from './tags.ts';

/** reporting: within its baseline; stale: overdue; silent: long overdue, with an alert; never: seen in other sources' events only. */
export const deviceStates = ['reporting', 'stale', 'silent', 'never'] as const;
export type DeviceState = (typeof deviceStates)[number];

export const device = z.object({
  uuid: z.uuid().describe('Device ID.'),
  name: line.describe('Device name as reported in its events.'),
  clientOrganizationID: organisationId.describe('Organisation ID.'),
  clientOrganizationName: name.describe('Organisation name.'),
  deviceType: z.enum(deviceTypes).describe('server, workstation, networkDevice, productivity, cloudPlatform or cloudApp.'),
  agentUpdateVersion: line.nullable().describe('Version of the shipper or agent; null if not reported.'),
  agentUpdateDateTime: instant.nullable().describe('Time of the first event with that version.'),
  lastEventAt: instant.nullable().describe('Time of the newest event.'),
  state: z.enum(deviceStates).describe('reporting, stale, silent or never.'),
  silenceHours: z.number().min(0).nullable().describe('Hours since the newest event, one decimal; null without events.'),
  events24h: count.describe('Events in the last 24 hours.'),
  expected24h: count.nullable().describe('Expected events for this day; null while the baseline is being learnt.'),
  hasAgent: z.boolean().describe('True when the portal’s agent runs on it.'),
  isIsolated: z.boolean().describe('True when observed as isolated.'),
  alertCount: count.describe('Alerts in the requested timeframe.'),
  deviceTags: z.array(tag).max(200).describe('Tags of the device.'),
});
export type Device = z.infer<typeof device>;

export const checkInDay = z.object({
  date: z.iso.date().max(10).describe('Day (UTC).'),
  serverCount: count.describe('Servers that sent events that day.'),
  workstationCount: count.describe('Workstations that sent events.'),
  networkDevicesCount: count.describe('Network devices that sent events.'),
  productivityCount: count.describe('Productivity suites that sent events.'),
  cloudPlatformCount: count.describe('Cloud platforms that sent events.'),
  cloudAppCount: count.describe('Cloud applications that sent events.'),
  totalCount: count.describe('Sum of all types.'),
});
export type CheckInDay = z.infer<typeof checkInDay>;

const seen = z.object({
  name: line.describe('User or program.'),
  count: count.describe('Number of events.'),
  lastAt: instant.describe('Time of the newest event.'),
});
export const deviceDetail = device.extend({
  aliases: z
    .array(
      z.object({
        uuid: z.uuid().describe('Device ID of the duplicate.'),
        name: line.describe('Name of the duplicate.'),
        rule: z
          .enum(['serial', 'cloud', 'directory', 'name'])
          .nullable()
          .describe(
            'Rule that merged it: same serial number, cloud machine, directory object or host name; null for a manual merge.',
          ),
        value: line.nullable().describe('Identifier that is the same.'),
        mergedAt: instant.nullable().describe('Time of the merge.'),
      }),
    )
    .max(100)
    .describe('Duplicates merged into this device.'),
  firstSeenAt: instant.describe('Time of first sight.'),
  severities: z
    .array(z.object({ severity, count: count.describe('Number of alerts.') }))
    .max(5)
    .describe('Alerts of the last 30 days by severity.'),
  openCases: count.describe('Open cases that include it.'),
  users: z.array(seen).max(50).describe('Users in its newest 5,000 events of the last 7 days, most events first.'),
  processes: z.array(seen).max(50).describe('Programs in its newest 5,000 events of the last 7 days, most events first.'),
  hours: z
    .array(
      z.object({
        time: instant.describe('Start of the hour.'),
        events: count.describe('Number of events.'),
        expected: z.number().min(0).nullable().describe('Expected events; null while the baseline is being learnt.'),
      }),
    )
    .max(24 * 14)
    .describe('Events per hour of the last 7 days, with the baseline.'),
  agent: z
    .object({
      agentID: z.number().int().describe('Agent ID.'),
      version: line.describe('Version.'),
      platform: line.describe('Platform.'),
      state: z.enum(['online', 'stale', 'silent', 'revoked']).describe('State.'),
      lastCheckInAt: instant.nullable().describe('Time of the last check-in.'),
      enrolledAt: instant.describe('Enrolment time.'),
      isIsolated: z.boolean().describe('Isolation as reported by the agent.'),
      releaseAt: instant.nullable().describe('Time of the automatic release of an isolation.'),
      blockedUsers: z.array(line).max(1_000).describe('Blocked accounts.'),
      bufferBytes: count.describe('Bytes buffered on its disk.'),
      isBufferFull: z.boolean().describe('True when the buffer is full.'),
      errors: z.array(line).max(20).describe('Recent errors.'),
    })
    .nullable()
    .describe('The portal’s agent on the device; null without one.'),
  inventory: z
    .object({
      takenAt: instant.describe('Time of collection.'),
      system: z
        .array(z.object({ label: line.describe('Label.'), value: line.describe('Value.') }))
        .max(50)
        .describe('Operating system.'),
      addresses: z
        .array(
          z.object({
            interface: line.describe('Network interface.'),
            address: line.describe('IP address.'),
            mac: line.describe('MAC address.'),
          }),
        )
        .max(500)
        .describe('Network addresses.'),
      users: z
        .array(
          z.object({
            name: line.describe('Account name.'),
            uid: count.describe('User ID (UID).'),
            shell: line.describe('Login shell.'),
            isLocked: z.boolean().describe('True for a locked account.'),
          }),
        )
        .max(5_000)
        .describe('Local accounts.'),
      listening: z
        .array(
          z.object({
            protocol: line.describe('tcp or udp.'),
            address: line.describe('Local address.'),
            port: count.describe('Port.'),
            process: line.describe('Listening program.'),
          }),
        )
        .max(5_000)
        .describe('Listening ports.'),
      packages: z
        .array(
          z.object({
            name: line.describe('Package name.'),
            version: line.describe('Version.'),
            ecosystem: line.describe('Ecosystem, for example Debian:12.'),
          }),
        )
        .max(20_000)
        .describe('Installed packages.'),
    })
    .nullable()
    .describe('Inventory collected by the agent; null without an agent.'),
});
export type DeviceDetail = z.infer<typeof deviceDetail>;

export const deviceMoment = z.object({
  time: instant.describe('Time.'),
  kind: z.enum(['alert', 'case', 'response', 'version', 'silence', 'tag', 'agent', 'merge']).describe('Kind.'),
  text: line.describe('Description.'),
  severity: severity.nullable().describe('Severity of an alert.'),
  alertID: z.number().int().nullable().describe('Alert ID.'),
  caseID: z.number().int().nullable().describe('Case ID.'),
  responseID: z.number().int().nullable().describe('Response ID.'),
});
export type DeviceMoment = z.infer<typeof deviceMoment>;

const agentVersion = z.object({
  version: line.describe('Version as reported by the collector, for example "winlogbeat 8.17.1" or "mdr-agent 1.0.0".'),
  kind: line.describe('Collector kind: the version without its number.'),
  deviceCount: count.describe('Number of devices.'),
  isNewest: z.boolean().describe('True for the newest known version of its kind.'),
});

export const devicesApi = {
  list: endpoint({
    id: 'devices.list',
    route: 'GET /devices/:client/:start/:end',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the devices of a client by name, with their alerts in a timeframe.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Substring of the device name.'),
      type: listOf(z.enum(deviceTypes)).describe('Filter by device type.'),
      state: listOf(z.enum(deviceStates)).describe('Filter by state.'),
      tag: listOf(id).describe('Filter by tag.'),
      query: queryParam('device'),
    }),
    answer: results(device, 200),
  }),
  checkIns: endpoint({
    id: 'devices.checkIns',
    route: 'GET /devices/monitored-devices-by-day/:client/:start/:end',
    allow: 'devices:read',
    freshness: 'none',
    summary:
      'Returns the number of active devices of each type for each UTC day of the timeframe, excluding future days; the newest 800 days.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(checkInDay, 800),
  }),
  get: endpoint({
    id: 'devices.get',
    route: 'GET /device/:client/:name',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Returns one device by name or UUID.',
    params: z.object({
      client: id.describe('The client.'),
      name: z.string().min(1).max(500).describe('Device name, case-insensitive, or UUID.'),
    }),
    answer: deviceDetail,
  }),
  timeline: endpoint({
    id: 'devices.timeline',
    route: 'GET /device/:client/:name/timeline',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the timeline of a device, newest first.',
    params: z.object({
      client: id.describe('The client.'),
      name: z.string().min(1).max(500).describe('Device name, case-insensitive, or UUID.'),
    }),
    query: z.object({ before: instant.optional().describe('Return only older entries.') }),
    answer: z.object({
      results: z.array(deviceMoment).max(100).describe('Up to 100 entries.'),
      hasMore: z.boolean().describe('True when older entries exist.'),
    }),
  }),
  upgrade: endpoint({
    id: 'devices.upgrade',
    route: 'POST /Devices/upgrade',
    allow: 'devices:write',
    freshness: 'none',
    summary: 'Requests an upgrade to the newest version: agents are offered it, other collectors get an instruction.',
    body: z.object({
      devices: z.array(z.uuid()).min(1, 'Select at least one device.').max(1000).describe('Device UUIDs.'),
    }),
    answer: results(
      z.object({
        uuid: z.uuid().describe('Device UUID.'),
        outcome: z
          .enum(['offered', 'current', 'instructed'])
          .describe('offered: offered to its agent; current: already the newest version; instructed: a user has to upgrade it.'),
        text: line.describe('Display text of the outcome.'),
      }),
      1_000,
    ),
  }),
  agentVersions: endpoint({
    id: 'devices.agentVersions',
    route: 'GET /ClientOrganization/:id/agent-versions',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the agent and shipper versions of a client’s devices.',
    params: z.object({ id: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({ agentVersions: z.array(agentVersion).max(1_000).describe('Versions by collector, newest first.') }),
  }),
  merge: endpoint({
    id: 'devices.merge',
    route: 'POST /devices/merge',
    allow: 'devices:write',
    freshness: 'none',
    summary: 'Merges duplicates into one device, with their alerts, tags and events, or unmerges them.',
    body: z.object({
      target: z.uuid().describe('Device to keep.'),
      duplicates: z.array(z.uuid()).min(1, 'Select at least one duplicate.').max(50).describe('Duplicates of the device.'),
      isMerged: z.boolean().default(true).describe('false unmerges the names.'),
    }),
    answer: z.object({
      uuid: z.uuid().describe('UUID of the remaining device.'),
      aliases: count.describe('Number of alternative names.'),
    }),
  }),
};
