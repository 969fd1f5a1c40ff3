/** Text of a rule in an editor with its faults at their lines, and the dialog that saves a draft. */
import Button from '@mui/material/Button';
import { type RuleDetail, rulesApi } from '@parapet/contract/detectionRules.ts';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { lazyPanel } from '../../../kit/LazyPanel.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { useGo, useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { usePaused } from '../../../lib/usePaused.ts';
import { type FixableProblem, fixedText } from '../../collectors/parts/fixable.ts';
import { Problems } from '../../collectors/parts/Problems.tsx';
import { checkQuery, useSaveDraft } from '../rules.queries.ts';
import { firstTextOf } from '../rules.ts';

const YamlEditor = lazyPanel('the editor', () =>
  import('../../collectors/parts/YamlEditor.tsx').then((module) => module.YamlEditor),
);

export function TextTab({ rule }: { rule: RuleDetail }) {
  const { may } = useScope();
  if (!may('rules:write')) return <CodeViewer text={rule.yaml} label={`Text of ${rule.title}`} maxHeight={800} />;
  return <Editor key={rule.ruleID} rule={rule} first={rule.versions[0]?.yaml ?? rule.yaml} />;
}

/** A new rule, from a search of events where the address has one. */
export function NewRule() {
  const { search } = useSearchState();
  const first = useMemo(() => firstTextOf(search.search, search.shape), [search.search, search.shape]);
  return <Editor key={first} rule={undefined} first={first} />;
}

function Editor({ rule, first }: { rule: RuleDetail | undefined; first: string }) {
  const [text, setText] = useState(first);
  const [isSaving, setSaving] = useState(false);
  const [goTo, setGoTo] = useState<{ line: number }>();
  const paused = usePaused(text);
  const check = useQuery({ ...checkQuery(paused), enabled: paused !== '' });
  const faults = check.data?.faults;
  const problems = useMemo(
    () =>
      (faults ?? []).map(({ line, severity, text, fix }) => ({
        line,
        path: '',
        text,
        isError: severity === 'error',
        fix,
        checked: paused,
      })),
    [faults, paused],
  );
  const fix = (problem: FixableProblem) => setText((current) => fixedText(problem, current));
  const isCopy = rule !== undefined && !rule.canEdit;
  const hasError = problems.some(({ isError }) => isError);
  return (
    <>
      {isCopy && (
        <div style={{ marginBottom: 12 }}>
          <Note>
            Built-in rules are changed by the provider. Your text is saved as a rule of your own, with an ID of its own.
          </Note>
        </div>
      )}
      <Problems problems={problems} onLine={(line) => setGoTo({ line })} onFix={fix} />
      <Suspense fallback={<TextSkeleton lines={12} />}>
        <YamlEditor text={text} onChange={setText} problems={problems} label="Rule" onFix={fix} goTo={goTo} />
      </Suspense>
      <div style={{ display: 'flex', gap: 12, marginTop: 12 }}>
        <Button variant="contained" disabled={hasError || text === (rule ? first : '')} onClick={() => setSaving(true)}>
          Save draft
        </Button>
        {text !== first && <Button onClick={() => setText(first)}>Discard changes</Button>}
      </div>
      {isSaving && (
        <SaveDraft rule={isCopy ? undefined : rule} text={isCopy ? withoutId(text) : text} onClose={() => setSaving(false)} />
      )}
    </>
  );
}

/** A copy has a name of its own too: correlations find rules by it. */
const withoutId = (text: string): string => text.replace(/^(?:id|name):.*\n?/gm, '');

interface Values {
  clientOrganizationID: number;
  note: string;
  noiseBudget: number;
}
const schema = z.object({
  clientOrganizationID: z.number().min(1, 'Select an organisation.'),
  note: rulesApi.saveDraft.body.shape.note,
  noiseBudget: z.number().int().min(1).max(1_000_000),
});

export function SaveDraft({ rule, text, onClose }: { rule: RuleDetail | undefined; text: string; onClose: () => void }) {
  const { client, who, clients } = useScope();
  const ownId = who.organisationId;
  const go = useGo();
  const save = useSaveDraft();
  const newest = rule?.versions[0];
  const form = useForm<Values>({
    defaultValues: { clientOrganizationID: ownId, note: '', noiseBudget: newest?.noiseBudget ?? 1000 },
    resolver: resolverOf<Values, unknown>(schema),
  });
  const onSave = savingForm(form, async (values: Values) => {
    const saved = await save.mutateAsync({
      body: { ...values, ruleID: rule?.ruleID ?? null, afterVersion: newest?.version ?? 0, yaml: text },
    });
    onClose();
    go(paths.rule(saved.ruleID, { client, tab: 'versions' }));
  });
  return (
    <FormDialog title="Save draft" onClose={onClose} form={form} saveText="Save draft" onSave={onSave}>
      {!rule && (
        <SelectInput
          name="clientOrganizationID"
          label="Applies to"
          isRequired
          choices={[
            { value: ownId, label: 'Your organisation and its clients' },
            ...clients.filter(({ id }) => id !== ownId && id !== 0).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <TextInput name="note" label="Reason" lines={2} isRequired maxLength={2000} />
      <TextInput
        name="noiseBudget"
        label="Noise budget"
        type="number"
        hint="Matches of all clients within a day that end its shadow."
      />
    </FormDialog>
  );
}
