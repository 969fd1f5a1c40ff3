import type { IncidentState, VendorIncident } from '@parapet/connectors/incidents.ts';
import { describe, expect, test } from 'vitest';
import type { Agreed, Wanted } from '../../core/db/tables.connections.ts';
import { beginning, type CaseState, compare, missingOf, wantedOf } from './connections.incidents.rules.ts';

const caseOf = (over: Partial<CaseState>): CaseState => ({ status: 'open', resolution: null, analyst: null, ...over });
const wantedState = (state: IncidentState, over: Partial<Wanted> = {}): Wanted => ({
  state,
  classification: null,
  assignedTo: null,
  ...over,
});
const incident = (state: IncidentState, over: Partial<VendorIncident> = {}): VendorIncident => ({
  kind: 'incident',
  id: '1',
  title: '',
  url: '',
  status: state,
  state,
  classification: null,
  determination: '',
  assignedTo: null,
  changedAt: 0,
  comments: [],
  ...over,
});
const agreed = (cases: IncidentState, vendor: IncidentState): Agreed => ({ wanted: wantedState(cases), state: vendor });

describe('wantedOf', () => {
  test('closes with the last case, by the gravest resolution that was stated', () => {
    const closed = caseOf({ status: 'closed', resolution: 'falsePositive' });
    expect(wantedOf([closed, caseOf({})]).state).toBe('working');
    expect(wantedOf([closed, caseOf({ status: 'escalated:closed', resolution: 'truePositive' })])).toMatchObject({
      state: 'closed',
      classification: 'truePositive',
    });
    expect(wantedOf([caseOf({ status: 'closed', resolution: 'duplicate' })]).classification).toBeNull();
    expect(wantedOf([caseOf({ status: 'closed', resolution: 'acceptedRisk' })]).classification).toBe('benign');
  });

  test('leaves an untouched case open, and names an analyst of the open ones', () => {
    expect(wantedOf([caseOf({})])).toEqual(beginning.wanted);
    const closed = caseOf({ status: 'closed', analyst: 'a@x.example' });
    expect(wantedOf([closed, caseOf({ status: 'assigned', analyst: 'b@x.example' })]).assignedTo).toBe('b@x.example');
  });
});

describe('compare', () => {
  test.each([
    // agreed case, agreed vendor, case now, vendor now, mode → who, state that is sent
    ['open', 'open', 'open', 'open', 'both', 'none', undefined],
    ['open', 'open', 'closed', 'open', 'both', 'none', 'closed'],
    ['open', 'open', 'open', 'closed', 'both', 'close', undefined],
    ['open', 'open', 'open', 'closed', 'send', 'differs', undefined],
    ['open', 'open', 'closed', 'closed', 'both', 'none', undefined],
    ['closed', 'closed', 'closed', 'open', 'both', 'reopen', undefined],
    ['closed', 'closed', 'working', 'open', 'both', 'none', 'working'],
    // Work on an open case does not reopen what the vendor closed.
    ['open', 'closed', 'working', 'closed', 'send', 'none', undefined],
    ['open', 'open', 'working', 'closed', 'both', 'close', undefined],
    // The vendor reopened while the case was closed.
    ['open', 'closed', 'closed', 'open', 'both', 'overruled', 'closed'],
    ['open', 'open', 'closed', 'working', 'both', 'none', 'closed'],
    ['open', 'open', 'closed', 'open', 'read', 'none', undefined],
  ] as const)('case %s, vendor %s → case %s, vendor %s, %s: %s', (caseWas, vendorWas, cases, vendor, mode, who, state) => {
    const result = compare(agreed(caseWas, vendorWas), wantedState(cases), incident(vendor), mode);
    expect({ vendor: result.vendor, state: result.change?.state }).toEqual({ vendor: who, state });
  });

  test('sends a classification and an owner only when the case changed them', () => {
    const before = agreed('open', 'open');
    const wanted = wantedState('closed', { classification: 'benign', assignedTo: 'a@x.example' });
    expect(compare(before, wanted, incident('open', { classification: 'benign' }), 'send').change).toEqual({
      state: 'closed',
      assignedTo: 'a@x.example',
    });
    expect(
      compare({ wanted, state: 'closed' }, wanted, incident('closed', { assignedTo: 'other' }), 'send').change,
    ).toBeUndefined();
  });

  test('removes only an owner of its own', () => {
    const before: Agreed = { wanted: wantedState('working', { assignedTo: 'a@x.example' }), state: 'working' };
    const change = (assignedTo: string) =>
      compare(before, wantedState('working'), incident('working', { assignedTo }), 'both').change;
    expect(change('a@x.example')).toEqual({ assignedTo: null });
    expect(change('someone@else.example')).toBeUndefined();
  });
});

test('missingOf names what an incident does not show', () => {
  expect(
    missingOf({ state: 'closed', classification: 'benign', assignedTo: null }, incident('open', { assignedTo: 'x' })),
  ).toEqual(['status', 'classification', 'owner']);
});
