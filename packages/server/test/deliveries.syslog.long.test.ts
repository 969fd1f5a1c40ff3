/** CEF over TLS as rsyslog and syslog-ng receive it. Both are Debian's and need root. */
import { createServer } from 'node:tls';
import { syslog } from '@parapet/connectors/out/syslog.ts';
import type { Message } from '@parapet/connectors/out/target.ts';
import {
  authority,
  clientCertificate,
  clientKey,
  serverCertificate,
  serverKey,
} from '@parapet/world/peers/syslog.certificates.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type SyslogReceiver, startSyslogReceiver } from '../../../tools/syslogReceivers.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { createSend } from '../src/features/deliveries/deliveries.http.ts';
import { freePort } from './ports.ts';

const hostile = 'Söhne | a=b \\ end\r\n<13>1 - forged - - - - CEF:0|forged|\u0000\u202E';
const messageOf = (title: string, id = crypto.randomUUID()): Message => ({
  id,
  event: 'case.opened',
  at: '2026-11-29T19:00:00.000Z',
  subject: 'case-12',
  stage: 'opened',
  severity: 'high',
  sender: 'Harbor Security',
  client: 'Alder & Söhne',
  title,
  facts: [['Status', title]],
  url: 'https://portal.example/apps/case/12',
  data: {},
});

describe.each(['rsyslog', 'syslog-ng'] as const)('%s', (kind) => {
  let receiver: SyslogReceiver;
  let outbound: ReturnType<typeof openOutbound>;
  beforeAll(async () => {
    const port = await freePort();
    receiver = await startSyslogReceiver(kind, port);
    outbound = openOutbound({ allowsInsecure: false, alsoOrigins: [`tls://127.0.0.1:${port}`], timeoutMs: 20_000 });
  }, 300_000);
  afterAll(async () => {
    await outbound.close();
    await receiver.close();
  });
  const send = (message: Message, values: Record<string, string> = {}) => {
    const { send: http, sendBytes } = createSend(outbound, []);
    const all = { receiver: `127.0.0.1:${receiver.port}`, authority, certificate: clientCertificate, key: clientKey, ...values };
    return syslog.send({ message, attempt: 1, at: Date.now(), openedAs: null }, all, http, sendBytes);
  };

  test('receives each message as one line, whatever text is in it', async () => {
    const id = crypto.randomUUID();
    expect(await send(messageOf(hostile, id))).toEqual({ kind: 'accepted', id: null });
    expect(await send(messageOf('Second'))).toEqual({ kind: 'accepted', id: null });
    const lines = await vi.waitFor(async () => {
      const found = await receiver.lines();
      expect(found).toHaveLength(2);
      return found;
    }, 60_000);
    expect(lines[0]).toMatch(/^portal\|case\.opened\|err\|\s?CEF:0\|Harbor Security\|Security portal\|1\|case\.opened\|/);
    expect(lines[0]).toContain('Söhne \\| a=b \\\\ end');
    expect(lines[0]).toContain(`externalId=${id}`);
    expect(lines[0]).toContain('msg=Söhne | a\\=b \\\\ end\\n<13>1 - forged');
    expect(lines[1]).toContain('|Second|8|');
  }, 120_000);

  test('confirms nothing to a sender without a certificate', async () => {
    await expect(send(messageOf('Third'), { certificate: '', key: '' })).rejects.toThrow(/127\.0\.0\.1/);
  }, 60_000);
});

describe('a receiver', () => {
  /** Nothing beyond the handshake: an address that is no part of the certificate, or an authority that did not sign it. */
  const refusal = async (host: string, values: Record<string, string>): Promise<string> => {
    const port = await freePort();
    const server = createServer({ cert: serverCertificate, key: serverKey }, (socket) => socket.on('error', () => {}).resume());
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: [`tls://${host}:${port}`], timeoutMs: 20_000 });
    const { send, sendBytes } = createSend(outbound, []);
    try {
      const delivery = { message: messageOf('x'), attempt: 1, at: Date.now(), openedAs: null };
      return await syslog.send(delivery, { receiver: `${host}:${port}`, ...values }, send, sendBytes).then(
        ({ kind }) => kind,
        (error: Error) => error.message,
      );
    } finally {
      await outbound.close();
      server.close();
    }
  };

  test('gets nothing with a certificate of another authority or another name', async () => {
    expect(await refusal('127.0.0.1', { authority })).toBe('accepted');
    // Signed by the demo's authority, so neither public ones nor the client's own certificate vouch for it.
    expect(await refusal('127.0.0.1', {})).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED|UNABLE_TO_GET/);
    expect(await refusal('127.0.0.1', { authority: clientCertificate })).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED|UNABLE_TO_GET/);
    expect(await refusal('127.0.0.2', { authority })).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });
});

test('refuses private addresses', async () => {
  const outbound = openOutbound({ allowsInsecure: false, timeoutMs: 5_000 });
  const { send, sendBytes } = createSend(outbound, []);
  const delivery = { message: messageOf('x'), attempt: 1, at: Date.now(), openedAs: null };
  await expect(syslog.send(delivery, { receiver: '127.0.0.1:6514', authority: '' }, send, sendBytes)).rejects.toThrow(/public/);
  await outbound.close();
});
