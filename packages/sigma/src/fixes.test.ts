import { expect, test } from 'vitest';
import { fixOf } from './fixes.ts';
import { type LintCode, lint } from './lint.ts';
import { loadRules } from './rules.ts';

const newId = () => '11111111-2222-4333-8444-555555555555';
const findingsOf = (text: string) => lint(loadRules([{ file: 'rule', text }]));
const ruleWith = ({ head = '', field = 'Image: a' }: { head?: string; field?: string }) => `title: A rule
id: 11111111-2222-4333-8444-555555555551
status: test
description: Of a test
level: low
${head}tags: [attack.t1059]
logsource: { product: windows }
detection:
  selection:
    ${field}
  condition: selection
`;

const cases: [LintCode, string, string][] = [
  ['missing-id', ruleWith({}).replace(/id: .*\n/, ''), `\nid: ${newId()}\n`],
  ['missing-level', ruleWith({}).replace('level: low', 'level: severe'), '\nlevel: medium\n'],
  ['missing-level', ruleWith({}).replace('level: low\n', ''), '\nlevel: medium\n'],
  ['invalid-status', ruleWith({}).replace('status: test', 'status: new # yet'), '\nstatus: experimental\n'],
  ['invalid-date', ruleWith({ head: 'date: 2024.1.5\n' }), '\ndate: 2024-01-05\n'],
  ['modified-before-date', ruleWith({ head: 'date: 2024-03-05\nmodified: 2024-03-04\n' }), '\nmodified: 2024-03-05\n'],
  ['surrounding-space', ruleWith({ field: "Image: 'cmd '" }), "Image: 'cmd'"],
  ['repeated-value', ruleWith({ field: "Image:\n      - a\n      - 'A'\n      - b" }), 'Image:\n      - a\n      - b\n'],
  ['idle-expression-end', ruleWith({ field: "Image|re: '.*a+b.*'" }), "Image|re: 'a+b'"],
  ['wildcard-for-modifier', ruleWith({ field: "Image: '*a*'" }), "Image|contains: 'a'"],
  ['wildcard-for-modifier', ruleWith({ field: "Image: '*\\a.exe'" }), "Image|endswith: '\\a.exe'"],
];

test.each(cases)('fixes %s, after which it is found no more (%#)', (code, text, expected) => {
  const finding = findingsOf(text).find((each) => each.code === code);
  const fix = fixOf(finding!, text, newId)!;
  const fixed = text.slice(0, fix.from) + fix.insert + text.slice(fix.to);
  expect(fixed).toContain(expected);
  const left = findingsOf(fixed);
  expect(left.filter((each) => each.code === code || each.code === 'not-loaded')).toEqual([]);
  expect(fixed.split('\n')[fix.line - 1]).toBeDefined();
});

test.each([
  ['wildcard-for-modifier', ruleWith({ field: "Image: ['*a*', '*b']" })],
  ['surrounding-space', ruleWith({ field: "Image: 'a '\n    Other: 'a '" })],
] as [LintCode, string][])('leaves %s alone where several texts could be meant', (code, text) => {
  const finding = findingsOf(text).find((each) => each.code === code);
  expect(finding).toBeDefined();
  expect(fixOf(finding!, text, newId)).toBeUndefined();
});
