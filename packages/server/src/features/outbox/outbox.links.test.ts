/** Bearer links in stored emails: encrypted until delivery, then removed. */

import { outboxApi } from '@parapet/contract/outbox.ts';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { useTestApp, waitingMails } from '../../../test/app.ts';
import { sealedLink } from '../../../test/keys.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { newToken } from '../../core/secrets.ts';
import { neverSentLink, putLinksBack, removedLink, takeLinksOut, undeliveredLink } from './outbox.links.ts';
import { createOutboxService } from './outbox.service.ts';

const t = useTestApp();
let client: number;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  client = await t.organisation();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await system((tx) => tx.deleteFrom('mails').execute());
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const stored = () => system((tx) => tx.selectFrom('mails').selectAll().executeTakeFirstOrThrow());
const look = {
  origin: 'https://quay.example',
  name: 'Quay',
  accent: '#1f5fa8',
  senderName: 'Quay',
  senderAddress: 'support@quay.example',
  footer: '',
};
const outboxOn = (smtpUrl: string | undefined) => {
  const brand = { ofMails: async () => look } as never;
  const outbox = createOutboxService({ db: t.db, clock: systemClock, brand, keys: t.keys, smtpUrl, log: silentLog });
  closers.push(() => outbox.close());
  return outbox;
};
/** One in a button, one in a note, one in a header. */
const aMail = () => {
  const tokens = [newToken(), newToken(), newToken()];
  const links = [
    `https://quay.example/emailCaseAction?caseID=1&action=benign&token=${tokens[0]}`,
    `https://quay.example/unsubscribe/7-case.closed-${tokens[1]}`,
    `https://quay.example/api/v1/mailsubscriptions/unsubscribe/7-case.closed-${tokens[2]}`,
  ] as const;
  const mail = {
    organisationId: client,
    kind: 'test',
    to: ['ada@acme.example'],
    subject: 'Hello',
    title: 'A title',
    paragraphs: ['First.'],
    actions: [{ label: 'Benign', url: links[0] }],
    notes: [`Or end it:\n${links[1]}`],
    headers: { 'List-Unsubscribe': `<${links[2]}>` },
    links,
  };
  return { mail, tokens, links };
};
/** All stored columns of the email as text. */
const everything = async () => {
  const { rows } = await system((tx) => sql<{ all: string }>`select row_to_json(m)::text as all from mails m`.execute(tx));
  return rows.map(({ all }) => all).join();
};

test('appear as placeholders in the stored email, reach the recipient and disappear on delivery', async () => {
  const server = await startMailServer();
  closers.push(server.close);
  const outbox = outboxOn(server.url);
  const { mail, tokens, links } = aMail();
  await system((tx) => outbox.queue(tx, mail));
  const waiting = await stored();
  expect(waiting.sealed_links).not.toBe(null);
  for (const part of [waiting.text, waiting.html, waiting.headers['List-Unsubscribe']]) expect(part).toMatch(sealedLink);
  for (const token of tokens) expect(await everything()).not.toContain(token);

  await outbox.deliver();
  const raw = (server.received[0]?.raw ?? '').replace(/=\r\n/g, '').replaceAll('=3D', '=');
  expect(raw).toContain(`Benign:\r\n${links[0]}`);
  expect(raw).toContain(`href="${links[0].replaceAll('&', '&amp;')}"`);
  expect(raw).toContain(`List-Unsubscribe: <${links[2]}>`);
  expect(raw).not.toMatch(sealedLink);

  const sent = await stored();
  expect(sent).toMatchObject({ state: 'sent', sealed_links: null });
  expect(sent.text).toContain(`Benign:\n${removedLink}`);
  expect(sent.html).toContain(`href="${removedLink}"`);
  expect(`${sent.text}${sent.html}${JSON.stringify(sent.headers)}`).not.toMatch(sealedLink);
  expect(sent.link_hashes).toHaveLength(3);
  for (const token of tokens) expect(await everything()).not.toContain(token);
});

