/** Minutes of an analyst for an alert and a case: the rate of the provider or a partner, by which costs are estimated. */
import { analystTimeApi } from '@parapet/contract/analystTime.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Section } from '../../../kit/Section.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { queryOptionsOf } from '../../../lib/query.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';

interface Values {
  minutesPerAlert: number | null;
  minutesPerCase: number | null;
}

export function AnalystTime() {
  const { data, error, refetch } = useQuery(queryOptionsOf(analystTimeApi.get, {}));
  const save = useApiMutation(analystTimeApi.save, {
    invalidates: [analystTimeApi.get],
    success: 'Analyst time saved',
    failure: false,
  });
  const form = useForm<Values>({
    defaultValues: { minutesPerAlert: null, minutesPerCase: null },
    resolver: resolverOf<Values, unknown>(analystTimeApi.save.body),
  });
  useEffect(() => {
    if (data) form.reset(data, { keepDirtyValues: true });
  }, [form, data]);
  return (
    <Section title="Analyst time" note="Basis of the analyst time of rules and previews that your organisation sees" isPlain>
      {data ? (
        <Form
          form={form}
          label="Analyst time"
          onSave={(body) =>
            save.mutateAsync({ body: body as never }).then(
              () => form.reset(body),
              (fault) => showFormError(form, fault),
            )
          }
        >
          <Fields>
            <TextInput name="minutesPerAlert" label="Minutes per alert" type="number" hint="0 to 240" isRequired />
            <TextInput name="minutesPerCase" label="Minutes per case" type="number" hint="1 to 1,000" isRequired />
          </Fields>
        </Form>
      ) : error ? (
        <FailedLine what="the analyst time" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={2} />
      )}
    </Section>
  );
}
