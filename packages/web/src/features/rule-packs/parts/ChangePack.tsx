/** Changes the state of all rules of a pack. */
import { rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useChangePack } from '../packs.queries.ts';

interface Values {
  state: 'shadow' | 'live' | 'retired';
  why: string;
}
const choices = [
  { value: 'live', label: 'Live: raise alerts' },
  { value: 'shadow', label: 'Shadow: count matches, raise no alerts' },
  { value: 'retired', label: 'Retired: no longer in use' },
] as const;

export function ChangePack({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const change = useChangePack();
  const form = useForm<Values>({
    defaultValues: { state: 'live', why: '' },
    resolver: resolverOf<Values, unknown>(rulePacksApi.changeState.body),
  });
  const state = form.watch('state');
  const onSave = (body: Values) =>
    change.mutateAsync({ params: { id }, body }).then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog
      title={`Change the state of ${visibleText(name)}?`}
      onClose={onClose}
      form={form}
      saveText="Change state"
      onSave={onSave}
    >
      <SelectInput name="state" label="State" isRequired choices={[...choices]} isWide />
      {state === 'live' && (
        <Note>Critical rules stay, because they go live by a second person; so do rules whose shadow was too noisy.</Note>
      )}
      {state === 'retired' && <Note>Rules that a correlation of yours counts stay.</Note>}
      <TextInput name="why" label="Reason" lines={2} isRequired maxLength={2000} isWide />
    </FormDialog>
  );
}
