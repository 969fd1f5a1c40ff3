/** Switches a rule or changes its severity for an organisation and those below it. */
import { type RuleDetail, rulesApi } from '@parapet/contract/detectionRules.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { severityLabel } from '../../../kit/Severity.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useSaveOverride } from '../rules.queries.ts';
import { useOrganisationChoices } from '../useOrganisationChoices.ts';

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

export function EditOverride({ rule, onClose }: { rule: RuleDetail; onClose: () => void }) {
  const { choices, first } = useOrganisationChoices(true);
  const save = useSaveOverride();
  const form = useForm<Values>({
    defaultValues: { clientOrganizationID: first, switched: 'inherit', criticality: 'inherit', reason: '' },
    resolver: resolverOf<Values, unknown>(schema),
  });
  const onSave = ({ clientOrganizationID, switched, criticality, reason }: Values) =>
    save
      .mutateAsync({
        body: {
          clientOrganizationID,
          ruleID: rule.ruleID,
          isOn: switched === 'inherit' ? null : switched === 'on',
          criticality: severities.find((severity) => severity === criticality) ?? null,
          reason,
          previewID: null,
        },
      })
      .then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog title="Change override" onClose={onClose} form={form} saveText="Save override" onSave={onSave}>
      <SelectInput name="clientOrganizationID" label="Organisation" isRequired choices={choices} />
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
    </FormDialog>
  );
}
