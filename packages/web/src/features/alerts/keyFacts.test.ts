import { describe, expect, it } from 'vitest';
import { fieldOf, keyFacts } from './keyFacts.ts';

describe('fieldOf', () => {
  it.each([
    [{ process: { command_line: 'x' } }, 'x'],
    [{ 'process.command_line': 'x' }, 'x'],
    [{ process: { name: 'y' }, 'process.command_line': 'x' }, 'x'],
    [{ process: null }, undefined],
    [{ process: ['command_line'] }, undefined],
    [JSON.parse('{"process":{"__proto__":{"command_line":"x"}}}'), undefined],
  ])('%j', (document, value) => expect(fieldOf(document, 'process.command_line')).toBe(value));
  it('ignores inherited properties', () => expect(fieldOf({}, 'constructor.name')).toBeUndefined());
});

it('omits empty facts and uses the first field with a value', () => {
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
