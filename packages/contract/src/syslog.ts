/** Syslog of the installation: networks of senders, and ports with what was sent to them in vain. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, line, organisationId, results } from './primitives.ts';

export const syslogTransports = ['udp', 'tcp'] as const;
export type SyslogTransport = (typeof syslogTransports)[number];

export const syslogNetwork = z.object({
  id: z.number().int().describe('Network ID.'),
  network: line.describe('Address range in CIDR notation.'),
  clientOrganizationID: organisationId.describe('Organisation of its senders.'),
  createdAt: instant.describe('Creation time.'),
});
export type SyslogNetwork = z.infer<typeof syslogNetwork>;

export const syslogPort = z.object({
  transport: z.enum(syslogTransports).describe('UDP or TCP.'),
  port: z.number().int().min(0).max(65_535).describe('Port number.'),
  unknown: count.describe('Datagrams and connections from addresses that no connection lists; nothing of them is stored.'),
  unknownAddress: line.nullable().describe('Newest address of these.'),
  unknownAt: instant.nullable().describe('Time of the newest of these.'),
  lost: count.describe('Datagrams that the operating system dropped before they were read.'),
});
export type SyslogPort = z.infer<typeof syslogPort>;

export const syslogApi = {
  get: endpoint({
    id: 'syslog.get',
    route: 'GET /syslog',
    allow: 'installation:write',
    freshness: 'none',
    summary: 'Lists the networks of senders, and ports that unknown senders sent to.',
    answer: z.object({
      permitted: line.describe('Ports that the operator permits for connections; empty for none.'),
      networks: results(syslogNetwork).describe('Networks of senders.'),
      ports: results(syslogPort).describe('Ports with input that belongs to no connection.'),
    }),
  }),
  addNetwork: endpoint({
    id: 'syslog.addNetwork',
    route: 'POST /syslog/networks',
    allow: 'installation:write',
    freshness: 'fresh',
    summary: 'Lists a network of senders for a client. Networks never overlap.',
    body: z.object({
      client: id.describe('The client.'),
      network: z.string().trim().min(1).max(100).describe('Address or range in CIDR notation.'),
    }),
    answer: syslogNetwork,
  }),
  removeNetwork: endpoint({
    id: 'syslog.removeNetwork',
    route: 'DELETE /syslog/networks/:network',
    allow: 'installation:write',
    freshness: 'fresh',
    summary: 'Removes a network of senders that no connection uses.',
    params: z.object({ network: id.describe('Network ID.') }),
    answer: nothing,
  }),
};
