/** Form of one tab of client details, saved independently of the others. */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { type ReactNode, useEffect } from 'react';
import { type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { useSaveDetails } from '../organisations.queries.ts';

type PartEndpoint = Endpoint & { answer: typeof organisationsApi.details.answer };

interface Props<Values extends FieldValues> {
  details: ClientDetails;
  endpoint: PartEndpoint;
  /** Accessible name of the form. */
  label: string;
  valuesOf: (details: ClientDetails) => Values;
  /** Validation beyond the endpoint’s schema. */
  further?: (values: Values) => Record<string, string | undefined>;
  /** Reason why the form is read-only. Default: derived from the details. */
  refusal?: string | undefined;
  children: ReactNode;
}

export function refusalOf({ can, deactivatedAt }: ClientDetails): string | undefined {
  if (deactivatedAt) return 'This organisation is deactivated. Reactivate it to change its details.';
  return can.edit
    ? undefined
    : 'Your role can read these details but not change them. Ask an administrator of your organisation.';
}

export function PartForm<Values extends FieldValues>(props: Props<Values>) {
  const { details, endpoint, label, valuesOf, further, refusal = refusalOf(details), children } = props;
  const update = useSaveDetails(endpoint as typeof organisationsApi.updateGeneral, label, details);
  const form = useForm<Values, unknown, Values>({
    defaultValues: valuesOf(details) as DefaultValues<Values>,
    resolver: resolverOf<Values, unknown>(endpoint.body as never, further),
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tab passes a constant valuesOf.
  useEffect(() => {
    form.reset(valuesOf(details), { keepDirtyValues: true });
  }, [details, form]);

  const save = savingForm(form, async (values: Values) => {
    form.reset(valuesOf(await update.mutateAsync({ params: { id: details.id }, body: values as never })));
  });

  return (
    <>
      <Form form={form} label={label} onSave={save} refusal={refusal}>
        {children}
      </Form>
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}
