/** Metrics without a token on a port of their own, which no proxy forwards; on loopback by default. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function listenForMetrics({
  port,
  host,
  text,
}: {
  port: number;
  host: string;
  text: () => Promise<string>;
}): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': metricsType }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';
