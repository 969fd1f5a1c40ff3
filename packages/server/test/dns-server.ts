/** Local DNS server with scripted responses. */
import dns2 from 'dns2';
import { freePort } from './ports.ts';

interface Zone {
  txt?: (string | string[])[];
  /** CNAME target that holds the records. */
  cname?: string;
  /** 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  rcode?: number;
  isSilent?: boolean;
}

export interface DnsServer {
  address: string;
  set(name: string, zone: Zone): void;
  close(): Promise<void>;
}

const { Packet } = dns2;

export async function dnsServer(): Promise<DnsServer> {
  const zones = new Map<string, Zone>();
  const server = dns2.createServer({
    udp: true,
    tcp: true,
    handle(request, send) {
      const response = Packet.createResponseFromRequest(request);
      const name = request.questions[0]?.name ?? '';
      const zone = zones.get(name.toLowerCase()) ?? { rcode: 3 };
      if (zone.isSilent) return;
      response.header.rcode = zone.rcode ?? 0;
      const add = (record: object) => {
        response.answers.push({ class: Packet.CLASS.IN, ttl: 0, ...record } as dns2.Packet.Resource);
      };
      if (zone.cname) add({ name, type: Packet.TYPE.CNAME, domain: zone.cname });
      for (const data of zone.txt ?? []) add({ name: zone.cname ?? name, type: Packet.TYPE.TXT, data });
      void send(response);
    },
  });
  // One port for UDP and TCP, as DNS requires.
  const port = await freePort();
  const at = { port, address: '127.0.0.1' };
  await server.listen({ udp: at, tcp: at });
  return {
    address: `127.0.0.1:${port}`,
    set: (name, zone) => zones.set(name.toLowerCase(), zone),
    close: async () => {
      await server.close();
    },
  };
}
