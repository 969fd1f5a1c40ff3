/** Uploads that break off at any moment release their capacity. */
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../../core/log.ts';
import { createAdmission } from './admission.ts';
import { ingestRoutes } from './ingest.routes.ts';
import type { IngestService } from './ingest.service.ts';

const app = Fastify({ forceCloseConnections: true });
afterEach(() => app.close());

test('releases capacity before the key check, during the body, and while storing', async () => {
  const admission = createAdmission(32 * 1024 * 1024);
  const seen = { asked: 0, admitted: 0, taken: 0 };
  const keys = Promise.withResolvers<number>();
  const stored = Promise.withResolvers<[]>();
  const take = () => {
    seen.taken++;
    return stored.promise;
  };
  const ingest = { inTurn: (work: () => Promise<unknown>) => work(), take } as unknown as IngestService;
  await ingestRoutes(app, {
    ingest,
    organisationOf() {
      seen.asked++;
      return keys.promise;
    },
    configFor: async () => undefined,
    admission: {
      ...admission,
      admit(organisationId, bytes) {
        seen.admitted++;
        return admission.admit(organisationId, bytes);
      },
    },
    counted: () => {},
    log: silentLog,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const connections = () => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
  const body = '{"create":{}}\n{"x":1}\n';
  const breakOff = async (length: number, isThere: () => boolean) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /ingest/_bulk HTTP/1.1\r\nHost: a\r\nAuthorization: ApiKey pk_x\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    await expect.poll(isThere).toBe(true);
    socket.destroy();
    await expect.poll(connections).toBe(0);
  };
  await breakOff(1_000_000, () => seen.asked === 1);
  // Not admitted: the count below is of the next two.
  keys.resolve(1);
  await breakOff(1_000_000, () => seen.admitted === 1);
  await expect.poll(() => admission.bytesInFlight()).toBe(0);
  await breakOff(body.length, () => seen.taken === 1);
  await expect.poll(() => admission.bytesInFlight()).toBe(0);
  stored.resolve([]);
  expect(seen).toEqual({ asked: 3, admitted: 2, taken: 1 });
});
