/** Brand of a partner and its images. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brandApi } from '@parapet/contract/brand.ts';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { proveDomain } from '../../../test/domains.ts';
import { scoped } from '../../core/db/scope.ts';

const files = mkdtempSync(join(tmpdir(), 'branding-'));
let t: TestApp;
let partner: number;
let otherPartner: number;
let client: number;
let clientAdmin: TestUser;
let partnerAdmin: TestUser;
let otherAdmin: TestUser;

beforeAll(async () => {
  t = await testApp({ PUBLIC_URL: 'https://portal.watch.example', DATA_DIR: files });
  partner = await t.organisation({ isPartner: true, name: 'Quay' });
  otherPartner = await t.organisation({ isPartner: true, name: 'Ridge' });
  client = await t.organisation({ parentId: partner, name: 'Elm' });
  clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  otherAdmin = await t.user({ organisationId: otherPartner, role: 'Administrator' });
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('brands')
      .values([
        { organisation_id: partner, sub_domain: 'quay', name: 'Quay Security' },
        { organisation_id: otherPartner, sub_domain: 'ridge', name: 'Ridge', self_hosted_domain: 'soc.ridge.example' },
      ])
      .execute(),
  );
  await proveDomain(t.db, otherPartner, 'soc.ridge.example');
});
afterAll(async () => {
  await t.close();
  rmSync(files, { recursive: true });
});

const detailsOf = async (user: TestUser, id: number): Promise<ClientDetails> =>
  (await t.call(organisationsApi.details, { params: { id } }, user)).json();
const auditOf = (organisationId: number, action: string) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('action', '=', action)
      .orderBy('id')
      .execute(),
  );
const branding = {
  partnerName: 'Quay Security',
  title: '',
  subDomain: 'quay',
  selfHostedDomain: '',
  description: '',
  contact: '',
  helpURL: '',
  accentLight: '#0b6e99',
  accentDark: '#7cc4e8',
  mailSenderName: '',
  mailSenderAddress: '',
  mailFooter: '',
  pdfFooter: '',
};

describe('brand', () => {
  const save = (change: object, user = partnerAdmin, id = partner) =>
    t.call(organisationsApi.updateBranding, { params: { id }, body: { ...branding, ...change } }, user);

  test('appears on the partner’s hosts immediately after saving', async () => {
    const change = {
      title: 'Quay SOC',
      subDomain: 'quayside',
      selfHostedDomain: 'soc.quay.example',
      mailFooter: 'Managed\nby Quay',
    };
    const answer = await save(change);
    expect(answer.json().branding).toEqual({ ...branding, ...change });
    await proveDomain(t.db, partner, 'soc.quay.example');
    for (const host of ['quayside.portal.watch.example', 'soc.quay.example'])
      expect((await t.application.app.inject({ url: '/api/v1/brand', headers: { host } })).json()).toMatchObject({
        title: 'Quay SOC',
        accentLight: '#0b6e99',
      });
    expect((await auditOf(partner, 'organisation.brandingUpdated')).at(-1)?.after).toMatchObject({ subDomain: 'quayside' });
    await save({});
  });

  test.each([
    [{ subDomain: 'www' }, 'subDomain'],
    [{ subDomain: 'staging' }, 'subDomain'],
    [{ subDomain: 'xn--qua-9ka' }, 'subDomain'],
    [{ subDomain: '../x' }, 'subDomain'],
    [{ subDomain: '-quay' }, 'subDomain'],
    [{ selfHostedDomain: 'portal.watch.example' }, 'selfHostedDomain'],
    [{ selfHostedDomain: 'Quay.Portal.Watch.example' }, 'selfHostedDomain'],
    [{ selfHostedDomain: 'quay.localhost' }, 'selfHostedDomain'],
    [{ selfHostedDomain: 'quay.example:8080' }, 'selfHostedDomain'],
    [{ partnerName: 'Quay\nBcc: x' }, 'partnerName'],
    [{ mailSenderName: 'Quay\r\nBcc: x' }, 'mailSenderName'],
    [{ contact: 'javascript:alert(1)' }, 'contact'],
    [{ accentLight: '#777777' }, 'accentLight'],
    [{ accentDark: '#333333' }, 'accentDark'],
    [{ accentLight: 'red' }, 'accentLight'],
  ])('refuses %j at %s', async (change, field) => {
    const before = await detailsOf(partnerAdmin, partner);
    const answer = await save(change);
    expect(answer.statusCode).toBe(400);
    expect(Object.keys(answer.json().errors)).toEqual([field]);
    expect(await detailsOf(partnerAdmin, partner)).toEqual(before);
  });

  test('reports the contrast ratio of an unreadable colour', async () => {
    expect((await save({ accentLight: '#777777' })).json().errors.accentLight[0]).toMatch(
      /contrast of 4\.17:1 .* at least 4\.5:1/,
    );
  });

  test('conflicts with another brand’s names, also concurrently', async () => {
    expect((await save({ subDomain: 'ridge' })).statusCode).toBe(409);
    expect((await save({ selfHostedDomain: 'SOC.ridge.example' })).statusCode).toBe(409);
    const both = await Promise.all([save({ subDomain: 'pier' }), save({ subDomain: 'pier' }, otherAdmin, otherPartner)]);
    expect(both.map((answer) => answer.statusCode).sort()).toEqual([200, 409]);
    await save({});
  });

  test('requires a fresh sign-in to change its host', async () => {
    const user = await t.user({ organisationId: partner, role: 'Administrator' });
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('sessions')
        .set({ proven_at: new Date(Date.now() - 11 * 60_000) })
        .where('user_id', '=', user.id)
        .execute(),
    );
    for (const change of [{ selfHostedDomain: 'evil.example' }, { subDomain: 'evil' }]) {
      const answer = await save(change, user);
      expect([answer.statusCode, answer.json().error]).toEqual([403, 'Please sign in again to continue']);
    }
    expect((await save({ title: 'Only a title' }, user)).statusCode).toBe(200);
    await save({});
  });

  test('refuses clients', async () => {
    for (const user of [clientAdmin, partnerAdmin]) {
      const answer = await save({ subDomain: 'elm' }, user, client);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error).toBe('Clients use their partner’s brand. Change the partner’s brand instead.');
    }
    expect((await save({}, clientAdmin)).statusCode).toBe(403);
    expect((await save({}, otherAdmin)).statusCode).toBe(403);
  });
});

describe('logo', () => {
  const upload = (bytes: Buffer, { user = partnerAdmin, id = partner, kind = 'light', type = 'image/png' } = {}) =>
    t.application.app.inject({
      method: 'PUT',
      url: `/api/v1/clientorganization/${id}/logo/${kind}`,
      headers: { authorization: `Bearer ${user.token}`, 'content-type': type },
      payload: bytes,
    });
  const picture = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#204060' } });

  test('appears re-encoded as PNG within its size without a sign-in, and can be replaced and removed', async () => {
    const jpeg = await picture(1200, 400)
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .jpeg()
      .toBuffer();
    const first = (await upload(jpeg, { type: 'image/jpeg' })).json().logos.light;
    expect(first).toMatch(/^\/api\/v1\/brand\/quay\/light\.png\?v=[0-9a-f]+$/);
    const shown = await t.application.app.inject({ url: first });
    expect(shown.headers['content-type']).toBe('image/png');
    expect(await sharp(shown.rawPayload).metadata()).toMatchObject({ format: 'png', width: 480, height: 160 });
    expect(shown.rawPayload.toString('latin1')).not.toContain('secret place');

    await upload(await picture(300, 300).png().toBuffer(), { kind: 'favicon' });
    const icon = await t.application.app.inject({ url: '/api/v1/brand/quay/favicon.png' });
    expect(await sharp(icon.rawPayload).metadata()).toMatchObject({ width: 64, height: 64 });

    const second = (await upload(await picture(20, 10).png().toBuffer())).json().logos.light;
    expect(second).not.toBe(first);
    expect(await sharp((await t.application.app.inject({ url: second })).rawPayload).metadata()).toMatchObject({ width: 20 });

    const answer = await t.call(organisationsApi.removeLogo, { params: { id: partner, kind: 'light' } }, partnerAdmin);
    expect(answer.json().logos).toMatchObject({ light: '', favicon: expect.stringContaining('/favicon.png') });
    expect((await t.call(brandApi.image, { params: { subDomain: 'quay', file: 'light.png' } })).statusCode).toBe(404);
    expect(await auditOf(partner, 'organisation.logoUploaded')).toHaveLength(3);
    expect(await auditOf(partner, 'organisation.logoRemoved')).toHaveLength(1);
  });

  test('refuses non-images, large files and clients', async () => {
    const png = await picture(10, 10).png().toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    expect((await upload(svg)).statusCode).toBe(400);
    expect((await upload(svg, { type: 'image/svg+xml' })).statusCode).toBeGreaterThanOrEqual(400);
    expect((await upload(png.subarray(0, 40))).statusCode).toBe(400);
    expect((await upload(await picture(5000, 5000).png().toBuffer())).statusCode).toBe(400);
    expect((await upload(Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]))).statusCode).toBe(413);
    expect((await upload(png, { kind: 'other' })).statusCode).toBe(400);
    expect((await upload(png, { id: client })).statusCode).toBe(400);
    expect((await upload(png, { user: clientAdmin })).statusCode).toBe(403);
    expect((await upload(png, { user: otherAdmin })).statusCode).toBe(403);
    expect((await detailsOf(partnerAdmin, partner)).logos.light).toBe('');
  });
});
