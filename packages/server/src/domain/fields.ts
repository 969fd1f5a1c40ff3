/** Values of a form whose fields a connector or a target describes. */
import { problem } from '@parapet/contract/problem.ts';

type Values = Record<string, string>;

interface Field {
  name: string;
  isSecret: boolean;
  /** Form of a valid value, with the sentence shown for any other. */
  pattern: RegExp;
  fault: string;
}

/** Fields of a form, with the defaults of what they leave out. */
export const shownFields = (
  fields: readonly (Field & {
    label: string;
    hint: string;
    initial?: string;
    isLong?: boolean;
    options?: readonly { value: string; label: string }[];
  })[],
) =>
  fields.map(({ name, label, hint, initial = '', isSecret, isLong = false, options = [] }) => ({
    name,
    label,
    hint,
    initial,
    isSecret,
    isLong,
    options: [...options],
  }));

const fieldPath = (name: string) => `values.${name}`;

/** Throws the faults of each field; unknown names count as faults. */
export function checkValues(fields: readonly Field[], values: Values): void {
  const errors: Record<string, string[]> = {};
  for (const { name, pattern, fault } of fields) if (!pattern.test(values[name] ?? '')) errors[fieldPath(name)] = [fault];
  for (const name of Object.keys(values))
    if (!fields.some((field) => field.name === name)) errors[fieldPath(name.slice(0, 40))] = ['There is no such field.'];
  if (Object.keys(errors).length > 0) throw problem.invalid(errors);
}

export const pick = (fields: readonly Field[], values: Values, isSecret: boolean): Values =>
  Object.fromEntries(fields.filter((field) => field.isSecret === isSecret).map(({ name }) => [name, values[name] ?? '']));
