/** Against a real DNS server on this machine. */
import { beforeAll, describe, expect, test } from 'vitest';
import { dnsServer } from '../../test/dns-server.ts';
import { useFixture } from '../../test/use.ts';
import { createResolver, type Resolver } from './dns.ts';

const server = useFixture(dnsServer, (fixture) => fixture.close());
/** Patient: a busy machine may hold an answer back for more than half a second. */
let resolver: Resolver;
beforeAll(async () => {
  resolver = createResolver({ servers: [server.address], timeoutMs: 20_000 });
});

const name = '_portal-challenge.soc.quay.example';

describe('a TXT lookup', () => {
  test('returns every record of the name', async () => {
    server.set(name, { txt: ['v=spf1 -all', 'portal-verification=a'] });
    expect(await resolver.txt(name)).toEqual({ values: ['v=spf1 -all', 'portal-verification=a'] });
  });

  test('joins the strings of one record', async () => {
    server.set(name, { txt: [['portal-', 'verification=', 'a'.repeat(200)]] });
    expect(await resolver.txt(name)).toEqual({ values: [`portal-verification=${'a'.repeat(200)}`] });
  });

  test('follows an alias', async () => {
    server.set(name, { cname: 'proof.quay.example', txt: ['portal-verification=a'] });
    expect(await resolver.txt(name)).toEqual({ values: ['portal-verification=a'] });
  });

  test('finds nothing behind an alias that leads nowhere', async () => {
    server.set(name, { cname: 'proof.quay.example' });
    expect(await resolver.txt(name)).toEqual({ fault: `No TXT record was found at ${name}.` });
  });

  test('accepts a response too large for UDP', async () => {
    const values = Array.from({ length: 120 }, (_, at) => `${at} ${'x'.repeat(200)}`);
    server.set(name, { txt: values });
    expect(await resolver.txt(name)).toEqual({ values });
  });

  test('reads no more than 500 records', async () => {
    server.set(name, { txt: Array.from({ length: 600 }, (_, at) => `value ${at}`) });
    const answer = await resolver.txt(name);
    expect('values' in answer && answer.values.length).toBe(500);
  });

  test.each([
    ['a name that does not exist', { rcode: 3 }, /^No TXT record was found at _portal-challenge\.soc\.quay\.example\.$/],
    ['a name without such a record', {}, /^No TXT record was found/],
    ['a failing zone', { rcode: 2 }, /could not answer \(SERVFAIL\)/],
    ['a refusing server', { rcode: 5 }, /refused to answer \(REFUSED\)/],
  ])('says why: %s', async (_what, zone, text) => {
    server.set(name, zone);
    expect(await resolver.txt(name)).toEqual({ fault: expect.stringMatching(text) });
  });

  test('ends at its limit where the server is silent', async () => {
    server.set(name, { isSilent: true });
    const startedAt = performance.now();
    expect(await createResolver({ servers: [server.address], timeoutMs: 1_000 }).txt(name)).toEqual({
      fault: expect.stringMatching(/got no answer within 1 seconds/),
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('reports an unavailable name server', async () => {
    expect(await createResolver({ servers: ['127.0.0.1:9'], timeoutMs: 1_000 }).txt(name)).toEqual({
      fault: expect.stringMatching(/cannot be reached|no answer/),
    });
  });
});
