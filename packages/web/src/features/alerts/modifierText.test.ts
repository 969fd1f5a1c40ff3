import { expect, it } from 'vitest';
import { modifierText } from './modifierText.ts';

it.each([
  ['', 'is'],
  ['contains', 'contains'],
  ['contains|all|windash', 'contains (any dash)'],
  ['re|i', 'matches'],
  ['wide|base64offset|contains', 'contains (in UTF-16) (in Base64)'],
  ['cased', 'is (same case)'],
  ['brandnew|contains', 'brandnew contains'],
])('%s reads %s', (modifier, text) => expect(modifierText(modifier)).toBe(text));
it('reads a keyword without modifiers as contains', () => expect(modifierText('', true)).toBe('contains'));
