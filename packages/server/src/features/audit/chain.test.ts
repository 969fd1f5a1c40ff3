/** Audit chain: sealing, order, and detection of tampering, including by the database’s owner. */
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { runAs, useTestDatabase } from '../../../test/database.ts';
import { canonicalJson, parseStored } from '../../core/canonical.ts';
import { movableClock } from '../../core/clock.ts';
import { type Scope, scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { checkpointKey, leafOf, linkHash, type SignedCheckpoint } from './chain.format.ts';
import { createAuditSealer } from './chain.sealer.ts';
import { listLinks, unsealedEntries } from './chain.store.ts';
import { verifyChain } from './chain.verify.ts';

const d = useTestDatabase({ poolSize: 8 });
const key = checkpointKey(randomBytes(32));
let organisation = 1000;
let logged: { checkpoint?: SignedCheckpoint; msg: string }[] = [];
const log = pino(
  new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)));
      done();
    },
  }),
);

const owner = (...statements: string[]) => runAs(d.ownerUrl, ...statements);
const sealerOf = (options: Partial<Parameters<typeof createAuditSealer>[0]> = {}) =>
  createAuditSealer({ db: d.db, clock: movableClock(Date.now()), key, log, ...options });
const verify = (organisationId = organisation, more: Partial<Parameters<typeof verifyChain>[1]> = {}) =>
  scoped(d.db, 'system', (tx) => verifyChain(tx, { organisationId, publicKey: key.publicKey, now: Date.now(), ...more }), {
    isolation: 'repeatable read',
  });
const write = (count: number, { id = organisation, at = 'now()' } = {}) =>
  owner(
    `insert into audit (organisation_id, at, action, target, before, after, address)
     select ${id}, ${at}, 'tag.saved', i::text, null, jsonb_build_object('name', 'Tag ' || i, 'n', i), '192.0.2.7' from generate_series(1, ${count}) i`,
  );
/** Id of the entry at a position. */
const entryAt = async (position: number): Promise<number> =>
  Number(
    (await owner(`select audit_id from audit_chain where organisation_id = ${organisation} and position = ${position}`))[0]
      ?.rows[0].audit_id,
  );
const ofChain = (position: number) => `organisation_id = ${organisation} and position = ${position}`;

beforeEach(async () => {
  logged = [];
  organisation += 1;
  await owner(`insert into organisations (id, name) values (${organisation}, 'Organisation ${organisation}')`);
});

describe('canonical JSON', () => {
  test('orders members by code units, and writes numbers and strings as ECMAScript does (RFC 8785)', () => {
    expect(canonicalJson({ '\u20ac': 1, '\r': 2, '\u{1f600}': 3, '\ufb33': 4, 1: [56, { b: null, a: true }] })).toBe(
      '{"\\r":2,"1":[56,{"a":true,"b":null}],"\u20ac":1,"\u{1f600}":3,"\ufb33":4}',
    );
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, '\u20ac$\u000f\nA\'B"\\\\"/'])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"]',
    );
  });
  test('distinguishes stored numbers beyond double precision', () => {
    expect(parseStored('[9007199254740993, 0.1, 1000000000000000000000, 0.0000001, -12.50]')).toEqual([
      '9007199254740993',
      0.1,
      1e21,
      1e-7,
      -12.5,
    ]);
  });
});

