/**
 * A form with its own Save: disabled until something changed, busy while it is sent. Who may not change it reads the reason above the fields.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form';
import { ReadOnlyContext } from './fields.tsx';
import { Note } from './Note.tsx';

const Place = styled('form')({ display: 'grid', gap: 20, minWidth: 0, '& > *': { minWidth: 0 } });
const Actions = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });

export interface FormProps<Values extends FieldValues> {
  form: UseFormReturn<Values, unknown, Values>;
  onSave: (values: Values) => Promise<void>;
  children: ReactNode;
  /** Reason why the form is read-only. */
  refusal?: string | undefined;
  saveText?: string;
  label: string;
  /** Disables Save until something changes. */
  isNew?: boolean;
  /** Something must be seen before it can be saved. */
  canSave?: boolean;
  actions?: ReactNode;
}

export function Form<Values extends FieldValues>(props: FormProps<Values>) {
  const { form, onSave, children, refusal, saveText = 'Save', isNew = false, canSave = true } = props;
  const { isDirty, isSubmitting } = form.formState;
  return (
    <FormProvider {...form}>
      <ReadOnlyContext value={refusal !== undefined}>
        <Place
          noValidate
          aria-label={props.label}
          onSubmit={(event) => {
            // A form inside a dialog is a form inside a form for React.
            event.stopPropagation();
            void form.handleSubmit(onSave)(event);
          }}
        >
          {refusal && <Note>{refusal}</Note>}
          {children}
          {refusal === undefined && (
            <Actions>
              <Button type="submit" variant="contained" loading={isSubmitting} disabled={(!isNew && !isDirty) || !canSave}>
                {saveText}
              </Button>
              {isDirty && !isNew && (
                <Button onClick={() => form.reset()} disabled={isSubmitting}>
                  Undo changes
                </Button>
              )}
              {props.actions}
            </Actions>
          )}
        </Place>
      </ReadOnlyContext>
    </FormProvider>
  );
}
