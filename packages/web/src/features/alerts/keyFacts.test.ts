import { describe, expect, it } from 'vitest';
import { fieldOf, keyFacts } from './keyFacts.ts';

describe('a field', () => {
  it.each([
    [{ process: { command_line: 'x' } }, 'x'],
    [{ 'process.command_line': 'x' }, 'x'],
    [{ process: { name: 'y' }, 'process.command_line': 'x' }, 'x'],
    [{ process: null }, undefined],
    [{ process: ['command_line'] }, undefined],
    [JSON.parse('{"process":{"__proto__":{"command_line":"x"}}}'), undefined],
  ])('%j', (document, value) => expect(fieldOf(document, 'process.command_line')).toBe(value));
  it('does not come from a prototype', () => expect(fieldOf({}, 'constructor.name')).toBeUndefined());
});

it('key facts leave out what is empty and take the first field that says something', () => {
  const facts = keyFacts({
    event: { action: 'logon-failed', code: 4625, outcome: '' },
    source: { ip: ['203.0.113.7', '2001:db8::1'] },
    user: { name: '-' },
    winlog: { event_data: { TargetUserName: 'anna', CommandLine: '  ' } },
  });
  expect(facts.map((fact) => [fact.name, fact.value])).toEqual([
    ['Action', 'logon-failed'],
    ['Event code', '4625'],
    ['User', 'anna'],
    ['Source address', '203.0.113.7, 2001:db8::1'],
  ]);
});
