/** Scopes and proofs of an actor, without a database. */
import type { Problem } from '@parapet/contract/problem.ts';
import { describe, expect, test } from 'vitest';
import { type Actor, freshMs, isFresh, mayAs, neverProven, ownScope, reachAs, requireFresh, scopeFor, scopeOf } from './actor.ts';

const actor = (more: Partial<Actor> = {}): Actor => ({
  userId: 7,
  sessionId: 'session',
  displayName: 'Ada Frost',
  email: 'ada@frost.example',
  role: 'Analyst',
  isPartner: false,
  organisationId: 10,
  organisationIds: [10],
  provenAt: Date.now(),
  secondFactorAt: Date.now(),
  hasPassword: true,
  hasSecondFactor: true,
  address: '192.0.2.1',
  ...more,
});
const staff = actor({ role: 'Partner Analyst', isPartner: true, organisationId: 2, organisationIds: [2, 10, 11] });
const key = (...scopes: NonNullable<Actor['apiKey']>['scopes']) => ({ id: 1, scopes, addressRanges: [] });
const problemOf = (work: () => unknown): Problem => {
  try {
    work();
  } catch (error) {
    return error as Problem;
  }
  throw new Error('It did not throw.');
};

describe('scopes', () => {
  test('covers all organisations of the actor, with its reader', () => {
    expect(scopeOf(staff)).toEqual({ organisationIds: [2, 10, 11], reader: { organisationId: 2, canSeeInternal: true } });
    expect(scopeOf(actor())).toEqual({ organisationIds: [10], reader: { organisationId: 10, canSeeInternal: false } });
  });

  test('covers nothing for a guest', () => {
    expect(scopeOf(actor({ role: '' }))).toMatchObject({ organisationIds: [] });
  });

  test('leaves out the clients in that of the own organisation', () => {
    expect(ownScope(staff)).toEqual({ organisationIds: [2], reader: { organisationId: 2, canSeeInternal: true } });
  });

  test('cuts it to a client within', () => {
    expect(scopeFor(staff, 11)).toEqual({ organisationIds: [11], reader: { organisationId: 2, canSeeInternal: true } });
    expect(scopeFor(staff, 0)).toEqual(scopeOf(staff));
    expect(scopeFor(actor(), 10)).toEqual(scopeOf(actor()));
  });

  test('refuses a client outside, and all clients without a client selector', () => {
    const outside = problemOf(() => scopeFor(staff, 12));
    expect([outside.code, outside.message]).toEqual(['forbidden', 'You don’t have access to organisation 12.']);
    const all = problemOf(() => scopeFor(actor(), 0));
    expect([all.code, all.message]).toEqual(['forbidden', expect.stringContaining('can be chosen by staff only')]);
  });
});

describe('permissions', () => {
  test('gives those of the role, cut by the scopes of an API key', () => {
    expect(reachAs(staff, 'cases:write')).toBe('s');
    expect(reachAs({ ...staff, apiKey: key('read') }, 'cases:write')).toBeUndefined();
    expect(reachAs({ ...staff, apiKey: key('read', 'triage') }, 'cases:write')).toBe('s');
    // Never available to keys.
    expect(
      reachAs({ ...staff, apiKey: key('read', 'triage', 'respond', 'administer', 'ingest') }, 'session:use'),
    ).toBeUndefined();
    expect([mayAs(actor(), 'cases:write'), mayAs(staff, 'cases:write'), mayAs(actor(), 'cases:read')]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('proofs', () => {
  const [recent, old] = [() => Date.now() - freshMs + 5_000, () => Date.now() - freshMs - 5_000];

  test('lasts ten minutes', () => {
    expect(freshMs).toBe(600_000);
    expect([isFresh(actor({ provenAt: recent() })), isFresh(actor({ provenAt: old() }))]).toEqual([true, false]);
    expect(isFresh(actor({ provenAt: old() }), 'none')).toBe(true);
    expect(neverProven).toEqual({ provenAt: 0, secondFactorAt: 0, hasPassword: false, hasSecondFactor: false });
  });

  test('needs the second factor only of those that have it, where it is required', () => {
    const withoutIt = { provenAt: recent(), secondFactorAt: 0 };
    expect(isFresh(actor(withoutIt), 'freshSecondFactor')).toBe(false);
    expect(isFresh(actor({ ...withoutIt, hasSecondFactor: false }), 'freshSecondFactor')).toBe(true);
    expect(isFresh(actor(withoutIt), 'fresh')).toBe(true);
    expect(isFresh(actor({ provenAt: old(), secondFactorAt: recent() }), 'freshSecondFactor')).toBe(true);
  });

  test('accepts an API key only where keys are allowed', () => {
    const byKey = actor({ apiKey: key('read') });
    expect([isFresh(byKey), isFresh(byKey, 'freshOrKey'), isFresh(byKey, 'none')]).toEqual([false, true, true]);
    expect(isFresh(actor({ provenAt: old() }), 'freshOrKey')).toBe(false);
  });

  test.each<[string, Partial<Actor>, Parameters<typeof requireFresh>[1], string[]]>([
    ['a password and a code', {}, 'fresh', ['password', 'code']],
    ['a password', { hasSecondFactor: false }, 'fresh', ['password']],
    ['a code', { hasPassword: false }, 'fresh', ['code']],
    ['a code where the second factor is required', {}, 'freshSecondFactor', ['code']],
    ['a password where the second factor is required of others', { hasSecondFactor: false }, 'freshSecondFactor', ['password']],
    ['nothing', { hasPassword: false, hasSecondFactor: false }, 'fresh', []],
  ])('names the proofs that renew it: %s', (_name, more, needs, methods) => {
    const error = problemOf(() => requireFresh(actor({ provenAt: 0, secondFactorAt: 0, ...more }), needs));
    expect(error).toMatchObject({ code: 'forbidden', stepUp: methods });
  });

  test('throws nothing for a recent one, and offers none to an API key', () => {
    expect(() => requireFresh(actor())).not.toThrow();
    const error = problemOf(() => requireFresh(actor({ apiKey: key('read') })));
    expect([error.code, error.stepUp]).toEqual(['forbidden', undefined]);
  });
});
