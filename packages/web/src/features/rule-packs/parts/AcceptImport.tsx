/** Takes over the rules of an import. */
import { type PackImport, rulePacksApi, type TakenState } from '@parapet/contract/rulePacks.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { CheckInput, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { visibleText } from '../../../kit/visible.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useAccept } from '../packs.queries.ts';
import { takenChoices } from '../packs.ts';

interface Values {
  state: TakenState;
  least: string;
  onlyKnownSources: boolean;
  retireRemoved: boolean;
  why: string;
}
const ranked = ['informational', 'low', 'medium', 'high', 'critical'] as const;
const least = [
  { value: 'informational', label: 'All' },
  { value: 'low', label: 'Low and above' },
  { value: 'medium', label: 'Medium and above' },
  { value: 'high', label: 'High and above' },
  { value: 'critical', label: 'Critical only' },
];
const schema = rulePacksApi.accept.body.pick({ state: true, onlyKnownSources: true, retireRemoved: true, why: true }).extend({
  least: rulePacksApi.accept.body.shape.severities.unwrap().element,
});

interface Props {
  packImport: PackImport;
  taken: number;
  onClose: () => void;
  onDone: () => void;
}

export function AcceptImport({ packImport, taken, onClose, onDone }: Props) {
  const accept = useAccept();
  const form = useForm<Values>({
    defaultValues: { state: 'shadow', least: 'informational', onlyKnownSources: true, retireRemoved: true, why: '' },
    resolver: resolverOf<Values, unknown>(schema),
  });
  const { removed = 0, edited = 0 } = packImport.counts;
  const state = form.watch('state');
  const onSave = ({ least: from, ...values }: Values) => {
    const severities = ranked.slice(ranked.indexOf(from as (typeof ranked)[number]));
    return accept
      .mutateAsync({
        params: { id: packImport.id },
        body: { ...values, severities: severities.length === ranked.length ? [] : [...severities] },
      })
      .then(onDone, (error) => showFormError(form, error));
  };
  return (
    <FormDialog
      title={`Accept up to ${counted(taken, 'rule')} of ${visibleText(packImport.name)}?`}
      onClose={onClose}
      form={form}
      saveText="Accept"
      onSave={onSave}
    >
      <SelectInput name="state" label="State" isRequired choices={[...takenChoices]} isWide />
      {state === 'live' && <Note>Critical rules start in shadow: they go live by a second person.</Note>}
      <SelectInput name="least" label="Severity" isRequired choices={least} />
      <CheckInput name="onlyKnownSources" label="Only log sources that the portal identifies" isWide />
      {removed > 0 && (
        <CheckInput name="retireRemoved" label={`Retire ${counted(removed, 'rule')} that the pack no longer has`} isWide />
      )}
      {edited > 0 && (
        <Note>
          {counted(edited, 'rule')} changed here and in the pack: the new text becomes a draft where nothing else was decided.
        </Note>
      )}
      <TextInput name="why" label="Reason" lines={2} isRequired maxLength={2000} isWide />
    </FormDialog>
  );
}
