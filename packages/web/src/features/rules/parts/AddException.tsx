/** Adds an exception: from a field and its values, as the Sigma filter that can be edited before saving. */
import { type RuleDetail, rulesApi } from '@parapet/contract/detectionRules.ts';
import { useCallback } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { endOf, lengths } from '../../suppressions/suppressions.ts';
import { useAddException } from '../rules.queries.ts';
import { filterText } from '../rules.ts';
import { useOrganisationChoices } from '../useOrganisationChoices.ts';
import { ChangePreview, usePreviewedChange, usePreviewId } from './ChangePreview.tsx';

interface Values {
  clientOrganizationID: number;
  field: string;
  values: string;
  yaml: string;
  reason: string;
  days: number;
}
const { reason } = rulesApi.addException.body.shape;
const schema = z.object({
  clientOrganizationID: z.number().min(1, 'Select a client.'),
  field: z.string().trim().max(200),
  values: z.string().max(4_000),
  yaml: z.string().max(16_384),
  reason,
  days: z.number().min(1),
});

export function AddException({ rule, onClose }: { rule: RuleDetail; onClose: () => void }) {
  const { may } = useScope();
  const { choices, first } = useOrganisationChoices(may('rules:write'));
  const add = useAddException();
  const form = useForm<Values>({
    defaultValues: { clientOrganizationID: first, field: 'user.name', values: '', yaml: '', reason: '', days: 30 },
    resolver: resolverOf<Values, unknown>(schema, ({ values, yaml }) => ({
      values: values.trim() === '' && yaml.trim() === '' ? 'Enter a value, or a Sigma filter below.' : undefined,
    })),
  });
  const { clientOrganizationID, field, values, yaml } = form.watch();
  const made = filterText(rule, field, values);
  const change = { kind: 'exception' as const, clientOrganizationID, ruleID: rule.ruleID, yaml: yaml.trim() ? yaml : made };
  const previewID = usePreviewId();
  const { reset, getValues } = form;
  usePreviewedChange(
    'exception',
    rule.ruleID,
    form.formState.isDirty,
    useCallback(
      (previewed) => reset({ ...getValues(), clientOrganizationID: previewed.clientOrganizationID, yaml: previewed.yaml }),
      [reset, getValues],
    ),
  );
  const onSave = ({ clientOrganizationID, reason, days }: Values) =>
    add
      .mutateAsync({
        body: {
          clientOrganizationID,
          ruleID: rule.ruleID,
          yaml: change.yaml,
          reason,
          endTime: endOf(days, Date.now()),
          previewID: previewID ?? null,
        },
      })
      .then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog title="Add exception" onClose={onClose} form={form} saveText="Add exception" onSave={onSave} maxWidth="md">
      <SelectInput name="clientOrganizationID" label="Organisation" isRequired choices={choices} />
      <SelectInput name="days" label="Duration" isRequired choices={lengths} hint="Exceptions always expire." />
      <TextInput name="field" label="Field" maxLength={200} hint="As in the rule or the event, with modifiers: Image|endswith." />
      <TextInput name="values" label="Values" lines={2} hint="One per line." />
      <TextInput name="yaml" label="Sigma filter" lines={6} hint="Empty: made of field and values." placeholder={made} isWide />
      <TextInput name="reason" label="Reason" lines={2} isRequired maxLength={2000} isWide />
      <ChangePreview
        form={form}
        change={change}
        isReady={clientOrganizationID !== 0 && (values.trim() !== '' || yaml.trim() !== '')}
      />
    </FormDialog>
  );
}
