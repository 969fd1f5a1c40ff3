/** Rules on events whose commands were decoded. */
import { describe, expect, test } from 'vitest';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';

const event = (written: string, decoded?: string) => ({
  winlog: { channel: 'Microsoft-Windows-Sysmon/Operational', event_id: '1', event_data: { CommandLine: written } },
  process: { command_line: written, executable: 'C:\\x\\a.exe', ...(decoded !== undefined && { decoded_command_line: decoded }) },
});
const script = (written: string, decoded?: string) => ({
  winlog: {
    channel: 'Microsoft-Windows-PowerShell/Operational',
    event_id: '4104',
    event_data: { ScriptBlockText: written },
  },
  powershell: { file: { script_block_text: written, ...(decoded !== undefined && { decoded_script_block_text: decoded }) } },
});

function ruleOf(detection: string, category = 'process_creation') {
  const { rules, faults } = loadRules([
    { file: 'a.yml', text: `title: A\nlogsource:\n  product: windows\n  category: ${category}\ndetection:\n${detection}` },
  ]);
  expect(faults).toEqual([]);
  const matcher = compileRules(rules);
  return {
    matches: (document: Record<string, unknown>) => matcher.match(document).length > 0,
    explain: (document: Record<string, unknown>) => matcher.explain(rules[0]!, document).items,
  };
}

describe('a rule on command lines', () => {
  const rule = ruleOf("  s:\n    CommandLine|contains|all: ['iex', 'downloadstring']\n  condition: s\n");

  test('matches the decoded form, and cites it', () => {
    const found = event('a -enc SQBF', 'a -enc IEX (x).DownloadString(1)');
    expect(rule.matches(found)).toBe(true);
    expect(rule.explain(found)[0]).toMatchObject({
      field: 'process.decoded_command_line',
      value: 'a -enc IEX (x).DownloadString(1)',
    });
    expect(rule.matches(event('a -enc SQBF'))).toBe(false);
  });

  test('matches and cites the written form first', () => {
    const found = event('iex downloadstring', 'iex downloadstring decoded');
    expect(rule.matches(found)).toBe(true);
    expect(rule.explain(found)[0]?.field).toBe('winlog.event_data.CommandLine');
  });

  test('takes no part of each form', () => {
    expect(rule.matches(event('iex', 'downloadstring'))).toBe(false);
  });

  test('matches the written form of the next event again', () => {
    expect(rule.matches(event('x', 'iex downloadstring'))).toBe(true);
    expect(rule.matches(event('x'))).toBe(false);
    expect(rule.matches(event('iex downloadstring'))).toBe(true);
  });

  test('matches a regular expression behind its gate', () => {
    const own = ruleOf("  s:\n    CommandLine|re: 'unusual[0-9]+word'\n  condition: s\n");
    expect(own.matches(event('x', 'an unusual77word'))).toBe(true);
    expect(own.matches(event('x', 'an unusualword'))).toBe(false);
  });

  test('matches scripts, by either name of the field', () => {
    for (const field of ['ScriptBlockText', 'powershell.file.script_block_text']) {
      const own = ruleOf(`  s:\n    ${field}|contains: amsiutils\n  condition: s\n`, 'ps_script');
      expect(own.matches(script("'am'+'siutils'", "'amsiutils'"))).toBe(true);
      expect(own.explain(script("'am'+'siutils'", "'amsiutils'"))[0]?.field).toBe('powershell.file.decoded_script_block_text');
      expect(own.matches(script("'am'+'siutils'"))).toBe(false);
    }
  });
});

describe('what a rule excludes', () => {
  const rule = ruleOf(
    '  s:\n    Image|endswith: a.exe\n  f:\n    CommandLine|contains: SQBF\n  g:\n    CommandLine|contains: known\n  condition: s and not f and not g\n',
  );

  test('holds for the decoded form when it holds for the written one', () => {
    expect(rule.matches(event('a -enc SQBF', 'a -enc IEX'))).toBe(false);
  });

  test('does not hold for the written form because of the decoded one', () => {
    expect(rule.matches(event('a -enc XXXX', 'a known'))).toBe(true);
  });

  test('holds under counts and double negation', () => {
    const own = ruleOf(
      '  s1:\n    CommandLine|contains: one\n  s2:\n    CommandLine|contains: two\n  f1:\n    CommandLine|contains: raw\n  condition: all of s* and not (f1 and not s1)\n',
    );
    expect(own.matches(event('x', 'one two'))).toBe(true);
    // Excluded: the filter holds as written, and what it spares does not.
    expect(own.matches(event('raw', 'two'))).toBe(false);
  });
});