describe('untouched log', () => {
  test('seals, signs, logs and verifies every entry', async () => {
    await write(250);
    expect(await sealerOf({ batch: 100 }).seal()).toBe(250);
    expect(await sealerOf().seal()).toBe(0);
    const found = await verify();
    expect(found).toMatchObject({ entries: 250, lastPosition: 250, unsealed: 0, formerKeys: [] });
    expect(found.broken).toBeUndefined();
    expect(found.lastCheckpoint).toMatchObject({ position: 250, count: 250, organisationId: organisation });
    expect(logged.filter(({ msg }) => msg === 'audit checkpoint').map(({ checkpoint }) => checkpoint?.position)).toEqual([100]);
  });

  test('keeps one checkpoint an hour, also for idle logs', async () => {
    const sealer = sealerOf();
    for (let i = 0; i < 3; i++) {
      await write(1);
      await sealer.seal();
    }
    const permanent = async () =>
      (await owner(`select position from audit_checkpoints where organisation_id = ${organisation} and is_kept order by 1`))[0]
        ?.rows;
    expect(await permanent()).toEqual([{ position: '1' }]);
    await owner(`update audit_checkpoints set at = at - interval '61 minutes' where ${ofChain(1)}`);
    await sealer.seal();
    expect(await permanent()).toEqual([{ position: '1' }, { position: '3' }]);
  });

  test('orders entries by commit, each once, including late ones', async () => {
    const clock = movableClock(Date.now());
    const sealer = sealerOf({ clock });
    const late = new pg.Client({ connectionString: d.ownerUrl });
    await late.connect();
    await late.query('begin');
    await late.query(`insert into audit (organisation_id, action, target) values (${organisation}, 'tag.saved', 'late')`);
    await write(3);
    expect(await sealer.seal()).toBe(3);
    // Repeated scans much later must not skip the uncommitted entry.
    for (let i = 0; i < 3; i++) {
      clock.moveTo(clock.now() + 120_000);
      await write(1);
      await sealer.seal();
    }
    await late.query('commit');
    await late.end();
    expect(await sealer.seal()).toBe(1);
    const order = (
      await owner(
        `select a.target from audit_chain c join audit a on a.id = c.audit_id where c.organisation_id = ${organisation} order by position`,
      )
    )[0]?.rows.map(({ target }) => target);
    expect(order).toEqual(['1', '2', '3', '1', '1', '1', 'late']);
    expect((await verify()).broken).toBeUndefined();
  });

  test('keeps its order with many writers and two sealers', async () => {
    const sealers = [sealerOf({ batch: 20 }), sealerOf({ batch: 30 })];
    const writers = Array.from({ length: 8 }, () => writeOneByOne(25));
    const counts: number[] = [];
    let done = false;
    const sealing = sealers.map(async (sealer) => {
      while (!done) counts.push(await sealer.seal());
    });
    await Promise.all(writers);
    done = true;
    await Promise.all(sealing);
    for (const sealer of sealers) counts.push(await sealer.seal());
    expect(counts.reduce((sum, count) => sum + count)).toBe(200);
    expect(await verify()).toMatchObject({ entries: 200, lastPosition: 200, unsealed: 0 });
    expect((await verify()).broken).toBeUndefined();
  });
  async function writeOneByOne(count: number) {
    for (let i = 0; i < count; i++)
      await scoped(d.db, 'system', (tx) =>
        tx
          .insertInto('audit')
          .values({ organisation_id: organisation, action: 'tag.saved', before: null, after: null })
          .execute(),
      );
  }

  test('resumes after a killed sealer', async () => {
    await write(50);
    // Terminates the sealing connection after its links are written and before their commit.
    await owner(
      `create function end_sealer() returns trigger language plpgsql as $$ begin
         if new.organisation_id = ${organisation} then perform pg_terminate_backend(pg_backend_pid()); end if; return new; end $$`,
      'create trigger end_sealer after insert on audit_checkpoints for each row execute function end_sealer()',
    );
    const sealer = sealerOf();
    await expect(sealer.seal()).rejects.toThrow();
    await owner('drop trigger end_sealer on audit_checkpoints', 'drop function end_sealer()');
    expect(await sealer.seal()).toBe(50);
    expect(await verify()).toMatchObject({ entries: 50, unsealed: 0 });
    expect((await verify()).broken).toBeUndefined();
  });

  test('catches up within five seconds after a burst', async () => {
    const closing = new AbortController();
    const running = sealerOf().run(closing.signal);
    for (let i = 0; i < 4; i++) await write(1_000);
    await expect
      .poll(
        async () =>
          Number((await owner(`select count(*) from audit_chain where organisation_id = ${organisation}`))[0]?.rows[0].count),
        {
          interval: 200,
          timeout: 20_000,
        },
      )
      .toBe(4_000)
      .finally(() => closing.abort());
    await running;
    const { rows } = (
      await owner(
        `select extract(epoch from max(c.sealed_at - a.at))::float as lag, count(*)::integer from audit_chain c join audit a on a.id = c.audit_id
         where c.organisation_id = ${organisation}`,
      )
    )[0] as pg.QueryResult;
    expect(rows[0].count).toBe(4_000);
    expect(rows[0].lag).toBeLessThan(5);
  });
});

