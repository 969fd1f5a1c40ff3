import { accentError } from '@parapet/contract/rules/contrast.ts';
import { minOrganisationsPerIndustry } from '@parapet/contract/rules/risk.ts';
import { organisations } from '@parapet/world/organisations.ts';
import { expect, test } from 'vitest';
import { accents } from './demo.details.ts';
import { personasOn } from './demo.service.ts';
import { shownProgress } from './demo.state.ts';

test('uses brand accents with sufficient contrast', () => {
  for (const { accent_light, accent_dark } of Object.values(accents))
    expect([accentError(accent_light, 'light'), accentError(accent_dark, 'dark')]).toEqual([undefined, undefined]);
});

test('lists only a partner’s own people on its host, without deleted ones', () => {
  expect(personasOn(1).map(({ persona }) => persona)).toEqual(expect.arrayContaining(['host', 'mfaUser', 'mfaNewUser']));
  expect(personasOn(1).map(({ persona }) => persona)).not.toContain('deletedUser');
  expect(personasOn(3).map(({ persona }) => persona)).toEqual(['otherPartnerAdmin']);
});

test('includes one industry with enough clients for an average and one without', () => {
  const clients = organisations.filter(({ kind }) => kind === 'client');
  const sizes = new Set(clients.map(({ industry }) => clients.filter((other) => other.industry === industry).length));
  expect(Math.max(...sizes)).toBeGreaterThanOrEqual(minOrganisationsPerIndustry);
  expect(Math.min(...sizes)).toBeLessThan(minOrganisationsPerIndustry);
});

test('shows stored progress, no estimate of a stopped process, and nothing once the world is complete', () => {
  const progress = { stage: 'Replaying a year of events', part: 0.504, msLeft: 9_400, at: 1_000_000 };
  const state = { now: 0, isDone: false, progress };
  expect(shownProgress(undefined, 0)).toEqual({
    stage: 'Creating organisations and people',
    percent: 0,
    secondsLeft: null,
    canSignIn: false,
  });
  expect(shownProgress({ now: 0, isDone: false }, 0)).toMatchObject({ percent: 0, canSignIn: true });
  expect(shownProgress(state, progress.at + 1_000)).toEqual({
    stage: 'Replaying a year of events',
    percent: 50,
    secondsLeft: 9,
    canSignIn: true,
  });
  expect(shownProgress(state, progress.at + 60_000)).toMatchObject({ percent: 50, secondsLeft: null });
  expect(shownProgress({ now: 0, isDone: false, progress: { ...progress, part: 1 } }, progress.at)).toMatchObject({
    percent: 99,
  });
  expect(shownProgress({ ...state, isDone: true }, progress.at)).toBeNull();
});
