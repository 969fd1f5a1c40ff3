import { brandApi, reservedSubDomains } from '@parapet/contract/brand.ts';
import { contrast } from '@parapet/contract/rules/contrast.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import { proveDomain } from '../../../test/domains.ts';
import { scoped } from '../../core/db/scope.ts';
import { nameOfHost, neutralAccent, subDomainOf, suggestedSubDomain } from './brand.rules.ts';
import { createBrandService } from './brand.service.ts';

const hosts: [host: string, label: string | undefined][] = [
  ['harbor.localhost:8080', 'harbor'],
  ['HARBOR.portal.example', 'harbor'],
  ['harbor.localhost.:8080', 'harbor'],
  ['harbor.evil.example', 'harbor'],
  ['harbor.example', 'harbor'],
  ['xn--hrbor-5qa.example', 'xn--hrbor-5qa'],
  ['localhost:8080', undefined],
  ['harbor', undefined],
  ['127.0.0.1:8080', undefined],
  ['127.0.0.1.', undefined],
  ['[::1]:8080', undefined],
  ['::1', undefined],
  ['', undefined],
  ['.', undefined],
  ['.harbor.example', undefined],
  ['harbor..example', undefined],
  ['harbor.example..', undefined],
  ['harbor.example:', undefined],
  ['../etc.example', undefined],
  ['a_b.example', undefined],
  ['harbor@evil.example', undefined],
  ['harbor.example/x', undefined],
  ["harbor'--.example", undefined],
  [`${'x'.repeat(64)}.example`, undefined],
  [`harbor${'.x'.repeat(123)}`, 'harbor'],
  [`harbor${'.x'.repeat(124)}`, undefined],
  [`harbor.${'x.'.repeat(50_000)}`, undefined],
  ...reservedSubDomains.map((label) => [`${label}.example`, undefined] as [string, undefined]),
];

describe('host names', () => {
  test.each(hosts)('resolve %s to the brand %s', (host, label) => {
    expect(subDomainOf(host)).toBe(label);
  });

  test('ignore port, root dot and case', () => {
    expect(nameOfHost('Portal.Harbor.Example.:443')).toBe('portal.harbor.example');
  });
});

test('derive a sub-domain from any name', () => {
  expect(suggestedSubDomain('Harbor Managed IT', 1)).toBe('harbor-managed-it');
  expect(suggestedSubDomain('Château d’If & Söhne', 2)).toBe('chateau-d-if-sohne-2');
  expect(suggestedSubDomain('港', 1)).toBe('partner');
  const long = suggestedSubDomain(`${'x'.repeat(61)} yy`, 10);
  expect(long).toMatch(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/);
  expect(long.length).toBeLessThanOrEqual(63);
});

test('neutral accents meet the contrast requirement', () => {
  expect(contrast(neutralAccent.light, '#ffffff')).toBeGreaterThan(4.5);
  expect(contrast(neutralAccent.dark, '#171a21')).toBeGreaterThan(4.5);
});