describe('tampering by the owner of the tables', () => {
  beforeEach(async () => {
    await write(12);
    await sealerOf().seal();
    expect((await verify()).broken).toBeUndefined();
  });

  test.each([
    ['the change', `set after = '{"name": "Another"}'`],
    ['the actor', `set actor_organisation_id = organisation_id`],
    ['when', `set at = at + interval '1 microsecond'`],
    ['the address', `set address = '192.0.2.8'`],
    ['the target', `set target = '=1'`],
    ['the visibility', `set visibility = 'internal'`],
    ['a digit beyond double precision', `set after = '{"name": "Tag 5", "n": 5.00000000000000000001}'`],
  ])('detects an edit of %s', async (_field, change) => {
    const id = await entryAt(5);
    await owner(`update audit ${change} where id = ${id}`);
    expect((await verify()).broken).toMatchObject({ position: 5, entryId: id, kind: 'edited' });
  });

  test('detects an edit of a link', async () => {
    await owner(`update audit_chain set hash = sha256('x') where ${ofChain(7)}`);
    expect((await verify()).broken).toMatchObject({
      position: 7,
      kind: 'edited',
      text: expect.stringContaining('the hash of its link was changed'),
    });
  });

  test('detects a removed entry, a removed link, and both', async () => {
    const id = await entryAt(4);
    await owner(`delete from audit where id = ${id}`);
    expect((await verify()).broken).toMatchObject({ position: 4, entryId: id, kind: 'removed' });
    await owner(`delete from audit_chain where ${ofChain(4)}`);
    expect((await verify()).broken).toMatchObject({ position: 4, kind: 'removed', text: 'the link is missing' });
  });

  test('detects swapped entries', async () => {
    const [third, fourth] = [await entryAt(3), await entryAt(4)];
    const swap = (columns: string) =>
      owner(
        'begin',
        'alter table audit_chain drop constraint audit_chain_audit_id_key',
        `update audit_chain c set ${columns.replaceAll('$', 'o.')} from audit_chain o
         where c.organisation_id = ${organisation} and o.organisation_id = ${organisation} and c.position in (3, 4) and o.position = 7 - c.position`,
        'alter table audit_chain add unique (audit_id)',
        'commit',
      );
    await swap('audit_id = $audit_id');
    expect((await verify()).broken).toMatchObject({
      position: 3,
      entryId: fourth,
      kind: 'reordered',
      text: expect.stringContaining(String(third)),
    });
    await swap('audit_id = $audit_id');
    expect((await verify()).broken).toBeUndefined();
    await swap('audit_id = $audit_id, salt = $salt');
    expect((await verify()).broken).toMatchObject({ position: 3, entryId: fourth, kind: 'reordered' });
    await swap('hash = $hash');
    expect((await verify()).broken).toMatchObject({ position: 3, entryId: fourth, kind: 'reordered' });
  });

  test('detects a backdated entry', async () => {
    await write(1, { at: "now() - interval '3 hours'" });
    const unsealed = (await verify()).broken;
    expect(unsealed).toMatchObject({ position: 13, kind: 'inserted' });
    await sealerOf().seal();
    expect((await verify()).broken).toMatchObject({ position: 13, entryId: unsealed?.entryId, kind: 'inserted' });
  });

  test('detects an inserted link', async () => {
    await owner(
      `insert into audit (organisation_id, action) values (${organisation}, 'tag.saved')`,
      `update audit_chain set position = position + 1000 where organisation_id = ${organisation} and position > 5`,
      `update audit_chain set position = position - 999 where organisation_id = ${organisation} and position > 1000`,
    );
    const { rows } = (
      await owner(`select max(id) as id from audit where organisation_id = ${organisation}`)
    )[0] as pg.QueryResult;
    await forge(6, Number(rows[0].id));
    expect((await verify()).broken).toMatchObject({ position: 6, entryId: Number(rows[0].id), kind: 'inserted' });
  });

  /** Writes a link with a valid hash, as an attacker could. */
  async function forge(from: number, entryId?: number, to = from) {
    await scoped(d.db, 'system', async (tx) => {
      const [before] = await listLinks(tx, 'system', organisation, { above: from - 2, limit: 1 });
      let previous = before?.hash as string;
      for (let position = from; position <= to; position++) {
        const salt = randomBytes(32);
        const [link] = await listLinks(tx, 'system', organisation, { above: position - 1, limit: 1 });
        const entry = entryId ? (await unsealedEntries(tx, entryId - 1, 1))[0] : link?.entry;
        if (!entry) throw new Error('Entry not found.');
        previous = linkHash({ leaf: leafOf(entry, salt), organisationId: organisation, position, previous });
        await owner(
          `insert into audit_chain (organisation_id, position, audit_id, salt, hash)
           values (${organisation}, ${position}, ${entry.id}, '\\x${salt.toString('hex')}', '\\x${previous}')
           on conflict (organisation_id, position) do update set salt = excluded.salt, hash = excluded.hash`,
        );
      }
    });
  }

  test('detects a log rewritten with valid hashes', async () => {
    await owner(`update audit set target = 'forged' where id = ${await entryAt(9)}`);
    await forge(9, undefined, 12);
    expect((await verify()).broken).toMatchObject({ position: 12, kind: 'forked' });
    // Forging a checkpoint requires the key.
    const other = checkpointKey(randomBytes(32));
    const { rows } = (
      await owner(`select encode(hash, 'hex') as hash from audit_chain where ${ofChain(12)}`)
    )[0] as pg.QueryResult;
    const time = new Date().toISOString();
    const head = other.sign({
      organisationId: organisation,
      position: 12,
      hash: rows[0].hash,
      count: 12,
      through: time,
      at: time,
    });
    await owner(
      `update audit_checkpoints set hash = '\\x${head.hash}', through = '${time}', at = '${time}', signature = '\\x${head.signature}' where ${ofChain(12)}`,
    );
    expect((await verify()).broken).toMatchObject({ position: 12, kind: 'checkpoint' });
    await owner(`delete from audit_checkpoints where organisation_id = ${organisation}`);
    expect((await verify()).broken).toMatchObject({ position: 1, kind: 'checkpoint' });
  });

  test('detects a truncated end by the newest checkpoint or the portal’s log', async () => {
    const outside = logged.flatMap(({ checkpoint }) => (checkpoint?.organisationId === organisation ? [checkpoint] : []));
    expect(outside.map(({ position }) => position)).toEqual([12]);
    const ids = `select audit_id from audit_chain where organisation_id = ${organisation} and position > 8`;
    await owner(
      `delete from audit where id in (${ids})`,
      `delete from audit_chain where organisation_id = ${organisation} and position > 8`,
    );
    expect((await verify()).broken).toMatchObject({ position: 9, kind: 'truncated' });
    await owner(`delete from audit_checkpoints where organisation_id = ${organisation}`);
    expect((await verify(organisation, { outside })).broken).toMatchObject({ position: 9, kind: 'truncated' });
    await owner(`delete from audit_chain where organisation_id = ${organisation}`);
    expect((await verify(organisation, { outside })).broken).toMatchObject({ position: 12, kind: 'removed' });
  });

  test('detects a beginning removed before its retention ends', async () => {
    await owner(`delete from audit_chain where organisation_id = ${organisation} and position <= 6`);
    expect((await verify()).broken).toMatchObject({ position: 6, kind: 'removed' });
    await owner(`delete from audit_chain where organisation_id = ${organisation}`);
    expect((await verify()).broken).toMatchObject({ position: 12, kind: 'removed' });
  });

  test('records a changed end in the log itself', async () => {
    await owner(`update audit_chain set hash = sha256('x') where ${ofChain(12)}`);
    await write(1);
    const sealer = sealerOf();
    await sealer.seal();
    await sealer.seal();
    expect(logged.some(({ msg }) => msg.startsWith('the audit log was changed'))).toBe(true);
    await owner(`update audit_chain set hash = (select hash from audit_checkpoints where ${ofChain(12)}) where ${ofChain(12)}`);
    expect((await verify()).broken).toMatchObject({
      position: 14,
      kind: 'forked',
      text: expect.stringContaining('had been changed'),
    });
  });

  test('detects a rollback to an older checkpoint', async () => {
    const sealer = sealerOf();
    await write(1);
    await sealer.seal();
    await owner(
      `delete from audit_chain where ${ofChain(13)}`,
      `delete from audit_checkpoints where ${ofChain(13)}`,
      `delete from audit where organisation_id = ${organisation} and id = (select max(id) from audit where organisation_id = ${organisation})`,
    );
    expect((await verify()).broken).toBeUndefined();
    await write(1);
    await sealer.seal();
    expect(logged.some(({ msg }) => msg.startsWith('the audit log was changed'))).toBe(true);
  });

  test('records another key in the log itself', async () => {
    const other = checkpointKey(randomBytes(32));
    expect((await verify(organisation, { publicKey: other.publicKey })).broken).toMatchObject({
      position: 12,
      kind: 'checkpoint',
    });
    const sealer = sealerOf({ key: other });
    const closing = new AbortController();
    const running = sealer.run(closing.signal);
    for (;;) if ((await verify(organisation, { publicKey: other.publicKey })).broken === undefined) break;
    closing.abort();
    await running;
    const found = await verify(organisation, { publicKey: other.publicKey });
    expect(found).toMatchObject({ lastPosition: 13, formerKeys: [expect.stringMatching(/^[0-9a-f]{16}$/)] });
    await owner(`update audit set target = 'x' where id = ${await entryAt(2)}`);
    expect((await verify(organisation, { publicKey: other.publicKey })).broken).toMatchObject({ position: 2, kind: 'edited' });
  });
});

