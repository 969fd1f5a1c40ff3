import { completionAt } from '@parapet/contract/rules/kql/edit.ts';
import { describe, expect, test } from 'vitest';
import { applied, suggestionsOf } from './suggestions.ts';

const fields = {
  events: 10,
  fields: [
    {
      name: 'event.code',
      count: 10,
      values: [
        { value: '4625', count: 6 },
        { value: '4624', count: 4 },
      ],
    },
    { name: 'user.name', count: 4, values: [{ value: 'John Smith', count: 4 }] },
    { name: 'source.user', count: 2, values: [] },
  ],
};
const at = (text: string) => suggestionsOf(completionAt(text, text.length), fields, fields);
const choose = (text: string, index = 0) => {
  const { place, items } = at(text);
  return applied(text, place, items[index]!).text;
};

describe('suggestions', () => {
  test('list fields that begin with a text before those that contain it', () => {
    expect(at('a and user').items).toEqual([
      { text: 'user.name', count: 4 },
      { text: 'source.user', count: 2 },
    ]);
  });

  test('list values of the field with their counts', () => {
    expect(at('EVENT.code: 46').items).toEqual([
      { text: '4625', count: 6 },
      { text: '4624', count: 4 },
    ]);
    expect(at('absent: ').items).toEqual([]);
    expect(at('"in quotes').items).toEqual([]);
  });

  test('replace what was typed, quoted where the language needs it', () => {
    expect(choose('a and not eve')).toBe('a and not event.code: ');
    expect(choose('event.code: (4625 or 4', 1)).toBe('event.code: (4625 or 4624 ');
    expect(choose('user.name: jo')).toBe('user.name: "John Smith" ');
    expect(choose('user.name: "jo')).toBe('user.name: "John Smith" ');
  });
});
