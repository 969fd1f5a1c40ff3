/** Default validation messages, for schemas without their own. */
import type { z } from 'zod';

const times = (count: number | bigint, thing: string) => `${count} ${thing}${Number(count) === 1 ? '' : 's'}`;
const amount = (origin: string, count: number | bigint) =>
  origin === 'string'
    ? times(count, 'character')
    : origin === 'array'
      ? times(count, 'entrie').replace(/entrie$/, 'entry')
      : count;

export const validationMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is required.';
      if (issue.expected === 'int') return 'This must be a whole number.';
      return `This must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}.`;
    case 'too_small':
      return `This must ${issue.origin === 'number' ? 'be' : 'have'} at least ${amount(issue.origin, issue.minimum)}.`;
    case 'too_big':
      return `This must ${issue.origin === 'number' ? 'be' : 'have'} at most ${amount(issue.origin, issue.maximum)}.`;
    case 'invalid_value':
      return `This must be one of: ${issue.values.map(String).join(', ')}.`;
    case 'invalid_format':
      if (issue.format === 'datetime') return 'This must be a date and time, such as 2026-01-31T00:00:00Z.';
      if (issue.format === 'uuid') return 'This must be a UUID.';
      return 'The format is not valid.';
    case 'unrecognized_keys':
      return `Unknown field: ${issue.keys.join(', ').slice(0, 200)}.`;
    default:
      return 'This is not a valid value.';
  }
};
