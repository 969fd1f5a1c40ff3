/** Switches a rule or changes its severity for an organisation and those below it. */
import { type RuleDetail, rulesApi } from '@parapet/contract/detectionRules.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { useCallback } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { severityLabel } from '../../../kit/Severity.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useSaveOverride } from '../rules.queries.ts';
import { useOrganisationChoices } from '../useOrganisationChoices.ts';
import { ChangePreview, usePreviewedChange, usePreviewId } from './ChangePreview.tsx';

interface Values {
  clientOrganizationID: number;
  switched: string;
  criticality: string;
  reason: string;
}
const schema = z.object({
  clientOrganizationID: z.number().min(1, 'Select an organisation.'),
  switched: z.string(),
  criticality: z.string(),
  reason: rulesApi.saveOverride.body.shape.reason,
});

/** The override that an organisation has, in the words of the form. */
function storedOf(rule: RuleDetail, organisationId: number): Pick<Values, 'switched' | 'criticality'> {
  const stored = rule.overrides.find(({ organisationID }) => organisationID === organisationId);
  return {
    switched: switchedOf(stored?.isOn ?? null),
    criticality: stored?.criticality ?? 'inherit',
  };
}
const switchedOf = (isOn: boolean | null): string => (isOn === null ? 'inherit' : isOn ? 'on' : 'off');

export function EditOverride({ rule, onClose }: { rule: RuleDetail; onClose: () => void }) {
  const { choices, first } = useOrganisationChoices(true);
  const save = useSaveOverride();
  const form = useForm<Values>({
    defaultValues: { clientOrganizationID: first, ...storedOf(rule, first), reason: '' },
    resolver: resolverOf<Values, unknown>(schema),
  });
  const { setValue, reset, getValues } = form;
  const { clientOrganizationID, switched, criticality } = form.watch();
  usePreviewedChange(
    'override',
    rule.ruleID,
    form.formState.isDirty,
    useCallback(
      (previewed) =>
        reset({
          ...getValues(),
          clientOrganizationID: previewed.clientOrganizationID,
          switched: switchedOf(previewed.isOn),
          criticality: previewed.criticality ?? 'inherit',
        }),
      [reset, getValues],
    ),
  );
  const previewID = usePreviewId() ?? null;
  const change = {
    kind: 'override' as const,
    clientOrganizationID,
    ruleID: rule.ruleID,
    isOn: switched === 'inherit' ? null : switched === 'on',
    criticality: severities.find((severity) => severity === criticality) ?? null,
  };
  const onSave = ({ reason }: Values) => {
    const { kind: _, ...override } = change;
    return save.mutateAsync({ body: { ...override, reason, previewID } }).then(onClose, (error) => showFormError(form, error));
  };
  // Another organisation has another override.
  const onOrganisation = (organisationId: number) => {
    const stored = storedOf(rule, organisationId);
    setValue('switched', stored.switched);
    setValue('criticality', stored.criticality);
  };
  return (
    <FormDialog title="Change override" onClose={onClose} form={form} saveText="Save override" onSave={onSave}>
      <SelectInput
        name="clientOrganizationID"
        label="Organisation"
        isRequired
        choices={choices}
        onChosen={(chosen) => onOrganisation(Number(chosen))}
      />
      <SelectInput
        name="switched"
        label="State"
        choices={[
          { value: 'inherit', label: 'Inherited' },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
      />
      <SelectInput
        name="criticality"
        label="Severity"
        choices={[
          { value: 'inherit', label: 'Inherited' },
          ...severities.map((value) => ({ value, label: severityLabel[value] })),
        ]}
      />
      <TextInput name="reason" label="Reason" lines={2} isRequired maxLength={2000} />
      <ChangePreview form={form} change={change} isReady={clientOrganizationID !== 0} />
    </FormDialog>
  );
}
