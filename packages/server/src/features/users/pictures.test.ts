import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { usersApi } from '@parapet/contract/users.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { redraw } from '../../core/pictures.ts';
import { createPictureAddresses } from './users.pictures.ts';

let t: TestApp;
let dataDir: string;
let client: number;
let person: TestUser;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parapet-pictures-'));
  t = await testApp({ DATA_DIR: dataDir });
  client = await t.organisation();
});
beforeEach(async () => {
  person = await t.user({ organisationId: client, role: 'Analyst' });
});
afterAll(async () => {
  await t.close();
  await rm(dataDir, { recursive: true, force: true });
});

const image = (width: number, height = width, background = '#204060') =>
  sharp({ create: { width, height, channels: 3, background } });
const png = (width: number, height = width, background?: string) => image(width, height, background).png().toBuffer();
const upload = (bytes: Buffer, id = person.id, user: TestUser | undefined = person, type = 'image/png') =>
  t.application.app.inject({
    method: 'PUT',
    url: `/api/v1/user/${id}/picture`,
    headers: { 'content-type': type, ...(user && { authorization: `Bearer ${user.token}` }) },
    payload: bytes,
  });
const read = (url: string) => t.application.app.inject({ url });
const urlIn = async (id: number) =>
  (await t.call(usersApi.get, { params: { clientId: client, userId: id } }, person)).json().profileURL as string;
const fileOf = (id: number) => join(dataDir, 'files', 'profile-pictures', `${id}.png`);

