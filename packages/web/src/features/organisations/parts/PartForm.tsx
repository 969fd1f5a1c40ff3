/** One tab of client details: a form that is saved by itself. */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { type ReactNode, useEffect } from 'react';
import { type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { call } from '../../../lib/call.ts';
import { showFormError } from '../../../lib/problems.ts';
import { toast } from '../../../lib/toast.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { useDetailsChanged } from '../organisations.queries.ts';

type PartEndpoint = Endpoint & { answer: typeof organisationsApi.details.answer };

interface Props<Values extends FieldValues> {
  details: ClientDetails;
  endpoint: PartEndpoint;
  /** Names the form. */
  label: string;
  valuesOf: (details: ClientDetails) => Values;
  /** Rules that need more than the values. */
  further?: (values: Values) => Record<string, string | undefined>;
  /** Why it cannot be changed, where it is not only the role. */
  refusal?: string | undefined;
  children: ReactNode;
}

export function refusalOf({ can, deactivatedAt }: ClientDetails): string | undefined {
  if (deactivatedAt) return 'This organisation is deactivated. Reactivate it to change its details.';
  return can.edit ? undefined : 'Your role can read these details, not change them. Ask an administrator of your organisation.';
}

export function PartForm<Values extends FieldValues>(props: Props<Values>) {
  const { details, endpoint, label, valuesOf, further, refusal = refusalOf(details), children } = props;
  const changed = useDetailsChanged();
  const form = useForm<Values, unknown, Values>({
    defaultValues: valuesOf(details) as DefaultValues<Values>,
    resolver: resolverOf<Values, unknown>(endpoint.body as never, further),
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  // biome-ignore lint/correctness/useExhaustiveDependencies: valuesOf is the tab's own and never another.
  useEffect(() => {
    form.reset(valuesOf(details), { keepDirtyValues: true });
  }, [details, form]);

  const save = async (values: Values) => {
    try {
      const saved = (await call(endpoint as typeof organisationsApi.updateGeneral, {
        params: { id: details.id },
        body: values as never,
      })) as ClientDetails;
      form.reset(valuesOf(saved));
      changed.keep(saved);
      if (saved.general.name !== details.general.name) void changed.lists();
      toast.success(`${label} saved`);
    } catch (error) {
      showFormError(form, error);
    }
  };

  return (
    <>
      <Form form={form} label={label} onSave={save} refusal={refusal}>
        {children}
      </Form>
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}
