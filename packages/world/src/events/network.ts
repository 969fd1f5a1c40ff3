/** Network: DNS, flows, HTTP and TLS by Packetbeat, and syslog of firewalls, switches and access points. */
import type { Emitted } from '../types.ts';
import { syslog } from './linux.ts';
import { beatFrame, beatIndex, emit, iso, type Scene } from './scene.ts';

export interface DnsLookup {
  client: string;
  name: string;
  type?: 'A' | 'AAAA' | 'TXT' | 'MX' | 'CNAME' | 'NULL';
  answer?: string;
  code?: 'NOERROR' | 'NXDOMAIN';
  server?: string;
}

/** A DNS transaction seen by Packetbeat on the resolver. */
export function dnsLookup(scene: Scene, lookup: DnsLookup): Emitted {
  const { device, random } = scene;
  const labels = lookup.name.split('.');
  const registered = labels.slice(-2).join('.');
  const type = lookup.type ?? 'A';
  const code = lookup.code ?? 'NOERROR';
  const clientPort = random.int(49_152, 65_000);
  const server = lookup.server ?? device.ip;
  const bytes = 40 + lookup.name.length;
  const source = { ip: lookup.client, port: clientPort, bytes };
  const destination = { ip: server, port: 53, bytes: bytes + 16 };
  const durationMs = random.int(1, 60);
  return emit(scene, beatIndex('packetbeat', device), {
    ...beatFrame(scene, 'packetbeat'),
    type: 'dns',
    status: code === 'NOERROR' ? 'OK' : 'Error',
    method: 'QUERY',
    query: `class IN, type ${type}, ${lookup.name}`,
    resource: lookup.name,
    event: {
      kind: 'event',
      category: ['network'],
      type: ['connection', 'protocol'],
      dataset: 'dns',
      duration: durationMs * 1_000_000,
      start: iso(scene.at),
      end: iso(scene.at + durationMs),
    },
    network: { type: 'ipv4', transport: 'udp', protocol: 'dns', direction: 'ingress', bytes: source.bytes + destination.bytes },
    source,
    client: source,
    destination,
    server: destination,
    dns: {
      id: random.int(1, 65_535),
      type: 'answer',
      op_code: 'QUERY',
      response_code: code,
      flags: { authoritative: false, recursion_desired: true, recursion_available: true, truncated_response: false },
      question: {
        name: lookup.name,
        type,
        class: 'IN',
        etld_plus_one: registered,
        registered_domain: registered,
        top_level_domain: labels.at(-1),
        ...(labels.length > 2 && { subdomain: labels.slice(0, -2).join('.') }),
      },
      answers_count: lookup.answer ? 1 : 0,
      ...(lookup.answer && {
        answers: [{ name: lookup.name, type, class: 'IN', ttl: '300', data: lookup.answer }],
        ...(type === 'A' && { resolved_ip: [lookup.answer] }),
      }),
    },
    related: { ip: [lookup.client, server] },
  });
}

export interface Flow {
  from: string;
  to: string;
  port: number;
  transport?: 'tcp' | 'udp';
  bytesOut?: number;
  bytesIn?: number;
  seconds?: number;
}

/** A finished flow by Packetbeat. */
export function flow(scene: Scene, what: Flow): Emitted {
  const { random } = scene;
  const bytesOut = what.bytesOut ?? random.int(800, 40_000);
  const bytesIn = what.bytesIn ?? random.int(800, 400_000);
  const durationMs = Math.round((what.seconds ?? random.int(1, 90)) * 1_000);
  const packets = (bytes: number) => Math.ceil(bytes / 900);
  return emit(scene, beatIndex('packetbeat', scene.device), {
    ...beatFrame(scene, 'packetbeat'),
    type: 'flow',
    event: {
      kind: 'event',
      category: ['network'],
      action: 'network_flow',
      type: ['connection', 'end'],
      dataset: 'flow',
      duration: durationMs * 1_000_000,
      start: iso(scene.at - durationMs),
      end: iso(scene.at),
    },
    flow: { id: random.hex(16), final: true },
    network: {
      type: 'ipv4',
      transport: what.transport ?? 'tcp',
      community_id: `1:${random.hex(27)}=`,
      bytes: bytesOut + bytesIn,
      packets: packets(bytesOut) + packets(bytesIn),
      direction: 'egress',
    },
    source: { ip: what.from, port: random.int(49_152, 65_000), bytes: bytesOut, packets: packets(bytesOut) },
    destination: { ip: what.to, port: what.port, bytes: bytesIn, packets: packets(bytesIn) },
  });
}

export interface HttpExchange {
  from: string;
  to: string;
  host: string;
  path: string;
  method?: string;
  status?: number;
  agent?: string;
  port?: number;
  /** After the `?`. */
  query?: string;
}