/** PNG with an arbitrary header. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
function crafted(width: number, height: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('upload', () => {
  test('stores a re-encoded picture under the user’s id, without metadata', async () => {
    const original = await image(300)
      .withExif({ IFD0: { Copyright: 'a secret place' } })
      .png()
      .toBuffer();
    const bytes = Buffer.concat([original, Buffer.from('<script>alert(1)</script>')]);
    expect(original.includes('a secret place')).toBe(true);
    const answer = await upload(bytes);
    expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, expect.stringContaining('profileURL')]);
    const stored = await readFile(fileOf(person.id));
    expect(stored.includes('a secret place') || stored.includes('<script>')).toBe(false);
    expect(await sharp(stored).metadata()).toMatchObject({ format: 'png', width: 300, height: 300 });

    const shown = await read(answer.json().profileURL);
    expect([shown.statusCode, shown.headers['content-type']]).toEqual([200, 'image/png']);
    expect(shown.rawPayload).toEqual(stored);
    expect(shown.headers['cache-control']).toMatch(/^private, max-age=\d{4,5}$/);
    expect(shown.headers['x-content-type-options']).toBe('nosniff');
    expect(await urlIn(person.id)).toBe(answer.json().profileURL);
  });

  test('accepts squares up to 1024 × 1024', async () => {
    expect((await upload(await png(1024))).statusCode).toBe(200);
    for (const [width, height] of [
      [1025, 1025],
      [2048, 512],
      [100, 101],
      [1, 2],
    ] as const) {
      const answer = await upload(await png(width, height));
      expect([width, answer.statusCode, answer.json().error]).toEqual([
        width,
        400,
        expect.stringContaining(`${width} × ${height}`),
      ]);
    }
  });

  test('refuses files above 2 MiB without reading them', async () => {
    const answer = await upload(Buffer.alloc(2 * 1024 * 1024 + 1));
    expect(answer.statusCode).toBe(413);
  });

  test('refuses files that are not the PNG they claim to be', async () => {
    const files = {
      jpeg: await image(100).jpeg().toBuffer(),
      webp: await image(100).webp().toBuffer(),
      gif: await image(100).gif().toBuffer(),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><image href="/etc/passwd"/></svg>'),
      html: Buffer.from('<html><script>alert(1)</script></html>'),
      empty: Buffer.alloc(0),
      'a start alone': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      'a torso': (await png(200)).subarray(0, 60),
      'a wrong body': crafted(100, 100, Buffer.from('not packed at all')),
      'too little body': crafted(100, 100, deflateSync(Buffer.alloc(10))),
    };
    for (const [name, bytes] of Object.entries(files)) {
      const answer = await upload(bytes);
      expect([name, answer.statusCode]).toEqual([name, 400]);
    }
    expect((await upload(files.jpeg, person.id, person, 'image/jpeg')).statusCode).toBe(400);
    expect(await urlIn(person.id)).toBe('');
  });

  test('refuses an image bomb by its header', async () => {
    // 900 MB when unpacked.
    const bomb = crafted(30_000, 30_000, deflateSync(Buffer.alloc(100_000_000)));
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    const start = performance.now();
    const answer = await upload(bomb);
    expect([answer.statusCode, answer.json().error]).toEqual([400, expect.stringContaining('30000 × 30000')]);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    for (const [width, height] of [
      [2 ** 31 - 1, 2 ** 31 - 1],
      [2 ** 32 - 1, 1],
      [0, 0],
    ] as const)
      expect((await upload(crafted(width, height, deflateSync(Buffer.alloc(100))))).statusCode).toBe(400);
    // A small header with an endless body.
    expect((await upload(crafted(10, 10, deflateSync(Buffer.alloc(200_000_000))))).statusCode).toBeLessThan(500);
  });

  test('keeps one whole picture after concurrent uploads', async () => {
    const pictures = await Promise.all([png(200, 200, '#ff0000'), png(300, 300, '#00ff00')]);
    const answers = await Promise.all(pictures.map((bytes) => upload(bytes)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const shown = await read(await urlIn(person.id));
    expect([200, 300]).toContain((await sharp(shown.rawPayload).metadata()).width);
  });

  test('refuses deleted, foreign and missing users', async () => {
    const admin = await t.user({ organisationId: client, role: 'Administrator' });
    const foreign = await t.user({ organisationId: await t.organisation(), role: 'Analyst' });
    const bytes = await png(10);
    expect((await upload(bytes, person.id, undefined)).statusCode).toBe(200);
    expect(
      (
        await t.application.app.inject({
          method: 'PUT',
          url: `/api/v1/user/${person.id}/picture`,
          headers: { 'content-type': 'image/png' },
          payload: bytes,
        })
      ).statusCode,
    ).toBe(401);
    expect((await upload(bytes, admin.id)).statusCode).toBe(403);
    expect((await upload(bytes, foreign.id)).statusCode).toBe(404);
    expect((await upload(bytes, 2_147_483_647)).statusCode).toBe(404);
    expect((await upload(bytes, person.id, admin)).statusCode).toBe(200);
    await t.call(usersApi.remove, { params: { id: person.id } }, await other(admin));
    expect((await upload(bytes, person.id, admin)).statusCode).toBe(403);
  });
});

const other = async (user: TestUser) => {
  await t.user({ organisationId: user.organisationId, role: 'Administrator' });
  return user;
};

describe('address', () => {
  test('expires when the picture is replaced or removed', async () => {
    const first = (await upload(await png(50))).json().profileURL;
    const second = (await upload(await png(60))).json().profileURL;
    expect(second).not.toBe(first);
    expect((await read(first)).statusCode).toBe(404);
    expect((await read(second)).statusCode).toBe(200);
    expect((await t.call(usersApi.removePicture, { params: { id: person.id } }, person)).statusCode).toBe(200);
    expect((await read(second)).statusCode).toBe(404);
    expect(await urlIn(person.id)).toBe('');
    await expect(readFile(fileOf(person.id))).rejects.toThrow('ENOENT');
  });

  test('works for one user; a wrong one responds like a missing picture', async () => {
    const { profileURL } = (await upload(await png(50))).json();
    const someone = await t.user({ organisationId: client, role: 'Analyst' });
    await upload(await png(50), someone.id, someone);
    const other = await t.user({ organisationId: client, role: 'Analyst' });
    const until = Number(/until=(\d+)/.exec(profileURL)?.[1]);
    const wrong = [
      profileURL.replace(`/${person.id}.png`, `/${someone.id}.png`),
      profileURL.replace(`/${person.id}.png`, `/${other.id}.png`),
      profileURL.replace(`/${person.id}.png`, '/2147483647.png'),
      profileURL.replace(`/${person.id}.png`, '/9999999999.png'),
      profileURL.replace(`/${person.id}.png`, `/0${person.id}.png`),
      profileURL.replace(`until=${until}`, `until=${until + 1}`),
      profileURL.replace(`until=${until}`, 'until=NaN'),
      profileURL.replace(/signature=.*/, 'signature='),
      profileURL.replace(/signature=.*/, `signature=${'A'.repeat(43)}`),
    ];
    for (const url of wrong) {
      const answer = await read(url);
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 404, 'notFound']);
      expect(answer.json().error).toMatch(/^Couldn’t find picture \d+\.png, or you don’t have access to it\.$/);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  test.each(['..%2f..%2fetc%2fpasswd', '..%2f1.png', '1.png%00', '1.svg', '-1.png', '1', '1.png%2f..', '%2e%2e', 'x.png'])(
    'leads to no other file: %s',
    async (file) => {
      await writeFile(join(dataDir, 'files', 'secret.png'), 'secret').catch(() => undefined);
      const answer = await read(`/api/v1/profile-pictures/${file}?until=9999999999&signature=x`);
      expect([400, 404]).toContain(answer.statusCode);
      expect(answer.body).not.toContain('secret');
    },
  );

  test('stays the same for half a day and expires after 12 to 24 hours', () => {
    const start = Date.parse('2026-03-01T00:00:00Z');
    const clock = movableClock(start);
    const addresses = createPictureAddresses(Buffer.from('key'), clock);
    const url = addresses.urlOf(7, 'v1');
    const query = Object.fromEntries(new URL(url, 'http://x').searchParams) as { until: string; signature: string };
    expect(addresses.secondsLeft(7, 'v1', query)).toBe(24 * 3600);
    clock.moveTo(start + 12 * hourMs - 1);
    expect(addresses.urlOf(7, 'v1')).toBe(url);
    clock.moveTo(start + 12 * hourMs);
    expect(addresses.urlOf(7, 'v1')).not.toBe(url);
    clock.moveTo(start + 24 * hourMs - 1000);
    expect(addresses.secondsLeft(7, 'v1', query)).toBe(1);
    clock.moveTo(start + 24 * hourMs);
    expect(addresses.secondsLeft(7, 'v1', query)).toBe(0);
    clock.moveTo(start);
    expect(addresses.secondsLeft(7, 'v2', query)).toBe(0);
    expect(addresses.secondsLeft(8, 'v1', query)).toBe(0);
    expect(createPictureAddresses(Buffer.from('other'), clock).secondsLeft(7, 'v1', query)).toBe(0);
    expect(addresses.urlOf(7, null)).toBe('');
  });
});

