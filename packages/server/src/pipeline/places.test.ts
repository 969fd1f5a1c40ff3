import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadNetworks } from '../domain/networks.ts';
import { fillPlaces } from './places.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'places-'));
  const [countries, systems] = [join(folder, 'countries.csv'), join(folder, 'systems.csv')];
  await writeFile(countries, '8.8.8.0,8.8.8.255,US\n');
  await writeFile(systems, '8.8.8.0,8.8.8.255,15169,Google LLC\n');
  await loadNetworks([countries, systems]);
});
afterAll(async () => {
  await loadNetworks([]);
  await rm(folder, { recursive: true });
});
const filled = (document: Record<string, unknown>) => {
  fillPlaces(document);
  return document;
};

describe('fillPlaces', () => {
  test('adds country and network to both ends', () => {
    expect(filled({ source: { ip: '8.8.8.8' }, destination: { ip: ['8.8.8.9'] } })).toEqual({
      source: { ip: '8.8.8.8', geo: { country_iso_code: 'US' }, as: { number: 15_169, organization: { name: 'Google LLC' } } },
      destination: {
        ip: ['8.8.8.9'],
        geo: { country_iso_code: 'US' },
        as: { number: 15_169, organization: { name: 'Google LLC' } },
      },
    });
  });

  test('keeps what the event says itself', () => {
    const own = { ip: '8.8.8.8', geo: { country_name: 'France' }, as: { number: 1 } };
    expect(filled({ source: { ...own } })).toEqual({ source: own });
    expect(filled({ source: { ip: '8.8.8.8', geo: { country_iso_code: 'FR' }, as: 1 } })).toMatchObject({
      source: { geo: { country_iso_code: 'FR' } },
    });
  });

  test('adds nothing to private addresses and other values', () => {
    for (const ip of ['10.0.0.1', '', 7, null, {}, ['x']]) expect(filled({ source: { ip } })).toEqual({ source: { ip } });
    expect(filled({ source: 'x', destination: null })).toEqual({ source: 'x', destination: null });
  });

  test('adds registrable domains by the public suffix list', () => {
    expect(
      filled({
        url: { domain: 'login.shop.example.co.uk' },
        dns: { question: { name: 'a.b.evil.com' } },
        destination: { domain: 'localhost' },
      }),
    ).toEqual({
      url: { domain: 'login.shop.example.co.uk', registered_domain: 'example.co.uk' },
      dns: { question: { name: 'a.b.evil.com', registered_domain: 'evil.com' } },
      destination: { domain: 'localhost' },
    });
    expect(filled({ url: { domain: '203.0.113.9' } })).toEqual({ url: { domain: '203.0.113.9' } });
    expect(filled({ url: { domain: 'x'.repeat(300) } })).not.toHaveProperty('url.registered_domain');
  });
});
