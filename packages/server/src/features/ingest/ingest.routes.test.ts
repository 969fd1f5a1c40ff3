/** Uploads that break off, at whatever moment, give their room back. */
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../../core/log.ts';
import { createAdmission } from './admission.ts';
import { ingestRoutes } from './ingest.routes.ts';
import type { IngestService } from './ingest.service.ts';

const app = Fastify({ forceCloseConnections: true });
afterEach(() => app.close());

test('before the key is known, while the body comes, while it is stored', async () => {
  const admission = createAdmission(32 * 1024 * 1024);
  let admitted = 0;
  const ingest = { inTurn: (work: () => Promise<unknown>) => work(), take: () => pause(100, []) } as unknown as IngestService;
  await ingestRoutes(app, {
    ingest,
    organisationOf: () => pause(100, 1),
    configFor: async () => undefined,
    admission: {
      ...admission,
      admit(organisationId, bytes) {
        admitted++;
        return admission.admit(organisationId, bytes);
      },
    },
    counted: () => {},
    log: silentLog,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const body = '{"create":{}}\n{"x":1}\n';
  const breakOff = async (afterMs: number, length: number) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /ingest/_bulk HTTP/1.1\r\nHost: a\r\nAuthorization: ApiKey pk_x\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    await pause(afterMs);
    socket.destroy();
  };
  await breakOff(40, 1_000_000);
  await pause(150);
  expect([admitted, admission.bytesInFlight()]).toEqual([0, 0]);
  await breakOff(140, 1_000_000);
  await expect.poll(() => admission.bytesInFlight()).toBe(0);
  await breakOff(140, body.length);
  await expect.poll(() => admission.bytesInFlight()).toBe(0);
  expect(admitted).toBe(2);
});