test('audits every change', async () => {
  await upload(await png(50));
  await t.call(usersApi.removePicture, { params: { id: person.id } }, person);
  const rows = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').where('target', '=', String(person.id)).orderBy('id').select('action').execute(),
  );
  expect(rows.map(({ action }) => action)).toEqual(['user.pictureChanged', 'user.pictureRemoved']);
});

describe('re-encoding', () => {
  const limits = { maxBytes: 1_000_000, maxPixels: 1_000_000 };
  test('fits a logo in its own proportions without enlarging it', async () => {
    const size = async (bytes: Buffer, fit: { width: number; height: number }) => {
      const { width, height, format } = await sharp(
        await redraw(bytes, { ...limits, fit, formats: ['png', 'jpeg', 'webp'] }),
      ).metadata();
      return [width, height, format];
    };
    expect(await size(await png(800, 200), { width: 400, height: 400 })).toEqual([400, 100, 'png']);
    expect(await size(await png(20, 10), { width: 400, height: 400 })).toEqual([20, 10, 'png']);
    expect(await size(await image(300, 600).jpeg().toBuffer(), { width: 60, height: 60 })).toEqual([30, 60, 'png']);
    expect(await size(await image(50).webp().toBuffer(), { width: 60, height: 60 })).toEqual([50, 50, 'png']);
  });

  test('keeps transparency', async () => {
    const clear = await sharp({ create: { width: 9, height: 9, channels: 4, background: { r: 1, g: 2, b: 3, alpha: 0 } } })
      .png()
      .toBuffer();
    expect((await sharp(await redraw(clear, limits)).metadata()).hasAlpha).toBe(true);
  });

  test('limits bytes and pixels', async () => {
    const bytes = await png(100);
    await expect(redraw(bytes, { ...limits, maxBytes: bytes.length - 1 })).rejects.toMatchObject({ code: 'tooLarge' });
    await expect(redraw(bytes, { ...limits, maxPixels: 9_999 })).rejects.toMatchObject({ code: 'invalid' });
    await expect(redraw(bytes, { ...limits, maxBytes: bytes.length, maxPixels: 10_000 })).resolves.toBeInstanceOf(Buffer);
  });
});
