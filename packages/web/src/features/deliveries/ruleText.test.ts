import type { DeliveryRule } from '@parapet/contract/deliveries.ts';
import { expect, test } from 'vitest';
import {
  conditionsOf,
  coverText,
  dayChoices,
  inputOf,
  levelChoices,
  levelsText,
  nextLevel,
  timeChoices,
  timeText,
  valuesOf,
} from './ruleText.ts';

const rule: DeliveryRule = {
  id: 4,
  clientOrganizationID: 2,
  targetId: 9,
  targetName: 'On call',
  clientId: 12,
  clientName: 'Alder',
  isOn: false,
  events: ['case.verdict', 'case.statusChanged'],
  minSeverity: 'medium',
  withEvents: false,
  digestMinutes: 0,
  verdicts: ['Malicious', 'Insufficient Information'],
  statuses: ['escalated:closed'],
  afterMinutes: 45,
  escalations: [{ afterMinutes: 90, targetId: 11 }],
  hours: { zone: 'Europe/Vienna', days: [1, 3], from: 1320, to: 350 },
};

test('returns a rule unchanged from its form', () => {
  const { id, clientOrganizationID, targetName, clientName, ...input } = rule;
  expect(inputOf(valuesOf(rule, 1, 'UTC'))).toEqual(input);
  expect(inputOf(valuesOf({ ...rule, hours: null, clientId: null }, 1, 'UTC'))).toEqual({
    ...input,
    hours: null,
    clientId: null,
  });
});

test('starts a new rule with new cases of high severity, at all hours', () => {
  expect(inputOf(valuesOf(undefined, 7, 'UTC'))).toEqual({
    targetId: 7,
    clientId: null,
    isOn: true,
    events: ['case.opened', 'case.statusChanged'],
    minSeverity: 'high',
    withEvents: false,
    digestMinutes: 0,
    verdicts: [],
    statuses: [],
    afterMinutes: 0,
    escalations: [],
    hours: null,
  });
});

test('words the conditions that apply', () => {
  expect(conditionsOf(rule)).toEqual([
    'severity medium or higher',
    'verdict Malicious or Insufficient Information',
    'to Escalated: Closed',
    'Mon, Wed, 22:00 to 05:50 (Europe/Vienna)',
    'after 45 minutes without an acknowledgement',
  ]);
  const together = { ...rule, events: ['alert.raised' as const], withEvents: true, digestMinutes: 240 as const };
  expect(conditionsOf(together)).toEqual([
    'severity medium or higher',
    'alerts with their events',
    'together every 4 h',
    'Mon, Wed, 22:00 to 05:50 (Europe/Vienna)',
    'after 45 minutes without an acknowledgement',
  ]);
  expect(conditionsOf({ ...rule, events: ['source.silent'], hours: null, afterMinutes: 0 })).toEqual([]);
});

test('names what a rule without a client covers', () => {
  const clients = [
    { id: 2, name: 'Harbor', isPartner: true },
    { id: 10, name: 'Alder', isPartner: false },
  ];
  expect([2, 10, 77].map((id) => coverText(id, clients))).toEqual(['All clients of Harbor', 'Alder', 'All clients of the owner']);
});

test('offers full hours, and what a rule already has', () => {
  expect(timeText(1440)).toBe('24:00');
  expect(timeChoices(60, 350).map(({ value }) => value)).toContain(350);
  expect(timeChoices(60, 1440)).toHaveLength(24);
  expect(dayChoices('1,3').map(({ label }) => label)).toEqual([
    'Every day',
    'Monday to Friday',
    'Saturday and Sunday',
    'Mon, Wed',
  ]);
});

test('words the levels of escalation with the names of their targets', () => {
  const levels = [
    { afterMinutes: 15, targetId: 9 },
    { afterMinutes: 60, targetId: 77 },
  ];
  expect(levelsText({ ...rule, escalations: levels }, [{ id: 9, name: 'Pager' }])).toBe(
    'after 15 min → Pager; after 1 h → target 77',
  );
  expect(levelsText({ ...rule, escalations: [] }, [])).toBe('');
});

test('drops levels from a rule without an event that is escalated', () => {
  expect(inputOf(valuesOf({ ...rule, events: ['source.silent'] }, 1, 'UTC')).escalations).toEqual([]);
});

test('proposes a level later than the others, and offers its time', () => {
  expect(nextLevel([], 0, 4)).toEqual({ afterMinutes: 15, targetId: 4 });
  expect(nextLevel([{ afterMinutes: 60 }], 30, 4)).toEqual({ afterMinutes: 120, targetId: 4 });
  expect(nextLevel([{ afterMinutes: 1440 }], 0, 4).afterMinutes).toBe(1440);
  expect(levelChoices(7).map(({ label }) => label)).toContain('7 min');
});
