/** Inputs made from the fields of a kind of connection. */
import type { ConnectionKind } from '@parapet/contract/connections.ts';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';

export function ValueInputs({ fields }: { fields: ConnectionKind['fields'] }) {
  return fields.map(({ name, label, hint, isSecret, isLong, options }) =>
    options.length > 0 ? (
      <SelectInput key={name} name={`values.${name}`} label={label} hint={hint} choices={options} />
    ) : (
      <TextInput
        key={name}
        name={`values.${name}`}
        label={label}
        hint={hint}
        isRequired
        maxLength={10_000}
        {...(isLong ? { lines: 4 } : { type: isSecret ? ('password' as const) : ('text' as const) })}
        autoComplete={isSecret ? 'new-password' : 'off'}
      />
    ),
  );
}

/** Initial values of each field. */
export const initialValues = (fields: ConnectionKind['fields']): Record<string, string> =>
  Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));

/** Error of the vendor, which belongs to no single field; undefined for errors of fields. */
export const refusalIn = (error: unknown): string | undefined => {
  const errors = (error as { errors?: Record<string, string[]> }).errors ?? {};
  return errors.values?.[0];
};
