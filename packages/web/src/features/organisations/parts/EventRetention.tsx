/** Retention of raw events of an organisation, and the limits of the installation. */
import { type RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import { useEffect } from 'react';
import { type DefaultValues, useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { exact } from '../../../kit/numbers.ts';
import { Section } from '../../../kit/Section.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useSaveLimits, useSaveRetention } from '../retention.queries.ts';
import { daysHint } from '../retention.ts';

type Choice = RetentionState['choice'];
type Limits = RetentionState['limits'];

/** A form whose values follow the server’s, except what is being edited. */
function useFollowing<Values extends Choice | Limits>(
  values: Values,
  body: typeof retentionApi.save.body | typeof retentionApi.saveLimits.body,
) {
  const form = useForm<Values, unknown, Values>({
    defaultValues: values as DefaultValues<Values>,
    resolver: resolverOf<Values, unknown>(body as never),
  });
  useEffect(() => form.reset(values, { keepDirtyValues: true }), [form, values]);
  return form;
}

const readOnlyText = 'Raw event retention is changed by the administrators of the partner and the provider.';

export function EventRetention({ client, state }: { client: number; state: RetentionState }) {
  const save = useSaveRetention();
  const form = useFollowing<Choice>(state.choice, retentionApi.save.body);
  const submit = (body: Choice) =>
    save.mutateAsync({ params: { client }, body }).then(
      () => form.reset(body),
      (error) => showFormError(form, error),
    );
  return (
    <Section title="Raw events" note={appliedText(state)} isPlain>
      <Form form={form} label="Raw event retention" onSave={submit} refusal={state.can.save ? undefined : readOnlyText}>
        <Fields>
          <TextInput name="eventRetentionDays" label="Searchable (days)" type="number" hint={daysHint(state)} />
          <TextInput
            name="archiveMonths"
            label="Archive after that (months)"
            type="number"
            hint={`0 deletes events instead, and what the archive has. At most ${exact(state.limits.maxArchiveMonths)}.`}
          />
        </Fields>
      </Form>
    </Section>
  );
}

const appliedText = ({ applied }: RetentionState): string =>
  `Applied: ${exact(applied.eventDays)} days, ${applied.archiveMonths > 0 ? `then ${exact(applied.archiveMonths)} months in the archive` : 'no archive'}`;

export function RetentionLimits({ state }: { state: RetentionState }) {
  const save = useSaveLimits();
  const form = useFollowing<Limits>(state.limits, retentionApi.saveLimits.body);
  const submit = (body: Limits) =>
    save.mutateAsync({ body }).then(
      () => form.reset(body),
      (error) => showFormError(form, error),
    );
  return (
    <Section title="Limits for all organisations" isPlain>
      <Form form={form} label="Retention limits" onSave={submit}>
        <Fields>
          <TextInput name="minEventDays" label="Raw events, at least (days)" type="number" isRequired />
          <TextInput
            name="maxEventDays"
            label="Raw events, at most (days)"
            type="number"
            hint={`Empty: the default, ${exact(state.defaultEventDays)} days.`}
          />
          <TextInput name="maxArchiveMonths" label="Archive, at most (months)" type="number" isRequired />
        </Fields>
      </Form>
    </Section>
  );
}
