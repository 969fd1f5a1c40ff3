/** Bytes to targets over TLS: accepted only after everything was written and the receiver closed in order, within one deadline. */
import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { authority, serverCertificate, serverKey } from '@parapet/world/peers/syslog.certificates.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../test/ports.ts';
import { NotPublic, openOutbound } from '../../core/outbound.ts';
import { createSend } from './deliveries.http.ts';

const closers: (() => void | Promise<void>)[] = [];
let port: number;
beforeEach(async () => {
  port = await freePort();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A receiver on the port that does `onConnection` with each connection. */
async function listen(onConnection: (socket: Socket) => void): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer({ cert: serverCertificate, key: serverKey, allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}
const sendTo = (body: string, maxMs?: number, ca = authority, host = '127.0.0.1') => {
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: [`tls://${host}:${port}`], timeoutMs: 20_000 });
  closers.push(() => outbound.close());
  return createSend(outbound, [], maxMs).sendBytes({ host, port, body, ca });
};

describe('bytes', () => {
  test('count as accepted once the receiver read to the end and closed', async () => {
    let received = '';
    await listen((socket) => {
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('end', () => socket.end());
    });
    await sendTo('x'.repeat(1_000_000));
    expect(received).toHaveLength(1_000_000);
  });

  test('count as lost at a receiver that ends before it read them', async () => {
    await listen((socket) => socket.pause().end());
    await expect(sendTo('x')).rejects.toThrow(`127.0.0.1:${port} can’t be reached`);
  });

  test('count as lost at a receiver that resets', async () => {
    await listen((socket) => socket.once('data', () => socket.destroy()));
    await expect(sendTo('x'.repeat(20_000_000))).rejects.toThrow(`127.0.0.1:${port} can’t be reached`);
  });

  test('end at the deadline for a receiver that keeps sending', async () => {
    await listen((socket) => {
      const timer = setInterval(() => socket.write('.'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(sendTo('x', 500)).rejects.toThrow('nothing is confirmed');
  });
});

test('names an IPv6 address and its port in errors', async () => {
  const openTls = () => Promise.reject(new NotPublic('no public address'));
  const { sendBytes } = createSend({ openTls, fetch: () => Promise.reject(new Error('unused')) }, []);
  await expect(sendBytes({ host: '2001:db8::1', port: 6514, body: 'x' })).rejects.toThrow('[2001:db8::1]:6514 isn’t a public');
});
