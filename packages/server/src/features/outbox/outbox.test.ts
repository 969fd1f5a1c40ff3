/** Outbox against a real mail server. */

import { type AddressInfo, createServer } from 'node:net';
import { outboxApi } from '@parapet/contract/outbox.ts';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import type { MailBrand } from '../../core/mail/render.ts';
import type { NewMail } from './outbox.ports.ts';
import { createOutboxService } from './outbox.service.ts';

const t = useTestApp();
let partner: number;
let client: number;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await system((tx) => tx.deleteFrom('mails').execute());
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const stored = () => system((tx) => tx.selectFrom('mails').selectAll().orderBy('id').execute());

/** Makes the next attempt due. */
const now = () =>
  system((tx) =>
    tx
      .updateTable('mails')
      .set({ next_try_at: new Date(0) })
      .execute(),
  );

const mailServer = async (...how: Parameters<typeof startMailServer>) => {
  const server = await startMailServer(...how);
  closers.push(server.close);
  return server;
};

const look: MailBrand = {
  origin: 'https://quay.example',
  name: 'Quayside Guard',
  accent: '#1f5fa8',
  senderName: 'Quayside Guard',
  senderAddress: 'support@quay.example',
  footer: '1 Long Wharf',
};
const outboxOn = (smtpUrl: string | undefined) => {
  const outbox = createOutboxService({
    db: t.db,
    clock: systemClock,
    brand: { ofMails: async () => look } as never,
    keys: t.keys,
    smtpUrl,
    log: silentLog,
  });
  closers.push(() => outbox.close());
  return outbox;
};
const mail = (more: Partial<NewMail> = {}): NewMail => ({
  organisationId: client,
  kind: 'test',
  to: ['ada@acme.example'],
  subject: 'Grüße',
  title: 'A <title>',
  paragraphs: ['First & last.'],
  ...more,
});