describe('pruning', () => {
  test('starts the log at a signed checkpoint, and the rest verifies', async () => {
    const sealer = sealerOf();
    await write(5, { at: "now() - interval '402 days'" });
    await sealer.seal();
    await write(5, { at: "now() - interval '401 days'" });
    await sealer.seal();
    await write(5, { at: "now() - interval '399 days'" });
    await sealer.seal();
    await runAs(d.url, 'select drop_old_audit()');
    const found = await verify();
    expect(found.broken).toBeUndefined();
    expect(found).toMatchObject({ entries: 5, lastPosition: 15 });
    const { rows } = (
      await owner(`select count(*)::integer from audit where organisation_id = ${organisation}`)
    )[0] as pg.QueryResult;
    expect(rows[0].count).toBe(5);
    await write(1);
    await sealer.seal();
    expect(await verify()).toMatchObject({ entries: 6, lastPosition: 16, lastCheckpoint: { count: 6 } });
    await owner(`update audit_checkpoints set hash = sha256('x') where ${ofChain(10)}`);
    expect((await verify()).broken).toMatchObject({ position: 10, kind: 'checkpoint' });
  });

  test('keeps the checkpoint when all entries are pruned, and continues from it', async () => {
    const sealer = sealerOf();
    await write(3, { at: "now() - interval '402 days'" });
    await sealer.seal();
    await runAs(d.url, 'select drop_old_audit()');
    expect(await verify()).toMatchObject({ entries: 0, lastPosition: 3 });
    await write(1);
    await sealer.seal();
    const found = await verify();
    expect(found.broken).toBeUndefined();
    expect(found).toMatchObject({ entries: 1, lastPosition: 4, lastCheckpoint: { count: 1 } });
  });

  test('keeps younger entries regardless of checkpoints', async () => {
    await write(3);
    await sealerOf().seal();
    await owner(`update audit_checkpoints set through = now() - interval '500 days' where organisation_id = ${organisation}`);
    await runAs(d.url, 'select drop_old_audit()');
    expect(await verify()).toMatchObject({ lastPosition: 0, broken: { kind: 'checkpoint' } });
    const { rows } = (
      await owner(`select count(*)::integer from audit_chain where organisation_id = ${organisation}`)
    )[0] as pg.QueryResult;
    expect(rows[0].count).toBe(3);
  });
});

