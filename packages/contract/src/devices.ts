/** Data sources: whatever sends events or is spoken of in them. */
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
import { deviceTypes } from './rules/values.ts';
import { tag } from './tags.ts';

/** reporting: as usual; stale: nothing for longer than usual; silent: long overdue, an alert was raised; never: only spoken of by others. */
export const deviceStates = ['reporting', 'stale', 'silent', 'never'] as const;
export type DeviceState = (typeof deviceStates)[number];

export const device = z.object({
  uuid: z.uuid().describe('Names the device.'),
  name: line.describe('The device’s name, as its events say it.'),
  clientOrganizationID: organisationId.describe('The organisation it belongs to.'),
  clientOrganizationName: name.describe('That organisation’s name.'),
  deviceType: z.enum(deviceTypes).describe('server, workstation, networkDevice, productivity, cloudPlatform or cloudApp.'),
  agentUpdateVersion: line.nullable().describe('Version of the shipper or agent; null when its events do not say.'),
  agentUpdateDateTime: instant.nullable().describe('When that version was first seen.'),
  lastEventAt: instant.nullable().describe('When its newest event happened.'),
  state: z.enum(deviceStates).describe('reporting, stale, silent or never.'),
  silenceHours: z.number().min(0).nullable().describe('Hours since its newest event, one decimal; null when there was none.'),
  events24h: count.describe('Events of the last 24 hours.'),
  expected24h: count.nullable().describe('What is usual for this day; null while that is being learnt.'),
  hasAgent: z.boolean().describe('Whether our agent runs on it.'),
  isIsolated: z.boolean().describe('Whether it is isolated, as observed.'),
  alertCount: count.describe('Alerts in the asked timeframe.'),
  deviceTags: z.array(tag).max(200).describe('The tags on the device.'),
});
export type Device = z.infer<typeof device>;

export const checkInDay = z.object({
  date: z.iso.date().max(10).describe('The day, UTC.'),
  serverCount: count.describe('Servers that sent something on that day.'),
  workstationCount: count.describe('Workstations.'),
  networkDevicesCount: count.describe('Network devices.'),
  productivityCount: count.describe('Productivity suites.'),
  cloudPlatformCount: count.describe('Cloud platforms.'),
  cloudAppCount: count.describe('Cloud applications.'),
  totalCount: count.describe('Their sum.'),
});
export type CheckInDay = z.infer<typeof checkInDay>;

const seen = z.object({
  name: line.describe('The user or program.'),
  count: count.describe('In how many events.'),
  lastAt: instant.describe('In which last.'),
});
export const deviceDetail = device.extend({
  aliases: z
    .array(z.object({ uuid: z.uuid().describe('Names the duplicate.'), name: line.describe('Its own name.') }))
    .max(100)
    .describe('Duplicates that were merged into it.'),
  firstSeenAt: instant.describe('When the portal first heard of it.'),
  severities: z
    .array(z.object({ severity, count: count.describe('How many.') }))
    .max(5)
    .describe('Alerts of the last 30 days by severity.'),
  openCases: count.describe('Open cases that it is in.'),
  users: z.array(seen).max(50).describe('Users in its newest 5,000 events of the last 7 days, busiest first.'),
  processes: z.array(seen).max(50).describe('Programs in its newest 5,000 events of the last 7 days, busiest first.'),
  hours: z
    .array(
      z.object({
        time: instant.describe('Its beginning.'),
        events: count.describe('Events in it.'),
        expected: z.number().min(0).nullable().describe('What was usual for it; null while that was being learnt.'),
      }),
    )
    .max(24 * 14)
    .describe('Events by hour of the last 7 days, with what is usual.'),
  agent: z
    .object({
      agentID: z.number().int().describe('The agent.'),
      version: line.describe('Its version.'),
      platform: line.describe('What it runs on.'),
      state: z.enum(['online', 'stale', 'silent', 'revoked']).describe('How it is.'),
      lastCheckInAt: instant.nullable().describe('Its last check-in.'),
      enrolledAt: instant.describe('When it enrolled.'),
      isIsolated: z.boolean().describe('What the agent says.'),
      releaseAt: instant.nullable().describe('When an isolation ends by itself.'),
      blockedUsers: z.array(line).max(1_000).describe('Accounts that are locked.'),
      bufferBytes: count.describe('What waits on its disk.'),
      isBufferFull: z.boolean().describe('Whether that is all it can hold.'),
      errors: z.array(line).max(20).describe('What went wrong lately.'),
    })
    .nullable()
    .describe('Our agent on it, if any.'),
  inventory: z
    .object({
      takenAt: instant.describe('When the agent took it.'),
      system: z
        .array(z.object({ label: line.describe('What it is.'), value: line.describe('How it is.') }))
        .max(50)
        .describe('The system, in words.'),
      addresses: z
        .array(
          z.object({
            interface: line.describe('The interface.'),
            address: line.describe('Its address.'),
            mac: line.describe('Its hardware address.'),
          }),
        )
        .max(500)
        .describe('Its addresses.'),
      users: z
        .array(
          z.object({
            name: line.describe('The account.'),
            uid: count.describe('Its number.'),
            shell: line.describe('Its shell.'),
            isLocked: z.boolean().describe('Whether nobody can sign in with it.'),
          }),
        )
        .max(5_000)
        .describe('Its accounts.'),
      listening: z
        .array(
          z.object({
            protocol: line.describe('tcp or udp.'),
            address: line.describe('On which address.'),
            port: count.describe('On which port.'),
            process: line.describe('Which program.'),
          }),
        )
        .max(5_000)
        .describe('What it listens on.'),
      packages: z
        .array(
          z.object({
            name: line.describe('The package.'),
            version: line.describe('Its version.'),
            ecosystem: line.describe('Where it comes from, such as Debian:12.'),
          }),
        )
        .max(20_000)
        .describe('What is installed.'),
    })
    .nullable()
    .describe('What the agent found on it; null without an agent.'),
});
export type DeviceDetail = z.infer<typeof deviceDetail>;