describe('without a mail server', () => {
  test('stores emails for administrators to read', async () => {
    const outbox = outboxOn(undefined);
    await system((tx) => outbox.queue(tx, mail()));
    await outbox.deliver();
    expect(await stored()).toMatchObject([
      { state: 'kept', tries: 0, from_name: 'Quayside Guard', from_address: 'support@quay.example' },
    ]);
    const admin = await t.user({ organisationId: client, role: 'Administrator' });
    const { results } = (await t.call(outboxApi.list, { params: { client } }, admin)).json();
    expect(results).toMatchObject([{ to: 'ada@acme.example', subject: 'Grüße', state: 'kept' }]);
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
    expect((await t.call(outboxApi.get, { params: { id: results[0].id } }, stranger)).statusCode).toBe(404);
    expect((await t.call(outboxApi.get, { params: { id: results[0].id } }, admin)).json().text).toContain('First & last.');
  });

  test('lists the recipients of each copy, not the head that copies share', async () => {
    const outbox = outboxOn(undefined);
    for (const to of ['ada@acme.example', 'soc@acme.example'])
      await system((tx) => outbox.queue(tx, mail({ cc: ['soc@acme.example'], envelopeTo: [to] })));
    const admin = await t.user({ organisationId: client, role: 'Administrator' });
    const list = async (query: { search?: string }) =>
      (await t.call(outboxApi.list, { params: { client }, query }, admin)).json().results.map(({ to }: { to: string }) => to);
    expect(await list({})).toEqual(['soc@acme.example', 'ada@acme.example']);
    expect(await list({ search: 'soc@' })).toEqual(['soc@acme.example']);
  });

  test('queues nothing when the transaction fails', async () => {
    const outbox = outboxOn(undefined);
    const failing = system(async (tx) => {
      await outbox.queue(tx, mail());
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await stored()).toEqual([]);
  });
});

describe('with a mail server', () => {
  test('sends an email once, in its brand, with every value escaped', async () => {
    const { url, received } = await mailServer();
    const outbox = outboxOn(url);
    await system((tx) => outbox.queue(tx, mail({ cc: ['soc@acme.example'] })));
    await Promise.all([outbox.deliver(), outboxOn(url).deliver()]);
    await outbox.deliver();
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ from: 'support@quay.example', to: ['ada@acme.example', 'soc@acme.example'] });
    const raw = received[0]?.raw ?? '';
    expect(raw).toMatch(/^From: Quayside Guard <support@quay\.example>$/m);
    expect(raw).toMatch(/^Message-ID: <[\da-f-]{36}@quay\.example>$/im);
    // Soft breaks of quoted-printable removed.
    expect(raw.replace(/=\r\n/g, '')).toContain('A &lt;title&gt;');
    expect(await stored()).toMatchObject([{ state: 'sent', error: '' }]);
  });

  test('retries a refused email and records the reason', async () => {
    let isBusy = true;
    const { url, received } = await mailServer(() =>
      isBusy ? Object.assign(new Error('Mailbox busy'), { responseCode: 451 }) : undefined,
    );
    const outbox = outboxOn(url);
    await system((tx) => outbox.queue(tx, mail()));
    await outbox.deliver();
    const [waiting] = await stored();
    expect(waiting).toMatchObject({ state: 'waiting', tries: 1, error: expect.stringContaining('Mailbox busy') });
    expect(waiting?.next_try_at.getTime()).toBeGreaterThan(Date.now() + 60_000);
    isBusy = false;
    await outbox.deliver();
    expect(received).toEqual([]);
    await now();
    await outbox.deliver();
    expect(received).toHaveLength(1);
    expect(await stored()).toMatchObject([{ state: 'sent', tries: 2, error: '' }]);
  });

  test('resends the same message after a lost response', async () => {
    const { url, received } = await mailServer(undefined, () => received.length === 1);
    const outbox = outboxOn(url);
    await system((tx) => outbox.queue(tx, mail()));
    await outbox.deliver();
    // The server accepted it, but the response was lost.
    expect(received).toHaveLength(1);
    expect(await stored()).toMatchObject([{ state: 'waiting', tries: 1 }]);
    await now();
    await outbox.deliver();
    expect(await stored()).toMatchObject([{ state: 'sent', tries: 2 }]);
    const ids = received.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test('leaves the same message to another worker after a crash', async () => {
    const { url, received } = await mailServer();
    await system((tx) => outboxOn(url).queue(tx, mail()));
    // Claimed while being sent.
    await system((tx) =>
      tx
        .updateTable('mails')
        .set({ tries: 1, next_try_at: new Date(Date.now() + 60_000) })
        .execute(),
    );
    await outboxOn(url).deliver();
    expect(received).toEqual([]);
    await now();
    await outboxOn(url).deliver();
    expect(received).toHaveLength(1);
    const [row] = await stored();
    expect(received[0]?.raw).toContain(`Message-ID: ${row?.message_id}`);
  });

  test('counts one attempt for an unreachable or silent server', async () => {
    const { url, close } = await startMailServer();
    await close();
    const listening = async (greeting: string): Promise<string> => {
      const silent = createServer((socket) => void socket.on('error', () => {}).write(greeting));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      closers.push(() => silent.close());
      return `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}?greetingTimeout=200&socketTimeout=200`;
    };
    const saysNothing = await listening('');
    const stopsTalking = await listening('220 mail.example ESMTP\r\n');
    for (const smtpUrl of [url, saysNothing, stopsTalking]) {
      const outbox = outboxOn(smtpUrl);
      await system((tx) => tx.deleteFrom('mails').execute());
      await system((tx) => outbox.queue(tx, mail()));
      await outbox.deliver();
      expect(await stored()).toMatchObject([
        { state: 'waiting', tries: 1, error: expect.stringMatching(/ECONNREFUSED|[Gg]reeting|[Tt]imeout/) },
      ]);
    }
  });

  test('retries only the refused recipient', async () => {
    let isBusy = true;
    const { url, received } = await mailServer(undefined, undefined, (address) =>
      isBusy && address === 'full@acme.example' ? Object.assign(new Error('Mailbox full'), { responseCode: 452 }) : undefined,
    );
    const outbox = outboxOn(url);
    await system((tx) => outbox.queue(tx, mail({ cc: ['full@acme.example'] })));
    await outbox.deliver();
    expect(received.map(({ to }) => to)).toEqual([['ada@acme.example']]);
    expect(await stored()).toMatchObject([
      { state: 'waiting', error: expect.stringMatching(/full@acme\.example.*Mailbox full/) },
    ]);
    isBusy = false;
    await now();
    await outbox.deliver();
    expect(received.map(({ to }) => to)).toEqual([['ada@acme.example'], ['full@acme.example']]);
    expect(await stored()).toMatchObject([{ state: 'sent', error: '' }]);
  });

  test('sends a copy to one recipient, listing all, in its thread and with its headers', async () => {
    const { url, received } = await mailServer();
    const outbox = outboxOn(url);
    const first = await system((tx) => outbox.queue(tx, mail()));
    const headers = { 'List-Unsubscribe': `<https://quay.example/api/v1/x/${'y'.repeat(120)}>` };
    await system((tx) =>
      outbox.queue(
        tx,
        mail({
          thread: first!.messageId,
          to: ['ada@acme.example', 'bob@acme.example'],
          envelopeTo: ['bob@acme.example'],
          headers,
        }),
      ),
    );
    await outbox.deliver();
    expect(received[1]?.to).toEqual(['bob@acme.example']);
    const raw = received[1]?.raw ?? '';
    expect(raw).toMatch(/^To: ada@acme\.example, bob@acme\.example\r$/m);
    expect(raw).toContain(`In-Reply-To: ${first!.messageId}\r\nReferences: ${first!.messageId}`);
    expect(raw).toContain(`List-Unsubscribe: ${headers['List-Unsubscribe']}\r\n`);
    expect(received[0]?.raw).not.toMatch(/^(References|In-Reply-To):/m);
  });

  test('queues an email of the same name once', async () => {
    const outbox = outboxOn((await mailServer()).url);
    const [one, two] = await Promise.all([0, 1].map(() => system((tx) => outbox.queue(tx, mail({ name: 'digest-1' })))));
    expect([one, two].filter((queued) => queued === undefined)).toHaveLength(1);
    expect(await stored()).toHaveLength(1);
  });

  test('gives up after a day of refusals', async () => {
    const { url } = await mailServer(() => new Error('no such mailbox'));
    const outbox = outboxOn(url);
    await system((tx) => outbox.queue(tx, mail()));
    await system((tx) => tx.updateTable('mails').set({ tries: 11 }).execute());
    await outbox.deliver();
    expect(await stored()).toMatchObject([{ state: 'failed', tries: 12 }]);
  });
});

test.each([
  ['a header', { headers: { 'X-Case': '1\r\nBcc: all@b.example' } }],
  ['an address', { to: ['a@b.example\r\nBcc: all@b.example'] }],
  ['a copy', { cc: ['a@b.example\nBcc: all@b.example'] }],
  ['a subject', { subject: 'Hello\r\nBcc: all@b.example' }],
])('refuses a line break in %s', async (_field, more) => {
  const outbox = outboxOn(undefined);
  await expect(system((tx) => outbox.queue(tx, mail(more)))).rejects.toMatchObject({ code: 'invalid' });
  expect(await stored()).toEqual([]);
});
