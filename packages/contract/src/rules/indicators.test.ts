import { expect, test } from 'vitest';
import type { AttackIndicator, NistAttackIndicator } from '../dashboard.ts';
import { agileRows, mitreRows, nistRows } from './indicators.ts';

const rule = (more: Partial<AttackIndicator>): AttackIndicator => ({
  ruleID: 'r1',
  rule: 'Password guessing',
  category: 'Credential Access',
  criticalityNumber: 3,
  description: 'Many failures.',
  count: 7,
  mitreDescription: 'Brute Force',
  mitreCategory: 'Credential Access',
  mitreTechnique: 'T1110 Brute Force',
  mitreSubcategory: '',
  logSource: 'linux / sshd',
  ...more,
});
const nist = (more: Partial<NistAttackIndicator>): NistAttackIndicator => ({
  agileRule: 'Password guessing',
  description: 'Brute Force',
  count: 7,
  mitreCategory: 'Credential Access',
  mitreTechniqueName: 'Brute Force',
  mitreTechniqueID: 'T1110',
  logSource: 'linux / sshd',
  nistControlID: 'AC-7',
  nistControlName: 'Unsuccessful Logon Attempts',
  ...more,
});

test.each(['Service Interruption', 'Service interruption', ' SERVICE INTERRUPTION '])(
  'omits %j in any spelling, and duplicates, from the agile view',
  (category) => {
    const other = rule({ ruleID: 'r2', rule: 'Other' });
    expect(agileRows([rule({}), rule({ ruleID: 'r3', category }), rule({}), other])).toEqual([rule({}), other]);
  },
);

test('keeps rules of equal title, and more than ten, in the agile view', () => {
  expect(agileRows([rule({}), rule({ ruleID: 'r2', count: 3 })])).toHaveLength(2);
  expect(agileRows(Array.from({ length: 12 }, (_, index) => rule({ ruleID: `r${index}` })))).toHaveLength(12);
});

test('lists rules with a known tactic once each in the MITRE view', () => {
  const rows = [
    rule({ rule: 'None', mitreCategory: '' }),
    rule({ rule: 'Blank', mitreCategory: '  ' }),
    rule({ rule: 'Not named', mitreCategory: 'N/A' }),
    rule({ rule: 'Not named either', mitreCategory: 'n/a' }),
    rule({ count: 9 }),
    rule({ count: 2, mitreCategory: 'Persistence' }),
    rule({ rule: 'Silent source', category: 'Service Interruption', mitreCategory: 'Defense Evasion' }),
  ];
  expect(mitreRows(rows).map((row) => `${row.rule} ${row.count}`)).toEqual(['Password guessing 9', 'Silent source 7']);
});

test('lists rows with a control and a technique in the NIST view', () => {
  expect(
    nistRows([nist({ nistControlID: '' }), nist({ mitreTechniqueName: '' }), nist({ nistControlID: ' ' }), nist({})]),
  ).toEqual([nist({})]);
});

test.each<[string | string[], string | string[]]>([
  ['One rule', 'One rule'],
  ['One rule, Another one', ['One rule', 'Another one']],
  ['One rule,,Another one, ', ['One rule', 'Another one']],
  [['A rule, with a comma'], ['A rule, with a comma']],
])('splits the rules %j of a NIST row into %j', (agileRule, expected) => {
  expect(nistRows([nist({ agileRule })])[0]!.agileRule).toEqual(expected);
});