export const deviceMoment = z.object({
  time: instant.describe('When.'),
  kind: z.enum(['alert', 'case', 'response', 'version', 'silence', 'tag', 'agent', 'merge']).describe('What it is.'),
  text: line.describe('What happened.'),
  severity: severity.nullable().describe('Of an alert.'),
  alertID: z.number().int().nullable().describe('The alert.'),
  caseID: z.number().int().nullable().describe('The case.'),
  responseID: z.number().int().nullable().describe('The response.'),
});
export type DeviceMoment = z.infer<typeof deviceMoment>;

const agentVersion = z.object({
  version: line.describe('As collectors say it: "winlogbeat 8.17.1", "mdr-agent 1.0.0".'),
  kind: line.describe('The collector: the version without its number.'),
  deviceCount: count.describe('Devices that have it.'),
  isNewest: z.boolean().describe('Whether it is the newest known of its kind.'),
});

export const devicesApi = {
  list: endpoint({
    id: 'devices.list',
    method: 'GET',
    path: '/devices/:client/:start/:end',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'The devices of a client, by name, with their alerts in a timeframe.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Part of a device’s name.'),
      type: listOf(z.enum(deviceTypes)).describe('Only these types.'),
      state: listOf(z.enum(deviceStates)).describe('Only in these states.'),
      tag: listOf(id).describe('Only devices with one of these tags.'),
    }),
    answer: results(device, 200),
  }),
  checkIns: endpoint({
    id: 'devices.checkIns',
    method: 'GET',
    path: '/devices/monitored-devices-by-day/:client/:start/:end',
    allow: 'devices:read',
    freshness: 'none',
    summary:
      'How many devices of each type sent something, day by day: the UTC days that the timeframe touches, none to come, the newest 800.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(checkInDay, 800),
  }),
  get: endpoint({
    id: 'devices.get',
    method: 'GET',
    path: '/device/:client/:name',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'One device by its name or uuid, with what is known of it.',
    params: z.object({
      client: id.describe('The client.'),
      name: z.string().min(1).max(500).describe('Its name, in any case, or its uuid.'),
    }),
    answer: deviceDetail,
  }),
  timeline: endpoint({
    id: 'devices.timeline',
    method: 'GET',
    path: '/device/:client/:name/timeline',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'What happened on a device and was done to it, newest first.',
    params: z.object({
      client: id.describe('The client.'),
      name: z.string().min(1).max(500).describe('Its name, in any case, or its uuid.'),
    }),
    query: z.object({ before: instant.optional().describe('Only what is older.') }),
    answer: z.object({
      results: z.array(deviceMoment).max(100).describe('Up to 100.'),
      hasMore: z.boolean().describe('Whether there is more that is older.'),
    }),
  }),
  upgrade: endpoint({
    id: 'devices.upgrade',
    method: 'POST',
    path: '/Devices/upgrade',
    allow: 'devices:write',
    freshness: 'none',
    summary: 'Asks for the newest version on devices: our agents are offered it, for other collectors an instruction is left.',
    body: z.object({
      devices: z.array(z.uuid()).min(1, 'Choose at least one device.').max(1000).describe('Which devices, by uuid.'),
    }),
    answer: results(
      z.object({
        uuid: z.uuid().describe('The device.'),
        outcome: z
          .enum(['offered', 'current', 'instructed'])
          .describe('offered to its agent; current: it has the newest; instructed: a person must do it.'),
        text: line.describe('That in words.'),
      }),
      1_000,
    ),
  }),
  agentVersions: endpoint({
    id: 'devices.agentVersions',
    method: 'GET',
    path: '/ClientOrganization/:id/agent-versions',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'The versions of agents and shippers on a client’s devices.',
    params: z.object({ id: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({ agentVersions: z.array(agentVersion).max(1_000).describe('By collector, newest first.') }),
  }),
  merge: endpoint({
    id: 'devices.merge',
    method: 'POST',
    path: '/devices/merge',
    allow: 'devices:write',
    freshness: 'none',
    summary:
      'Makes duplicates names of one device: their alerts, tags and events count there from now on. A name can be taken out again.',
    body: z.object({
      target: z.uuid().describe('The device that stays.'),
      duplicates: z
        .array(z.uuid())
        .min(1, 'Choose at least one duplicate.')
        .max(50)
        .describe('The same device under other names.'),
      isMerged: z.boolean().default(true).describe('false takes names out again.'),
    }),
    answer: z.object({
      uuid: z.uuid().describe('The device that stays.'),
      aliases: count.describe('How many names it has besides its own.'),
    }),
  }),
};