test('stay hidden from readers of the outbox until delivery', async () => {
  const { mail } = aMail();
  await system((tx) => outboxOn(waitingMails.SMTP_URL).queue(tx, mail));
  const admin = await t.user({ organisationId: client, role: 'Administrator' });
  const { text } = (await t.call(outboxApi.get, { params: { id: (await stored()).id } }, admin)).json();
  expect(text).toContain('Benign:\n[link hidden until delivery]');
  expect(text).not.toMatch(sealedLink);
});

test('leave no trace without a mail server', async () => {
  const { mail, tokens } = aMail();
  await system((tx) => outboxOn(undefined).queue(tx, mail));
  expect(await stored()).toMatchObject({ state: 'kept', sealed_links: null });
  expect((await stored()).text).toContain(neverSentLink);
  for (const token of tokens) expect(await everything()).not.toContain(token);
});

test('disappear when the email fails or the mail server is removed', async () => {
  const server = await startMailServer(() => new Error('no such mailbox'));
  closers.push(server.close);
  const outbox = outboxOn(server.url);
  const { mail } = aMail();
  await system((tx) => outbox.queue(tx, mail));
  await outbox.deliver();
  expect(await stored()).toMatchObject({ state: 'waiting', sealed_links: expect.anything() });
  await system((tx) =>
    tx
      .updateTable('mails')
      .set({ tries: 11, next_try_at: new Date(0) })
      .execute(),
  );
  await outbox.deliver();
  expect(await stored()).toMatchObject({ state: 'failed', sealed_links: null });
  expect((await stored()).text).toContain(undeliveredLink);

  await system((tx) => tx.deleteFrom('mails').execute());
  await system((tx) => outbox.queue(tx, mail));
  await system((tx) =>
    tx
      .updateTable('mails')
      .set({ created_at: new Date(Date.now() - 3 * 86_400_000) })
      .execute(),
  );
  await outboxOn(undefined).deliver();
  expect(await stored()).toMatchObject({ state: 'failed', sealed_links: null });
  expect((await stored()).text).toContain(undeliveredLink);
});

test('reach the recipient again after a crash before the record, and then disappear', async () => {
  const server = await startMailServer();
  closers.push(server.close);
  const outbox = outboxOn(server.url);
  const { mail, tokens } = aMail();
  await system((tx) => outbox.queue(tx, mail));
  // State after a worker crash following the delivery.
  await system((tx) =>
    tx
      .updateTable('mails')
      .set({ tries: 1, next_try_at: new Date(0) })
      .execute(),
  );
  await outbox.deliver();
  expect(server.received).toHaveLength(1);
  expect(await stored()).toMatchObject({ state: 'sent', sealed_links: null });
  for (const token of tokens) expect(await everything()).not.toContain(token);
});

test('disappear on delivery when stored in plain text by an earlier version', async () => {
  const server = await startMailServer();
  closers.push(server.close);
  const outbox = outboxOn(server.url);
  const { mail, tokens } = aMail();
  await system((tx) => outbox.queue(tx, { ...mail, links: [] }));
  await outbox.deliver();
  expect((await stored()).text).toContain(`Benign:\n${removedLink}`);
  for (const token of tokens) expect(await everything()).not.toContain(token);
});

test('replace no forged placeholder', () => {
  const forged = '(sealed link 00000000000000000000000000000000)';
  const url = 'https://quay.example/passwordReset/token';
  const { content, headers, sealed } = takeLinksOut(
    { content: { subject: '', title: forged, paragraphs: ['$& $1'], action: { label: 'Set', url } }, headers: {} },
    [url],
  );
  const back = putLinksBack({ text: `${content.title} ${content.action?.url}`, html: '', headers }, sealed);
  expect(back.text).toBe(`${forged} ${url}`);
});

test('raise an error before storage when missing from the email', async () => {
  const { mail } = aMail();
  const outbox = outboxOn(undefined);
  const other = ['https://quay.example/passwordReset/another'];
  await expect(system((tx) => outbox.queue(tx, { ...mail, links: other }))).rejects.toThrow('does not occur in its email');
});
