/** Data sources: whatever sends events or is spoken of in them. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  clientId,
  count,
  deviceTypes,
  id,
  instant,
  line,
  listOf,
  name,
  organisationId,
  page,
  results,
  startBeforeEnd,
  timeRange,
} from './primitives.ts';
import { tag } from './tags.ts';

export const device = z.object({
  uuid: z.uuid().describe('Names the device.'),
  name: line.describe('The device’s name, as its events say it.'),
  clientOrganizationID: organisationId.describe('The organisation it belongs to.'),
  clientOrganizationName: name.describe('That organisation’s name.'),
  deviceType: z.enum(deviceTypes).describe('server, workstation, networkDevice, productivity, cloudPlatform or cloudApp.'),
  agentUpdateVersion: line.nullable().describe('Version of the shipper or agent; null when its events do not say.'),
  agentUpdateDateTime: instant.nullable().describe('When that version was first seen.'),
  lastEventAt: instant.nullable().describe('When its newest event happened.'),
  alertCount: count.describe('Alerts in the asked timeframe.'),
  deviceTags: z.array(tag).max(200).describe('The tags on the device.'),
});
export type Device = z.infer<typeof device>;

export const devicesApi = {
  list: endpoint({
    id: 'devices.list',
    method: 'GET',
    path: '/devices/:client/:start/:end',
    allow: 'devices:read',
    summary: 'The devices of a client, by name, with their alerts in a timeframe.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Part of a device’s name.'),
      type: listOf(z.enum(deviceTypes)).describe('Only these types.'),
      tag: listOf(id).describe('Only devices with one of these tags.'),
    }),
    answer: results(device, 200),
  }),
};
