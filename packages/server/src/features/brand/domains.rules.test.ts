import { describe, expect, test } from 'vitest';
import { afterCheck, domainFault, faultOfAnswer, graceMs, senderFault } from './domains.rules.ts';

const portal = { host: 'portal.watch.example', mailDomain: 'watch.example' };

describe('claimable names', () => {
  test.each([
    ['portal.watch.example', /belongs to the portal/],
    ['quay.portal.watch.example', /belongs to the portal/],
    ['localhost', /belongs to the portal/],
    ['quay.localhost', /belongs to the portal/],
    ['192.0.2.7', /is an IP address/],
    ['intranet', /is not a full host name/],
    ['com', /is not a full host name/],
    ['co.uk', /is a public suffix/],
    ['com.au', /is a public suffix/],
    ['github.io', /is a public suffix/],
    ['azurewebsites.net', /is a public suffix/],
  ])('exclude %s', (domain, text) => {
    expect(domainFault(domain, portal)).toMatch(text);
  });

  test.each(['soc.quay.example', 'quay.co.uk', 'quay.github.io', 'watch.example', 'notportal.watch.example'])(
    'include %s',
    (domain) => {
      expect(domainFault(domain, portal)).toBeUndefined();
    },
  );

  test.each([
    ['soc@watch.example', /belongs to the portal/],
    ['soc@mail.watch.example', /belongs to the portal/],
    ['soc@co.uk', /is a public suffix/],
  ])('exclude %s as a sender', (address, text) => {
    expect(senderFault(address, portal)).toMatch(text);
  });
});

describe('DNS response', () => {
  const claim = { domain: 'soc.quay.example', token: 'abc' };
  test.each([
    [['portal-verification=abc'], undefined],
    [['v=spf1 -all', ' portal-verification=abc '], undefined],
    [['portal-verification=abcd'], /^A TXT record was found at _portal-challenge\.soc\.quay\.example, but it does not have/],
    [['portal-verification=ABC', 'x'], /^2 TXT records were found at .*, but none of them has the expected value\.$/],
    [['abc'], /does not have the expected value/],
  ])('%j', (values, text) => {
    const fault = faultOfAnswer({ values }, claim);
    if (text) expect(fault).toMatch(text);
    else expect(fault).toBeUndefined();
  });
});

describe('claim after a check', () => {
  const now = new Date('2026-05-10T00:00:00Z');
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

  test('keeps the time of its first verification', () => {
    expect(afterCheck({ verified_at: null, failing_since: null }, undefined, now)).toMatchObject({ verified_at: now, error: '' });
    const before = { verified_at: daysAgo(9), failing_since: daysAgo(2) };
    expect(afterCheck(before, undefined, now)).toMatchObject({ verified_at: daysAgo(9), failing_since: null, noticed_at: null });
  });

  test('stays in use for seven days after the first failure', () => {
    expect(afterCheck({ verified_at: daysAgo(9), failing_since: null }, 'why', now)).toEqual({
      failing_since: now,
      error: 'why',
    });
    expect(afterCheck({ verified_at: daysAgo(9), failing_since: daysAgo(6) }, 'why', now)).toEqual({
      failing_since: daysAgo(6),
      error: 'why',
    });
    expect(afterCheck({ verified_at: daysAgo(9), failing_since: new Date(now.getTime() - graceMs) }, 'why', now)).toEqual({
      verified_at: null,
      failing_since: null,
      error: 'why',
    });
  });
});
