/** Systems beside the portal that fail: they accept connections and cut them off or stay silent, and count what reached them. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export type Failure = 'cut off' | 'silent';

export interface FailingPeer {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** Connections or requests since the last change. */
  met(): number;
  /** Ends open connections. */
  failAs(failure: Failure): void;
  close(): Promise<void>;
}

export async function failingPeer(): Promise<FailingPeer> {
  let [failure, met]: [Failure, number] = ['cut off', 0];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    met++;
    socket.on('error', () => {});
    if (failure === 'cut off') return void socket.destroy();
    sockets.add(socket.resume());
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    met: () => met,
    failAs(next) {
      [failure, met] = [next, 0];
      cut();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** DNS server that refuses, or stays silent. */
export async function failingDns(): Promise<FailingPeer> {
  let [failure, met]: [Failure, number] = ['cut off', 0];
  const server = createSocket('udp4', (query, { port, address }) => {
    met++;
    if (failure === 'silent') return;
    const refused = Buffer.from(query);
    refused.writeUInt16BE(0x8005, 2);
    server.send(refused, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    met: () => met,
    failAs(next) {
      [failure, met] = [next, 0];
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
