/**
 * Simulated syslog receiver with TLS, from RFC 5425: frames with octet counting, a client certificate of its authority, and the end of the connection
 * once the sender ended it. A frame that is no RFC 5424 message resets the connection.
 */
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { type Disturbance, listenAtOrElsewhere } from '../vendors/vendor.ts';
import type { Peer, Received } from './peer.ts';
import { authority, clientCertificate, clientKey, serverCertificate, serverKey } from './syslog.certificates.ts';

const maxKept = 1_000;
const header = /^<\d{1,3}>1 \S+ \S+ \S+ \S+ \S+ - /;

/** Messages of whole frames; undefined for anything else. */
export function framesIn(bytes: Buffer): string[] | undefined {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const count = bytes.toString('latin1', at, space);
    if (space < 0 || !/^[1-9]\d{0,6}$/.test(count)) return undefined;
    const end = space + 1 + Number(count);
    const message = bytes.toString('utf8', space + 1, end);
    if (end > bytes.length || !header.test(message)) return undefined;
    found.push(message);
    at = end;
  }
  return found;
}

/** Starts a simulated receiver. */
export async function startSyslog(port = 0): Promise<Peer> {
  const received: Received[] = [];
  const disturbances: Disturbance[] = [];
  const open = new Set<Socket>();
  let requests = 0;
  const server = createServer(
    { ca: authority, cert: serverCertificate, key: serverKey, requestCert: true, rejectUnauthorized: true },
    (socket) => {
      requests++;
      const parts: Buffer[] = [];
      const disturbance = disturbances.shift();
      socket.on('error', () => undefined);
      if (disturbance && disturbance.kind !== 'none') return void socket.destroy();
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.on('end', () => {
        const messages = framesIn(Buffer.concat(parts));
        if (!messages) return void socket.destroy();
        received.push(...messages.map((body) => ({ path: '/', headers: {}, body })));
        received.splice(0, received.length - maxKept);
        socket.end();
      });
    },
  );
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await listenAtOrElsewhere(server, port);
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    kind: 'syslog',
    url: `tls://${place}`,
    values: { receiver: place, authority, certificate: clientCertificate, key: clientKey },
    received,
    disturb: (...list) => void disturbances.push(...list),
    requests: () => requests,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
