import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginAlike,
  hostNameOf,
  type IdentityKind,
  type IdentityRule,
  identitiesOf,
  notationOf,
  shortNameOf,
} from './correlation.identities.ts';
import type { Entity } from './correlation.rules.ts';

let next = 0;
const rule = (kind: IdentityKind, name: string, sameAs = '', isActive = true): IdentityRule => ({
  id: ++next,
  kind,
  name,
  sameAs,
  origin: 'default',
  reason: '',
  isActive,
});
const user = (value: string): Entity => ({ kind: 'user', value });
const device = (value: string): Entity => ({ kind: 'device', value });
const seen = (domains: Record<string, string[]> = {}, accounts: Record<string, string[]> = {}) => ({
  domains: new Map(Object.entries(domains)),
  accounts: new Map(Object.entries(accounts)),
});

test.each([
  ['CORP\\Ana', 'ana@corp'],
  ['ana@Corp.Example', 'ana@corp.example'],
  ['ana', 'ana'],
  ['WS-01\\ana', 'ana@ws-01'],
  ['ws-01.corp.example\\ana', 'ana@ws-01'],
  ['.\\ana', 'ana'],
  ['WORKGROUP\\ana', 'ana'],
  ['S-1-5-21-1-2-3-1101', 's-1-5-21-1-2-3-1101'],
  ['S-1-5-21-1-2-3-500', undefined],
  ['S-1-5-18', undefined],
  ['CORP\\Administrator', undefined],
  ['root', undefined],
  ['admin', undefined],
  ['CORP\\WS-02$', undefined],
  ['svc-backup', 'svc-backup@ws-01'],
  ['CORP\\svc-backup', 'svc-backup@corp'],
])('the notation of %s on WS-01: %s', (name, value) => {
  expect(notationOf(name, 'WS-01.corp.example')?.value).toBe(value);
});

test.each([
  ['WS-01$', 'ws-01'],
  ['\\\\FS-1', 'fs-1'],
  ['Ws-01.Corp.Example.', 'ws-01'],
  ['10.0.0.5', '10.0.0.5'],
  ['fe80::1', 'fe80::1'],
])('the short name of %s: %s', (name, short) => expect(shortNameOf(hostNameOf(name))).toBe(short));

test.each([
  ['corp', 'corp.example', true],
  ['corp.onmicrosoft.com', 'corp.example', true],
  ['averylongdomain', 'averylongdomain2.example', true],
  ['corp', 'corporation.example', false],
  ['gmail.com', 'gmail', false],
  ['10.0.0.1', '10.0.0.2', false],
])('%s and %s begin alike: %s', (one, other, answer) => expect(beginAlike(one, other)).toBe(answer));

describe('identity rules', () => {
  const linked = rule('domain', 'corp.example', 'corp');
  const known = seen({ ana: ['corp', 'corp.example'], bo: ['corp', 'other'] }, { 's-1-5-21-1-2-3-1101': ['ana@corp'] });
  const is = (rules: IdentityRule[], ...values: string[]) =>
    new Set(values.map((value) => identitiesOf(rules, known).canonical(user(value))?.value)).size;

  test('join the notations of one person', () => {
    expect(is([linked], 'ana@corp', 'ana@corp.example', 'ana', 's-1-5-21-1-2-3-1101')).toBe(1);
  });
  test('separate them once switched off', () => {
    expect(is([{ ...linked, isActive: false }], 'ana@corp', 'ana@corp.example')).toBe(2);
    expect(is([linked, rule('bare', '', '', false)], 'ana@corp', 'ana')).toBe(2);
    expect(is([linked, rule('sid', '', '', false)], 'ana@corp', 's-1-5-21-1-2-3-1101')).toBe(2);
  });
  test('leave a bare name alone that two domains have', () => {
    expect(is([linked], 'bo@corp', 'bo@other', 'bo')).toBe(3);
  });
  test('keep local accounts apart from those of the domain', () => {
    expect(is([linked], 'ana@ws-01', 'ana@corp')).toBe(2);
  });
  test('join two accounts of one person, and none of a shared account', () => {
    expect(is([linked, rule('account', 'adm-ana@corp', 'ana@corp')], 'adm-ana@corp.example', 'ana')).toBe(1);
    expect(identitiesOf([linked, rule('shared', 'ana')], known).canonical(user('ana@corp'))).toBeUndefined();
  });
  test('join short and full host names below a known suffix', () => {
    const { canonical } = identitiesOf([rule('suffix', 'corp.example'), rule('host', 'a.b.example', 'a.b.example')], seen());
    expect(canonical(device('ws-01.corp.example'))).toEqual(device('ws-01'));
    expect(canonical(device('ws-01.other.example'))).toEqual(device('ws-01.other.example'));
    expect(canonical(device('a.b.example'))).toEqual(device('a.b.example'));
  });
  test('join names that are linked in a circle', () => {
    const circle = [rule('domain', 'a', 'b'), rule('domain', 'b', 'a'), rule('host', 'x', 'y'), rule('host', 'y', 'x')];
    const { canonical } = identitiesOf(circle, seen());
    expect(canonical(user('ana@a'))).toEqual(canonical(user('ana@b')));
    expect(canonical(device('x'))).toEqual(canonical(device('y')));
  });
  test('spell exactly the values that stand for an entity', () => {
    const name = fc.constantFrom('a', 'b', 'c.example', 'd.example');
    const account = fc.constantFrom('ana', 'bo', 'adm-ana');
    const value = fc.oneof(
      account,
      fc.tuple(account, name).map(([one, domain]) => `${one}@${domain}`),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom<IdentityKind>('domain', 'suffix', 'account', 'host'), name, name), { maxLength: 6 }),
        fc.array(fc.tuple(account, fc.array(name, { maxLength: 2 })), { maxLength: 3 }),
        value,
        (given, domains, spelt) => {
          const rules = given.map(([kind, one, other]) =>
            kind === 'account' ? rule(kind, `adm-ana@${one}`, `ana@${other}`) : rule(kind, one, other),
          );
          const identities = identitiesOf(rules, seen(Object.fromEntries(domains)));
          const found = identities.canonical(user(spelt))!;
          expect(identities.spellings(found)).toContain(found.value);
          for (const other of identities.spellings(found)) expect(identities.canonical(user(other))).toEqual(found);
        },
      ),
    );
  });
});