describe('the application’s role', () => {
  test('writes through the functions only', async () => {
    await write(2);
    await sealerOf({ log: silentLog }).seal();
    for (const statement of [
      'delete from audit_chain',
      'update audit_chain set position = position + 1',
      'truncate audit_chain',
      `insert into audit_chain select organisation_id, position + 100, audit_id + 100, salt, hash from audit_chain limit 1`,
      'delete from audit_checkpoints',
      'update audit_checkpoints set is_kept = false',
      `insert into audit (organisation_id, action, at) values (${organisation}, 'x', '2020-01-01')`,
      `insert into audit (id, organisation_id, action) overriding system value values (1, ${organisation}, 'x')`,
    ])
      await expect(runAs(d.url, statement)).rejects.toThrow('permission denied');
  });

  test('appends only, behind the end, for existing entries and in the portal’s own scope', async () => {
    await write(2);
    await sealerOf({ log: silentLog }).seal();
    const id = await entryAt(2);
    const seal = (link: object, scope: Scope = 'system') =>
      scoped(d.db, scope, (tx) => sql`select seal_audit(${JSON.stringify([link])}, '[]')`.execute(tx));
    const hash = '0'.repeat(64);
    await write(1);
    const next = { auditId: id + 1, position: 3, salt: hash, hash };
    await expect(seal({ ...next, auditId: id })).rejects.toThrow('audit_chain_audit_id_key');
    await expect(seal({ ...next, position: 2 })).rejects.toThrow('do not follow');
    await expect(seal({ ...next, position: 9 })).rejects.toThrow('do not follow');
    await expect(seal({ ...next, auditId: 2 ** 40 })).rejects.toThrow('names no entry');
    await expect(seal(next, { organisationIds: [organisation] })).rejects.toThrow('only the portal itself');
    // A link with a wrong hash does not verify.
    await seal(next);
    expect((await verify()).broken).toMatchObject({ position: 3, entryId: id + 1, kind: 'edited' });
  });
});