describe('brand of a host', () => {
  let t: TestApp;
  let partner: number;
  beforeAll(async () => {
    t = await testApp({ PUBLIC_URL: 'https://soc.watch.example' });
    partner = await t.organisation({ isPartner: true, name: 'Quay Ltd' });
    const other = await t.organisation({ isPartner: true });
    const gone = await t.organisation({ isPartner: true });
    await scoped(t.db, 'system', async (tx) => {
      await tx
        .insertInto('brands')
        .values([
          { organisation_id: partner, sub_domain: 'quay', name: 'Quay', self_hosted_domain: 'security.quay.example' },
          { organisation_id: other, sub_domain: 'security', name: 'Other' },
          { organisation_id: gone, sub_domain: 'gone', name: 'Gone' },
          // Reserved labels; neither may appear under a host of the portal.
          { organisation_id: await inserted('Www'), sub_domain: 'www', name: 'Www' },
          { organisation_id: await inserted('Soc'), sub_domain: 'soc', name: 'Soc' },
        ])
        .execute();
      await tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', '=', gone).execute();
      await tx
        .updateTable('organisations')
        .set({ email_address: 'help@quay.example', website_url: 'https://quay.example' })
        .where('id', '=', partner)
        .execute();
    });
  });
  beforeAll(async () => {
    await proveDomain(t.db, partner, 'security.quay.example');
    await proveDomain(t.db, partner, 'quay.example');
  });
  afterAll(() => t.close());
  const inserted = (name: string) => t.organisation({ isPartner: true, name });
  const brandOf = async (host: string) =>
    (await t.application.app.inject({ url: brandApi.get.prefix + brandApi.get.path, headers: { host } })).json();

  test.each([
    ['quay.watch.example', 'Quay'],
    ['quay.evil.example:1', 'Quay'],
    ['QUAY.watch.example.', 'Quay'],
    // A whole domain takes precedence over another brand’s label.
    ['security.quay.example', 'Quay'],
    ['Security.Quay.Example.:443', 'Quay'],
    ['security.watch.example', 'Other'],
    ['gone.watch.example', 'Parapet'],
    ['unknown.watch.example', 'Parapet'],
    ['www.watch.example', 'Parapet'],
    ['soc.watch.example', 'Parapet'],
    ['soc.other.example', 'Soc'],
    ['localhost:8080', 'Parapet'],
    ['127.0.0.1', 'Parapet'],
    ['[::1]:8080', 'Parapet'],
  ])('%s: %s', async (host, name) => {
    expect((await brandOf(host)).name).toBe(name);
  });

  test('reveals nothing of the provider in a partner’s defaults', async () => {
    expect(await brandOf('quay.watch.example')).toMatchObject({
      title: 'Quay',
      description: '',
      contact: 'mailto:help@quay.example',
      websiteURL: 'https://quay.example',
      accentLight: neutralAccent.light,
      accentDark: neutralAccent.dark,
      demo: null,
    });
  });

  test('names the partner in the manifest of its host', async () => {
    const answer = await t.application.app.inject({ url: '/api/v1/brand/manifest', headers: { host: 'quay.watch.example' } });
    expect(answer.json()).toMatchObject({ name: 'Quay', short_name: 'Quay', description: '', theme_color: neutralAccent.light });
  });

  test('forbids caching, and returns 404 for unknown images', async () => {
    const answer = await t.application.app.inject({ url: '/api/v1/brand', headers: { host: 'quay.watch.example' } });
    expect(answer.headers['cache-control']).toBe('no-store');
    for (const path of ['quay/light.png', 'unknown/light.png', 'gone/light.png'])
      expect((await t.application.app.inject({ url: `/api/v1/brand/${path}` })).statusCode).toBe(404);
    for (const path of ['quay/..%2flight.png', 'quay/other.png', '%2e%2e/light.png', 'QUAY%00/light.png'])
      expect((await t.application.app.inject({ url: `/api/v1/brand/${path}` })).statusCode).toBeGreaterThanOrEqual(400);
  });

  test('defaults to the provider’s own brand, and builds links regardless of the header', async () => {
    const service = createBrandService({
      db: t.db,
      blobs: { put: async () => {}, get: async () => undefined, remove: async () => {} },
      publicUrl: 'https://soc.watch.example',
      mailFrom: 'post@watch.example',
      demo: null,
      hasOwnSingleSignOn: false,
      allowsRegistration: false,
      hasCustomerSuccess: false,
      isUnderMaintenance: false,
      version: async () => 'dev',
    });
    expect(await service.siteOf('quay.evil.example')).toEqual({
      organisationId: partner,
      origin: 'https://security.quay.example',
    });
    expect(await service.siteOf('evil.example')).toEqual({ organisationId: undefined, origin: 'https://soc.watch.example' });
    const client = await t.organisation({ parentId: partner });
    expect(await scoped(t.db, 'system', (tx) => service.ofMails(tx, client))).toEqual({
      origin: 'https://security.quay.example',
      name: 'Quay',
      accent: neutralAccent.light,
      senderName: 'Quay',
      senderAddress: 'help@quay.example',
      footer: '',
    });
    await t.organisation({ id: 1, isPartner: true, name: 'Watch' });
    await scoped(t.db, 'system', (tx) =>
      tx.insertInto('brands').values({ organisation_id: 1, sub_domain: 'watch', name: 'The Watch' }).execute(),
    );
    expect((await brandOf('localhost')).name).toBe('The Watch');
  });
});
