/** Writes a look-up of a name as Packetbeat would (its field reference). Debian has no package of Packetbeat. */
import { portal } from './addresses.ts';
import type { Document } from './auditbeat.ts';
import type { PortalLine } from './portal.ts';

const types = new Map([
  [1, 'A'],
  [5, 'CNAME'],
  [10, 'NULL'],
  [12, 'PTR'],
  [15, 'MX'],
  [16, 'TXT'],
  [28, 'AAAA'],
  [252, 'AXFR'],
]);

export function lookupDocument({ name, type, from, port, id }: PortalLine & { kind: 'lookup' }, at: Date): Document {
  const labels = name.split('.');
  const registered = labels.slice(-2).join('.');
  const kind = types.get(type) ?? String(type);
  return {
    '@timestamp': at.toISOString(),
    agent: { id: 'c2a5b3f0-53a9-4a0c-9b54-2a1d6f0e7c22', name: 'gw01', type: 'packetbeat', version: '8.15.3' },
    ecs: { version: '8.0.0' },
    host: { name: 'gw01' },
    type: 'dns',
    status: 'Error',
    method: 'QUERY',
    query: `class IN, type ${kind}, ${name}`,
    resource: name,
    client: { ip: from, port },
    server: { ip: portal, port: 53 },
    source: { ip: from, port },
    destination: { ip: portal, port: 53 },
    event: { kind: 'event', dataset: 'dns', category: ['network'], type: ['connection', 'protocol'], duration: 400_000 },
    network: { type: 'ipv4', transport: 'udp', protocol: 'dns', direction: 'internal' },
    dns: {
      id,
      type: 'answer',
      op_code: 'QUERY',
      response_code: 'NXDOMAIN',
      answers_count: 0,
      question: {
        name,
        type: kind,
        class: 'IN',
        etld_plus_one: registered,
        registered_domain: registered,
        subdomain: labels.slice(0, -2).join('.'),
        top_level_domain: labels.at(-1),
      },
    },
  };
}