/** A plain HTTP exchange by Packetbeat. */
export function httpExchange(scene: Scene, what: HttpExchange): Emitted {
  const { random } = scene;
  const method = what.method ?? 'GET';
  const port = what.port ?? 80;
  const source = { ip: what.from, port: random.int(49_152, 65_000), bytes: random.int(200, 900) };
  const destination = { ip: what.to, port, domain: what.host, bytes: random.int(500, 90_000) };
  return emit(scene, beatIndex('packetbeat', scene.device), {
    ...beatFrame(scene, 'packetbeat'),
    type: 'http',
    status: 'OK',
    method: method.toLowerCase(),
    query: `${method} ${what.path}`,
    event: {
      kind: 'event',
      category: ['network'],
      type: ['connection', 'protocol'],
      dataset: 'http',
      start: iso(scene.at),
      end: iso(scene.at + 90),
      duration: 90_000_000,
    },
    network: { type: 'ipv4', transport: 'tcp', protocol: 'http', direction: 'egress', bytes: source.bytes + destination.bytes },
    source,
    client: source,
    destination,
    server: destination,
    http: {
      version: '1.1',
      request: { method: method.toLowerCase(), bytes: source.bytes },
      response: { status_code: what.status ?? 200, bytes: destination.bytes },
    },
    url: {
      domain: what.host,
      path: what.path,
      full: `http://${what.host}${what.path}${what.query ? `?${what.query}` : ''}`,
      scheme: 'http',
      ...(what.query && { query: what.query }),
      ...(port !== 80 && { port }),
    },
    user_agent: { original: what.agent ?? 'Microsoft-CryptoAPI/10.0' },
  });
}

export interface FirewallVerdict {
  action: 'accept' | 'deny';
  from: string;
  to: string;
  port: number;
  fromPort?: number;
  protocol?: 'tcp' | 'udp' | 'icmp';
  bytesOut?: number;
  rule?: string;
}

/** Firewall verdict in the format of Linux netfilter, as used by most appliances based on it. */
export function firewallVerdict(scene: Scene, what: FirewallVerdict): Emitted {
  const { random } = scene;
  const protocol = (what.protocol ?? 'tcp').toUpperCase();
  const fromPort = what.fromPort ?? random.int(1_025, 65_000);
  const prefix = what.action === 'deny' ? '[UFW BLOCK]' : '[UFW ALLOW]';
  const direction = what.from.startsWith('10.') ? 'IN=lan0 OUT=wan0' : 'IN=wan0 OUT=';
  const ports = protocol === 'ICMP' ? 'TYPE=8 CODE=0' : `SPT=${fromPort} DPT=${what.port}`;
  const tail = protocol === 'TCP' ? ' WINDOW=1024 RES=0x00 SYN URGP=0' : '';
  return syslog(scene, {
    program: 'kernel',
    facility: 'kern',
    severity: 'warning',
    text: `[${random.int(10_000, 9_000_000)}.${random.int(100_000, 999_999)}] ${prefix} ${direction} MAC=${scene.device.mac.replaceAll('-', ':').toLowerCase()} SRC=${what.from} DST=${what.to} LEN=60 TOS=0x00 PREC=0x00 TTL=${random.int(44, 120)} ID=${random.int(1, 65_000)} PROTO=${protocol} ${ports}${tail}`,
  });
}

/** Message of a switch or access point. */
export const applianceLine = (scene: Scene, program: string, text: string, severity: 'notice' | 'warning' | 'err' = 'notice') =>
  syslog(scene, { program, facility: 'local7', severity, text });

export interface TlsSession {
  from: string;
  to: string;
  name: string;
  version?: '1.0' | '1.1' | '1.2' | '1.3';
  port?: number;
  subject?: string;
  issuer?: string;
}

/** A TLS handshake by Packetbeat. */
export function tlsSession(scene: Scene, what: TlsSession): Emitted {
  const version = what.version ?? '1.2';
  const source = { ip: what.from, port: scene.random.int(49_152, 65_000) };
  const destination = { ip: what.to, port: what.port ?? 443, domain: what.name };
  const issuer = what.issuer ?? 'CN=E6,O=Example Trust Services';
  const subject = what.subject ?? `CN=${what.name}`;
  return emit(scene, beatIndex('packetbeat', scene.device), {
    ...beatFrame(scene, 'packetbeat'),
    type: 'tls',
    status: 'OK',
    event: {
      kind: 'event',
      category: ['network'],
      type: ['connection', 'protocol'],
      dataset: 'tls',
      start: iso(scene.at),
      end: iso(scene.at + 30),
      duration: 30_000_000,
    },
    network: { type: 'ipv4', transport: 'tcp', protocol: 'tls', direction: 'egress' },
    source,
    client: source,
    destination,
    server: destination,
    tls: {
      established: true,
      resumed: false,
      version,
      version_protocol: 'tls',
      cipher: 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
      client: { server_name: what.name, ja3: 'e7d705a3286e19ea42f587b344ee6865' },
      server: { subject, issuer },
      detailed: { version: `TLS ${version}`, client_certificate_requested: false },
    },
  });
}
