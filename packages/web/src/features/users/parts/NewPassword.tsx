/** Two password fields of a user form, with the rules that the new password meets. */
import type { ReactNode } from 'react';
import { useContext } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { Fields, ReadOnlyContext, TextInput } from '../../../kit/fields.tsx';
import { PasswordRules } from '../../../lib/PasswordRules.tsx';

interface Props {
  name: string;
  label: string;
  confirmName: string;
  confirmLabel: string;
  confirmHint?: ReactNode;
}

export function NewPassword({ name, label, confirmName, confirmLabel, confirmHint }: Props) {
  const password: unknown = useWatch({ name });
  const { getFieldState, formState } = useFormContext();
  const field = { type: 'password', autoComplete: 'new-password', isRequired: true, maxLength: 64 } as const;
  if (useContext(ReadOnlyContext)) return null;
  return (
    <>
      <Fields>
        <TextInput name={name} label={label} {...field} />
        <TextInput name={confirmName} label={confirmLabel} hint={confirmHint} {...field} />
      </Fields>
      <PasswordRules password={String(password ?? '')} refusal={getFieldState(name, formState).error?.message} />
    </>
  );
}
