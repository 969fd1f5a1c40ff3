import { describe, expect, test } from 'vitest';
import { graphIncidentSupport, pageOf } from './graph.incidents.ts';

describe('pageOf', () => {
  test.each([
    ['https://security.microsoft.com/incidents/1?tid=2', 'https://security.microsoft.com/incidents/1?tid=2'],
    ['https://security.microsoft.us/incidents/1', 'https://security.microsoft.us/incidents/1'],
    ['http://security.microsoft.com/incidents/1', ''],
    ['https://security.microsoft.com.evil.example/1', ''],
    ['https://security.microsoft.com@evil.example/1', ''],
    ['https://user@security.microsoft.com/1', ''],
    ['https://security.microsoft.com:8443/1', ''],
    ['javascript:alert(1)', ''],
    [7, ''],
  ])('takes only pages of Microsoft: %s', (value, page) => {
    expect(pageOf(value)).toBe(page);
  });
});

describe('ofEvent', () => {
  const tenant = '7c1d5e90-4b5f-4a0e-9d52-0d5f0a6b1c10';
  const of = (fields: object) => graphIncidentSupport.ofEvent({ tenantId: tenant.toUpperCase(), ...fields }, tenant);

  test('finds the incident of an alert, an incident itself, and an alert without one', () => {
    expect(of({ id: 'da1', providerAlertId: 'da1', incidentId: '28282' })).toEqual({ kind: 'incident', id: '28282' });
    expect(of({ id: '28282' })).toEqual({ kind: 'incident', id: '28282' });
    expect(of({ id: 'da1', providerAlertId: 'da1', incidentId: null })).toEqual({ kind: 'alert', id: 'da1' });
  });

  test('takes none of another tenant, and no id that is a path', () => {
    expect(graphIncidentSupport.ofEvent({ id: '1', tenantId: 'other' }, tenant)).toBeUndefined();
    expect(of({ id: '1/../../users' })).toBeUndefined();
  });
});
