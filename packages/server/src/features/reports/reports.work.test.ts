/** Report schedules by email and bulk report jobs. */
import { reportsApi } from '@parapet/contract/reports.ts';
import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import type { Blobs } from '../../core/blobs.ts';
import { movableClock, systemClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, neverProven } from '../../core/http/actor.ts';
import { silentLog } from '../../core/log.ts';
import { createOutboxService } from '../outbox/outbox.service.ts';
import { createReportJobs } from './reports.jobs.ts';
import { createReportSchedules } from './reports.schedules.ts';

const t = useTestApp();
let partner: number;
let staff: TestUser;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true, name: 'Quay' });
  staff = await t.user({ organisationId: partner, role: 'Administrator' });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const look = {
  origin: 'https://quay.example',
  name: 'Quay',
  accent: '#1f5fa8',
  senderName: 'Quay',
  senderAddress: 'soc@quay.example',
  footer: '',
};
const brand = { ofMails: async () => look } as never;

function memoryBlobs(): Blobs & { files: Map<string, Buffer> } {
  const files = new Map<string, Buffer>();
  return {
    files,
    put: async (key, bytes) => void files.set(key, bytes),
    get: async (key) => files.get(key),
    remove: async (key) => void files.delete(key),
  };
}

/** Replaces PDF drawing: bytes that name the client. */
const drawn = (fails: (client: number) => boolean = () => false) => ({
  generated: [] as string[],
  async makePdf(client: number, { year, month }: { year: number; month: number }) {
    this.generated.push(`${client} ${year}-${month}`);
    if (fails(client)) throw new Error('The renderer failed.');
    const report = { clientOrganizationName: `Client ${client}`, summary: ['All is well.'] } as never;
    return { report, bytes: Buffer.from(`%PDF of ${client}`), name: `report-${client}.pdf` };
  },
});

const newClient = async (timeZone = 'UTC', parentId = partner) => {
  const client = await t.organisation({ parentId });
  await system((tx) => tx.updateTable('organisations').set({ time_zone: timeZone }).where('id', '=', client).execute());
  return client;
};
const add = (client: number, recipients: string[], dayOfMonth = 5, user = staff) =>
  t.call(reportsApi.addSchedule, { params: { client }, body: { dayOfMonth, recipients } }, user);
const schedulesOf = async (client: number) =>
  (await t.call(reportsApi.listSchedules, { params: { client } }, staff)).json().results;
const mailsOf = (client: number) =>
  system((tx) =>
    tx
      .selectFrom('mails')
      .selectAll()
      .where('organisation_id', '=', client)
      .where('kind', '=', 'report.monthly')
      .orderBy('id')
      .execute(),
  );

