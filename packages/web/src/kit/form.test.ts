import { expect, test } from 'vitest';
import { z } from 'zod';
import { requiredText, resolverOf } from './form.ts';

const schema = z.object({
  name: z.string().trim().min(1).max(5),
  email: z.union([z.literal(''), z.email('Write an email address.')]),
  role: z.number().int().min(1),
  people: z.array(z.object({ name: z.string().min(1), months: z.number().max(12) })),
});
type Values = z.input<typeof schema>;
const good: Values = { name: 'Ruth', email: '', role: 1, people: [] };
const check = (values: unknown, further?: (values: Values) => Record<string, string | undefined>) =>
  resolverOf<Values, unknown>(schema, further)(values as Values, undefined, { fields: {}, shouldUseNativeValidation: false });

test('passes valid input unchanged', async () => {
  expect(await check(good)).toEqual({ values: good, errors: {} });
});

test('the schema’s own words stay, the library’s become people’s', async () => {
  const { errors } = await check({
    name: ' ',
    email: 'x',
    role: '',
    people: [
      { name: '', months: 13 },
      { name: 'ok', months: 1 },
    ],
  });
  expect(errors).toEqual({
    name: { type: 'invalid', message: requiredText },
    email: { type: 'invalid', message: 'Write an email address.' },
    role: { type: 'invalid', message: requiredText },
    people: [{ name: { type: 'invalid', message: requiredText }, months: { type: 'invalid', message: 'Choose at most 12.' } }],
  });
  expect((await check({ ...good, name: 'too long' })).errors.name?.message).toBe('Write at most 5 characters.');
});

test('further rules speak where the schema is silent, never over it', async () => {
  const further = () => ({ name: 'further', role: 'not this one', email: undefined });
  const { errors } = await check({ ...good, name: '' }, further);
  expect(errors.name?.message).toBe(requiredText);
  expect(errors.role?.message).toBe('not this one');
  expect(errors.email).toBeUndefined();
});
