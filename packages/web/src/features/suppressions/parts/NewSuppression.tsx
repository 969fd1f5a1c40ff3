/** Makes a suppression. What it would have hidden is seen before it can be saved, and it always has an end. */
import Autocomplete from '@mui/material/Autocomplete';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { useQuery } from '@tanstack/react-query';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import { Form } from '../../../kit/Form.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { absoluteTime } from '../../../kit/time.ts';
import { call } from '../../../lib/call.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { usePaused } from '../../../lib/usePaused.ts';
import { ruleNamesQuery, useSuppressionsChanged } from '../suppressions.queries.ts';
import { type Draft, endOf, lengths, whatOf } from '../suppressions.ts';
import { Preview, usePreview } from './Preview.tsx';

interface Values extends Draft {
  reason: string;
  days: number;
}

const shape = suppressionsApi.create.body.shape;
const needsOne = 'Choose a rule, a device or a user: a suppression of everything would blind the portal.';
const schema = z.object({
  clientOrganizationID: z.number().min(1, 'Choose a client.'),
  ruleID: z.string().max(64),
  deviceName: z.string().trim().max(255),
  userName: z.string().trim().max(255),
  reason: shape.reason,
  days: z.number().min(1, 'Choose how long it holds.'),
});

interface Props {
  draft: Draft;
  onClose: () => void;
  onMade: (id: number) => void;
}

export function NewSuppression({ draft, onClose, onMade }: Props) {
  const { clients, timeZone } = useScope();
  const changed = useSuppressionsChanged();
  const form = useForm<Values>({
    defaultValues: { ...draft, reason: '', days: 30 },
    resolver: resolverOf<Values, unknown>(schema, (values) => ({
      ruleID: values.clientOrganizationID > 0 && !whatOf(values) ? needsOne : undefined,
    })),
  });
  const values = form.watch();
  const what = usePaused(JSON.stringify(whatOf(values) ?? null));
  const asked = whatOf(values);
  const preview = usePreview(what);
  // What is seen must be what is saved.
  const isSeen = preview.data !== undefined && JSON.stringify(asked ?? null) === what;

  const save = async ({ reason, days, ...draft }: Values) => {
    const body = whatOf(draft);
    if (!body) return;
    try {
      const made = await call(suppressionsApi.create, { body: { ...body, reason, endTime: endOf(days, Date.now()) } });
      toast.success('The suppression holds from now on', 'case');
      await changed();
      onMade(made.id);
    } catch (error) {
      showFormError(form, error, 'case');
    }
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby="new-suppression" maxWidth="sm" fullWidth>
      <DialogTitle id="new-suppression" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        New suppression
      </DialogTitle>
      <DialogContent>
        <div style={{ paddingTop: 8 }}>
          <Form
            form={form}
            label="New suppression"
            isNew
            saveText="Suppress"
            onSave={save}
            refusal={undefined}
            canSave={isSeen}
            actions={<Button onClick={onClose}>Cancel</Button>}
          >
            <SelectInput
              name="clientOrganizationID"
              label="Client"
              isRequired
              choices={clients.map(({ id, name }) => ({ value: id, label: name || 'Your organisation' }))}
            />
            <RuleInput client={values.clientOrganizationID} timeZone={timeZone} />
            <TextInput name="deviceName" label="Device" hint="Its whole name. Empty: every device." maxLength={255} />
            <TextInput name="userName" label="User" hint="The whole name. Empty: every user." maxLength={255} />
            <TextInput
              name="reason"
              label="Reason"
              lines={2}
              isRequired
              hint="Why this is harmless, and who said so."
              maxLength={2000}
            />
            <SelectInput
              name="days"
              label="Holds for"
              isRequired
              choices={lengths}
              hint={`Ends ${absoluteTime(Date.parse(endOf(values.days || 1, Date.now())), timeZone)}. Nothing is hidden for ever.`}
            />
            <Preview hasWhat={asked !== undefined} isStale={!isSeen} preview={preview} />
          </Form>
        </div>
      </DialogContent>
    </Dialog>
  );
}

/** Rules that raised alerts of the client; one that raised none stays as its id. */
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
      noOptionsText={client > 0 ? 'No rule raised an alert here' : 'Choose a client first'}
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
          helperText={fieldState.error?.message ?? 'Empty: every rule.'}
        />
      )}
    />
  );
}