describe('report schedule', () => {
  /** Created long ago. */
  const madeBefore = (client: number) =>
    system((tx) => tx.updateTable('report_schedules').set({ last_month: '' }).where('organisation_id', '=', client).execute());
  const schedulesOn = (more: Partial<Parameters<typeof createReportSchedules>[0]> = {}) => {
    const clock = movableClock(Date.parse('2026-11-05T09:00:00Z'));
    const blobs = memoryBlobs();
    const outbox = createOutboxService({ db: t.db, clock, brand, keys: t.keys, blobs, smtpUrl: undefined, log: silentLog });
    const schedules = createReportSchedules({ db: t.db, clock, reports: drawn(), blobs, brand, outbox, log: silentLog, ...more });
    return { clock, blobs, schedules };
  };

  test('accepts only users and escalation addresses of the client, in any spelling', async () => {
    const [client, other] = [await newClient(), await newClient()];
    const [own, strange] = [
      await t.user({ organisationId: client, role: 'Analyst' }),
      await t.user({ organisationId: other, role: 'Analyst' }),
    ];
    await system((tx) =>
      tx
        .insertInto('escalation_addresses')
        .values({ organisation_id: client, email_type: 'to', email_address: 'it@elm.example' })
        .execute(),
    );
    expect((await add(client, [own.email, strange.email])).json()).toMatchObject({
      errors: { recipients: [expect.stringContaining(strange.email)] },
    });
    expect((await add(client, [])).statusCode).toBe(400);
    expect((await add(client, [own.email], 29)).statusCode).toBe(400);
    const made = await add(client, [own.email.toUpperCase(), 'IT@elm.example']);
    expect(made.json()).toMatchObject({
      clientOrganizationID: client,
      dayOfMonth: 5,
      recipients: expect.arrayContaining([own.email, 'it@elm.example']),
      lastSentAt: null,
      lastError: '',
    });
    expect(await schedulesOf(client)).toEqual([made.json()]);
    const actions = await system((tx) =>
      tx
        .selectFrom('audit')
        .select('action')
        .where('organisation_id', '=', client)
        .where('action', 'like', 'reportSchedule%')
        .execute(),
    );
    expect(actions).toEqual([{ action: 'reportSchedule.created' }]);
  });

  test('removes a schedule once, by client and id', async () => {
    const [client, other] = [await newClient(), await newClient()];
    const own = await t.user({ organisationId: client, role: 'Administrator' });
    const { id } = (await add(client, [own.email])).json();
    const end = (of: number, user = staff) => t.call(reportsApi.removeSchedule, { params: { client: of, schedule: id } }, user);
    expect((await end(other)).statusCode).toBe(404);
    expect((await end(client, own)).statusCode).toBe(403);
    expect((await end(client)).statusCode).toBe(200);
    expect((await end(client)).statusCode).toBe(404);
    expect(await schedulesOf(client)).toEqual([]);
  });

  test('sends each month once across days, restarts and processes', async () => {
    const client = await newClient();
    const own = await t.user({ organisationId: client, role: 'Analyst' });
    await add(client, [own.email]);
    await madeBefore(client);
    const first = schedulesOn();
    first.clock.moveTo(Date.parse('2026-11-04T23:00:00Z'));
    await first.schedules.sendDue();
    expect(await mailsOf(client)).toEqual([]);
    first.clock.moveTo(Date.parse('2026-11-05T00:20:00Z'));
    const second = schedulesOn({ clock: first.clock, blobs: first.blobs });
    await Promise.all([first.schedules.sendDue(), second.schedules.sendDue()]);
    await first.schedules.sendDue();
    await schedulesOn({ clock: first.clock }).schedules.sendDue();
    const mails = await mailsOf(client);
    expect(mails.map(({ subject, to_addresses, attachments }) => [subject, to_addresses, attachments.length])).toEqual([
      [`Security report October 2026: Client ${client}`, [own.email], 1],
    ]);
    expect((await schedulesOf(client))[0]).toMatchObject({ lastSentAt: '2026-11-05T00:20:00.000Z', lastError: '' });
    first.clock.moveTo(Date.parse('2026-12-09T00:20:00Z'));
    await first.schedules.sendDue();
    expect((await mailsOf(client)).map(({ subject }) => subject.slice(0, 29))).toEqual([
      'Security report October 2026:',
      'Security report November 2026',
    ]);
  });

  test('starts next month when created after its day', async () => {
    const client = await newClient();
    const own = await t.user({ organisationId: client, role: 'Analyst' });
    const today = new Date().getUTCDate();
    if (today === 1) return;
    await add(client, [own.email], Math.min(28, today - 1));
    const { schedules } = schedulesOn({ clock: movableClock(Date.now()) });
    await schedules.sendDue();
    expect(await mailsOf(client)).toEqual([]);
  });

  test('records failures and retries', async () => {
    const [client, fine] = [await newClient(), await newClient()];
    const users = [
      await t.user({ organisationId: client, role: 'Analyst' }),
      await t.user({ organisationId: fine, role: 'Analyst' }),
    ];
    await add(client, [users[0]!.email]);
    await add(fine, [users[1]!.email]);
    await madeBefore(client);
    await madeBefore(fine);
    const broken = schedulesOn({ reports: drawn((id) => id === client) });
    await broken.schedules.sendDue();
    expect((await schedulesOf(client))[0]).toMatchObject({ lastSentAt: null, lastError: 'The renderer failed.' });
    // Other schedules are unaffected.
    expect(await mailsOf(fine)).toHaveLength(1);
    await schedulesOn().schedules.sendDue();
    expect((await schedulesOf(client))[0]).toMatchObject({ lastError: '' });
    expect(await mailsOf(client)).toHaveLength(1);
  });

  test('reports an error when all recipients have left', async () => {
    const client = await newClient();
    const own = await t.user({ organisationId: client, role: 'Analyst' });
    await add(client, [own.email]);
    await madeBefore(client);
    await system((tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', own.id).execute());
    await schedulesOn().schedules.sendDue();
    expect(await mailsOf(client)).toEqual([]);
    expect((await schedulesOf(client))[0].lastError).toContain('None of its recipients');
  });

  test('delivers the PDF and removes its file', async () => {
    const server = await startMailServer();
    closers.push(server.close);
    const client = await newClient();
    const own = await t.user({ organisationId: client, role: 'Analyst' });
    await add(client, [own.email]);
    await madeBefore(client);
    const blobs = memoryBlobs();
    const outbox = createOutboxService({
      db: t.db,
      clock: systemClock,
      brand,
      keys: t.keys,
      blobs,
      smtpUrl: server.url,
      log: silentLog,
    });
    closers.push(() => outbox.close());
    await schedulesOn({ blobs, outbox }).schedules.sendDue();
    expect(blobs.files.size).toBeGreaterThan(0);
    await outbox.deliver();
    const [mail] = server.received.filter(({ to }) => to.includes(own.email));
    expect(mail!.raw).toContain(`filename=report-${client}.pdf`);
    expect(mail!.raw).toContain('application/pdf');
    expect(mail!.raw).toContain(Buffer.from(`%PDF of ${client}`).toString('base64'));
    expect([...blobs.files.keys()].filter((key) => key.includes('schedule'))).toEqual([]);
    expect((await mailsOf(client))[0]).toMatchObject({ state: 'sent' });
  });
});

describe('report job', () => {
  const actorOf = (user: TestUser, organisationIds: readonly number[]): Actor => ({
    userId: user.id,
    organisationId: user.organisationId,
    role: 'Administrator',
    isPartner: true,
    sessionId: '',
    displayName: 'Staff',
    email: user.email,
    organisationIds,
    ...neverProven,
    address: '',
  });
  const jobsOn = (actor: () => Actor | undefined, more: Partial<Parameters<typeof createReportJobs>[0]> = {}) => {
    const blobs = memoryBlobs();
    const jobs = createReportJobs({
      db: t.db,
      clock: systemClock,
      reports: drawn(),
      blobs,
      actorNow: async () => actor(),
      log: silentLog,
      ...more,
    });
    return { jobs, blobs };
  };
  const fileOf = async (answer: { bytes: unknown }) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.bytes as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return unzipSync(Buffer.concat(chunks));
  };
  /** A dedicated partner with clients. */
  const group = async (count: number) => {
    const own = await t.organisation({ isPartner: true });
    const user = await t.user({ organisationId: own, role: 'Administrator' });
    const clients: number[] = [];
    for (let index = 0; index < count; index++) clients.push(await newClient('UTC', own));
    return { own, user, clients, actor: actorOf(user, [own, ...clients]) };
  };
  const month = { year: 2026, month: 3 };

  test('generates a report per client, shows progress and returns one archive', async () => {
    const { own, clients, actor } = await group(3);
    const { jobs } = jobsOn(() => actor);
    const job = await jobs.start(actor, { clientOrganizationID: own, ...month });
    expect(job).toMatchObject({ state: 'queued', total: 3, done: 0, failures: [] });
    await expect(jobs.file(actor, job.id)).rejects.toMatchObject({ code: 'conflict' });
    await jobs.run();
    expect(await jobs.get(actor, job.id)).toMatchObject({ state: 'done', total: 3, done: 3, failures: [] });
    const files = await fileOf(await jobs.file(actor, job.id));
    expect(
      Object.values(files)
        .map((bytes) => strFromU8(bytes))
        .sort(),
    ).toEqual(clients.map((client) => `%PDF of ${client}`).sort());
    for (const name of Object.keys(files)) expect(name).toMatch(/^report-[\w-]+-2026-03\.pdf$/);
    // Losing access to a client removes its report from the archive.
    const fewer = await fileOf(await jobs.file({ ...actor, organisationIds: [own, clients[0]!] }, job.id));
    expect(Object.values(fewer).map((bytes) => strFromU8(bytes))).toEqual([`%PDF of ${clients[0]}`]);
  });

  test('continues after a failing client and names it', async () => {
    const { clients, actor } = await group(3);
    const { jobs } = jobsOn(() => actor, { reports: drawn((client) => client === clients[1]) });
    const { id } = await jobs.start(actor, { clientOrganizationID: 0, ...month });
    await jobs.run();
    expect(await jobs.get(actor, id)).toMatchObject({
      state: 'done',
      done: 2,
      failures: [{ clientOrganizationName: `Organisation ${clients[1]}`, text: expect.stringContaining('Try again') }],
    });
  });

  test('resumes after an interruption and never runs twice in parallel', async () => {
    const { clients, actor } = await group(4);
    const reports = drawn();
    const cut = jobsOn(() => actor, { reports });
    const { id } = await cut.jobs.start(actor, { clientOrganizationID: 0, ...month });
    await system((tx) => tx.updateTable('report_jobs').set({ state: 'running', done: 2 }).where('id', '=', id).execute());
    await cut.jobs.run();
    expect(reports.generated).toEqual(clients.slice(2).map((client) => `${client} 2026-3`));
    expect(await cut.jobs.get(actor, id)).toMatchObject({ state: 'done', done: 4 });
    const again = await cut.jobs.start(actor, { clientOrganizationID: 0, ...month });
    await Promise.all([cut.jobs.run(), jobsOn(() => actor).jobs.run()]);
    expect(await cut.jobs.get(actor, again.id)).toMatchObject({ state: 'done', done: 4, failures: [] });
  });

  test('fails for requesters without permission and for removed clients', async () => {
    const { own, clients, actor } = await group(2);
    const gone = jobsOn(() => undefined);
    const { id } = await gone.jobs.start(actor, { clientOrganizationID: 0, ...month });
    await gone.jobs.run();
    expect(await gone.jobs.get(actor, id)).toMatchObject({
      state: 'failed',
      done: 0,
      failures: [{ text: expect.stringContaining('no longer has permission') }, {}],
    });
    await expect(gone.jobs.file(actor, id)).rejects.toMatchObject({ code: 'notFound' });
    const fewer = jobsOn(() => ({ ...actor, organisationIds: [own, clients[0]!] }));
    const second = await fewer.jobs.start(actor, { clientOrganizationID: 0, ...month });
    await fewer.jobs.run();
    expect(await fewer.jobs.get(actor, second.id)).toMatchObject({
      state: 'done',
      done: 1,
      failures: [{ text: expect.stringContaining('no longer has access') }],
    });
  });

  test('limits jobs, shows them to their partner only and deletes them with their files after a week', async () => {
    const { actor, user } = await group(1);
    const other = await group(1);
    const { jobs, blobs } = jobsOn(() => actor);
    const made = [];
    for (let index = 0; index < 3; index++) made.push(await jobs.start(actor, { clientOrganizationID: 0, ...month }));
    await expect(jobs.start(actor, { clientOrganizationID: 0, ...month })).rejects.toMatchObject({ code: 'conflict' });
    await expect(jobs.start(actor, { clientOrganizationID: other.clients[0]!, ...month })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(jobs.start(actor, { clientOrganizationID: 0, year: 9998, month: 1 })).rejects.toMatchObject({ code: 'invalid' });
    await expect(jobs.get(other.actor, made[0]!.id)).rejects.toMatchObject({ code: 'notFound' });
    await jobs.run();
    expect(blobs.files.size).toBe(3);
    expect((await t.call(reportsApi.getJob, { params: { job: made[0]!.id } }, user)).json()).toMatchObject({ state: 'done' });
    const later = jobsOn(() => actor, { blobs, clock: movableClock(Date.now() + 8 * 86_400_000) });
    await later.jobs.removeOld();
    expect(blobs.files.size).toBe(0);
    await expect(jobs.get(actor, made[0]!.id)).rejects.toMatchObject({ code: 'notFound' });
  });
});
