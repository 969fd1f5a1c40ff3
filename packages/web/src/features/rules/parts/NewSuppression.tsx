/** Creates a suppression: previewed over 90 days like any change, saved only after the preview of exactly the entered scope. */

import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { needsMatch } from '@parapet/contract/rulePreviews.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { absoluteTime } from '../../../kit/time.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { type Draft, endOf, lengths, scopeOf } from '../../suppressions/suppressions.ts';
import { ruleNamesQuery, useCreateSuppression } from '../rules.queries.ts';
import { ChangePreview, usePreviewedChange, usePreviewId } from './ChangePreview.tsx';
import { isSame, usePreview } from './PreviewResult.tsx';

interface Values extends Draft {
  reason: string;
  days: number;
}

const shape = suppressionsApi.create.body.shape;
const unused = { clientOrganizationID: 0, ruleID: null, deviceName: null, userName: null };
const schema = z.object({
  clientOrganizationID: z.number().min(1, 'Select a client.'),
  ruleID: z.string().max(64),
  deviceName: z.string().trim().max(255),
  userName: z.string().trim().max(255),
  reason: shape.reason,
  days: z.number().min(1, 'Select a duration.'),
});

interface Props {
  draft: Draft;
  onClose: () => void;
  onCreated: (id: number) => void;
}

export function NewSuppression({ draft, onClose, onCreated }: Props) {
  const { clients, timeZone } = useScope();
  const create = useCreateSuppression();
  const form = useForm<Values>({
    defaultValues: { ...draft, reason: '', days: 30 },
    resolver: resolverOf<Values, unknown>(schema, (values) => ({
      ruleID: values.clientOrganizationID > 0 && !scopeOf(values) ? needsMatch : undefined,
    })),
  });
  const scope = scopeOf(form.watch());
  const change = { kind: 'suppression' as const, ...(scope ?? unused) };
  const previewID = usePreviewId();
  const preview = usePreview(previewID).data;
  const isPreviewed = scope !== undefined && preview?.state === 'done' && isSame(preview.change, change);
  const { reset, getValues } = form;
  usePreviewedChange(
    'suppression',
    undefined,
    form.formState.isDirty,
    useCallback(
      ({ clientOrganizationID, ruleID, deviceName, userName }) =>
        reset({
          ...getValues(),
          clientOrganizationID,
          ruleID: ruleID ?? '',
          deviceName: deviceName ?? '',
          userName: userName ?? '',
        }),
      [reset, getValues],
    ),
  );

  const save = savingForm(
    form,
    async ({ reason, days, ...draft }: Values) => {
      const body = scopeOf(draft);
      if (!body) return;
      const created = await create.mutateAsync({
        body: { ...body, reason, endTime: endOf(days, Date.now()), previewID: previewID ?? null },
      });
      onCreated(created.id);
    },
    'case',
  );

  return (
    <FormDialog title="New suppression" onClose={onClose} form={form} saveText="Suppress" onSave={save} canSave={isPreviewed}>
      <SelectInput
        name="clientOrganizationID"
        label="Client"
        isRequired
        choices={clients.map(({ id, name }) => ({ value: id, label: name || 'Your organisation' }))}
      />
      <RuleInput client={form.watch('clientOrganizationID')} timeZone={timeZone} />
      <TextInput name="deviceName" label="Device" hint="Full name. Empty: all devices." maxLength={255} />
      <TextInput name="userName" label="User" hint="Full name. Empty: all users." maxLength={255} />
      <TextInput name="reason" label="Reason" lines={2} isRequired hint="Justification and approver." maxLength={2000} />
      <SelectInput
        name="days"
        label="Duration"
        isRequired
        choices={lengths}
        hint={`Ends ${absoluteTime(Date.parse(endOf(form.watch('days') || 1, Date.now())), timeZone)}. Suppressions always expire.`}
      />
      <ChangePreview form={form} change={change} isReady={scope !== undefined} days={90} />
    </FormDialog>
  );
}

/** Rules that raised alerts of the client. A preselected rule without alerts shows its ID. */
function RuleInput({ client, timeZone }: { client: number; timeZone: string }) {
  const { field, fieldState } = useController<{ ruleID: string }>({ name: 'ruleID' });
  const rules = useQuery({ ...ruleNamesQuery(client, timeZone), enabled: client > 0 });
  const titles = new Map((rules.data?.results ?? []).map(({ ruleID, rule }) => [ruleID, rule]));
  const titleOf = (id: string) => titles.get(id) ?? id;
  return (
    <Autocomplete
      size="small"
      options={[...new Set([...titles.keys(), ...(field.value ? [field.value] : [])])]}
      value={field.value || null}
      getOptionLabel={titleOf}
      onChange={(_, rule) => field.onChange(rule ?? '')}
      onBlur={field.onBlur}
      loading={rules.isLoading}
      noOptionsText={client > 0 ? 'No rules with alerts' : 'Select a client first'}
      renderOption={({ key: _, ...props }, id) => (
        <li {...props} key={id}>
          {titleOf(id)}
        </li>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label="Rule"
          error={fieldState.error !== undefined}
          helperText={fieldState.error?.message ?? 'Empty: all rules.'}
        />
      )}
    />
  );
}
