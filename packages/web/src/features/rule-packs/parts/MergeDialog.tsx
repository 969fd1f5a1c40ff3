/** Merged text of a rule, edited before it is saved as the decision. */
import { rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useDecide } from '../packs.queries.ts';

interface Props {
  importID: number;
  ruleID: string;
  text: string;
  onClose: () => void;
}

export function MergeDialog({ importID, ruleID, text, onClose }: Props) {
  const decide = useDecide();
  const form = useForm<{ yaml: string }>({
    defaultValues: { yaml: text },
    resolver: resolverOf<{ yaml: string }, unknown>(rulePacksApi.decide.body.pick({ yaml: true })),
  });
  const onSave = ({ yaml }: { yaml: string }) =>
    decide
      .mutateAsync({ params: { id: importID, ruleID }, body: { decision: 'merge', yaml } })
      .then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog title="Merge" onClose={onClose} form={form} saveText="Use merged text" onSave={onSave} maxWidth="md">
      <TextInput name="yaml" label="Merged text" lines={18} isRequired maxLength={65_536} isWide />
    </FormDialog>
  );
}
