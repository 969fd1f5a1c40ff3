import { accentError } from '@parapet/contract/rules/contrast.ts';
import { minOrganisationsPerIndustry } from '@parapet/contract/rules/risk.ts';
import { organisations } from '@parapet/world/organisations.ts';
import { expect, test } from 'vitest';
import { accents } from './demo.details.ts';
import { demoForBrand } from './demo.service.ts';

test('uses brand accents with sufficient contrast', () => {
  for (const { accent_light, accent_dark } of Object.values(accents))
    expect([accentError(accent_light, 'light'), accentError(accent_dark, 'dark')]).toEqual([undefined, undefined]);
});

test('lists only a partner’s own people on its host, without deleted ones', () => {
  expect(demoForBrand(1).personas.map(({ persona }) => persona)).toEqual(
    expect.arrayContaining(['host', 'mfaUser', 'mfaNewUser']),
  );
  expect(demoForBrand(1).personas.map(({ persona }) => persona)).not.toContain('deletedUser');
  expect(demoForBrand(3).personas.map(({ persona }) => persona)).toEqual(['otherPartnerAdmin']);
});

test('includes one industry with enough clients for an average and one without', () => {
  const clients = organisations.filter(({ kind }) => kind === 'client');
  const sizes = new Set(clients.map(({ industry }) => clients.filter((other) => other.industry === industry).length));
  expect(Math.max(...sizes)).toBeGreaterThanOrEqual(minOrganisationsPerIndustry);
  expect(Math.min(...sizes)).toBeLessThan(minOrganisationsPerIndustry);
});
