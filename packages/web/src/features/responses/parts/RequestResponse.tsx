/** Requests a response action on a device or account, with or without a case. States the effect before the request is sent. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { requestActions } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { devicesQuery } from '../../../lib/devicesQuery.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { usePaused } from '../../../lib/usePaused.ts';
import { canEnd, type Draft, isOfDevice, isOfDirectory, needsDevice, type RequestAction } from '../responseDraft.ts';
import { useRequest } from '../responses.queries.ts';
import { consequences, responseTexts } from '../responseTexts.ts';
import { mayGoOn, TargetCheck, useTargetFindings } from './TargetCheck.tsx';

interface Values extends Draft {
  expectedName: string;
  releaseAfterHours: number;
  note: string;
}

const schema = z.object({
  clientOrganizationID: z.number().min(1, 'Select a client.'),
  action: z.enum(requestActions),
  target: z.string().trim().max(4_096),
  deviceName: z.string().trim().max(255),
  caseID: z.number().int('Enter a whole number.').min(1, 'Enter a number from 1.').max(2_147_483_647).nullable(),
  expectedName: z.string().trim().max(255),
  releaseAfterHours: z.number(),
  note: z.string().trim().max(2000),
});
const targets: Record<RequestAction, { label: string; hint: string }> = {
  isolate: { label: 'Device', hint: 'Device name.' },
  unisolate: { label: 'Device', hint: 'Device name.' },
  blockUser: { label: 'Account', hint: 'As written on the device or in the directory.' },
  unblockUser: { label: 'Account', hint: 'As written on the device or in the directory.' },
  killProcess: { label: 'Process ID', hint: 'Numeric process ID.' },
  collectFile: { label: 'Path', hint: 'Full path, such as /var/log/auth.log.' },
  revokeSessions: { label: 'Account', hint: 'Sign-in name, such as ada@acme.example.' },
  resetFactors: { label: 'Account', hint: 'Sign-in name, such as ada@acme.example.' },
};
const lengths = [
  { value: 1, label: 'After 1 hour' },
  { value: 4, label: 'After 4 hours' },
  { value: 24, label: 'After 24 hours' },
  { value: 72, label: 'After 3 days' },
  { value: 168, label: 'After 7 days' },
  { value: 720, label: 'After 30 days' },
];

interface Props {
  draft: Draft;
  onClose: () => void;
  onRequested: (id: number) => void;
}

function useRequestForm(draft: Draft) {
  return useForm<Values>({
    defaultValues: { ...draft, expectedName: '', releaseAfterHours: 24, note: '' },
    resolver: resolverOf<Values, unknown>(schema, ({ action, target, deviceName, expectedName }) => ({
      target: target.trim() === '' ? `Enter the ${targets[action].label.toLowerCase()}.` : undefined,
      deviceName: needsDevice(action) && deviceName.trim() === '' ? 'Enter the device.' : undefined,
      expectedName:
        action === 'killProcess' && expectedName.trim() === ''
          ? 'Enter the program of this process ID, so that no other process is ended.'
          : undefined,
    })),
  });
}

export function RequestResponse({ draft, onClose, onRequested }: Props) {
  const { clients } = useScope();
  const request = useRequest();
  const form = useRequestForm(draft);
  const { action, target, deviceName, clientOrganizationID: client } = form.watch();
  const [read, setRead] = useState('');
  // The confirmation applies to this action and target only.
  const about = `${action} ${target}`;
  const isRead = read === about;
  const device = usePaused((isOfDevice(action) ? target : deviceName).trim());
  const findings = useTargetFindings(client, action, target.trim(), device);
  const save = async (draft: Values) => {
    if (mayGoOn(findings, isRead)) await send(draft);
    else
      form.setError('target', {
        message: findings.refusal === undefined ? 'Read the warning below and confirm it.' : 'Select another target.',
      });
  };
  const send = savingForm(
    form,
    async ({ caseID, deviceName, expectedName, ...values }: Values) => {
      const row = await request.mutateAsync({
        body: {
          ...values,
          ...(caseID === null ? {} : { caseID }),
          deviceName: isOfDevice(values.action) || isOfDirectory(values.action) ? '' : deviceName,
          expectedName: values.action === 'killProcess' ? expectedName : '',
          acknowledgesWarning: isRead,
        },
      });
      onRequested(row.id);
    },
    'case',
  );
  return (
    <FormDialog title="Request response" onClose={onClose} form={form} saveText="Request response" onSave={save}>
      <Fields least={220}>
        <SelectInput
          name="clientOrganizationID"
          label="Client"
          isRequired
          choices={clients.map(({ id, name }) => ({ value: id, label: name || 'Your organisation' }))}
        />
        <SelectInput
          name="action"
          label="Action"
          isRequired
          choices={requestActions.map((value) => ({ value, label: responseTexts(value).name }))}
        />
        <TargetFields action={action} client={client} />
        {canEnd(action) && <SelectInput name="releaseAfterHours" label="Automatic release" choices={lengths} />}
        <TextInput name="caseID" label="Case" type="number" hint="Case number (optional)." />
        <TextInput name="note" label="Reason" lines={2} isWide maxLength={2000} hint="Shown to approvers and executors." />
      </Fields>
      {target.trim() !== '' && <Effect {...form.watch()} />}
      <TargetCheck {...findings} isRead={isRead} onRead={(isChecked) => setRead(isChecked ? about : '')} />
    </FormDialog>
  );
}

function TargetFields({ action, client }: { action: RequestAction; client: number }) {
  const { label, hint } = targets[action];
  if (isOfDevice(action)) return <DeviceInput name="target" label={label} hint={hint} client={client} isRequired />;
  const needs = needsDevice(action);
  return (
    <>
      <TextInput name="target" label={label} hint={hint} isRequired isWide={action === 'collectFile'} maxLength={4_096} />
      {action === 'killProcess' && (
        <TextInput name="expectedName" label="Program" hint="Expected program of the process." isRequired maxLength={255} />
      )}
      {!isOfDirectory(action) && (
        <DeviceInput
          name="deviceName"
          label="Device"
          hint={needs ? 'Device name.' : 'Optional. Default: devices of the case with this account, or manual execution.'}
          client={client}
          isRequired={needs}
        />
      )}
    </>
  );
}

function Effect({ action, target, releaseAfterHours }: Values) {
  const length = lengths.find(({ value }) => value === releaseAfterHours)?.label;
  return (
    <Note>
      <b>
        <VisibleText text={target.trim()} />
      </b>{' '}
      {consequences[action]}
      {canEnd(action) && length && ` Released automatically ${length.toLowerCase()}.`} Without an agent or a connection that may
      respond this is a manual task. Approval rules and protected assets may require approval first.
    </Note>
  );
}

/** Device of the client with suggestions by a part of its name; accepts any text. */
function DeviceInput({
  name,
  label,
  hint,
  client,
  isRequired,
}: {
  name: 'target' | 'deviceName';
  label: string;
  hint: string;
  client: number;
  isRequired: boolean;
}) {
  const { timeZone } = useScope();
  const { field, fieldState } = useController<Pick<Values, 'target' | 'deviceName'>>({ name });
  const found = useQuery({ ...devicesQuery(client, usePaused(field.value.trim()), timeZone), enabled: client > 0 });
  const known = found.data?.results.find((device) => device.name.toLowerCase() === field.value.trim().toLowerCase());
  const executor = known && (known.hasAgent ? 'Executed by the agent on this device.' : 'No agent on this device: manual task.');
  return (
    <Autocomplete
      freeSolo
      size="small"
      options={[...new Set(found.data?.results.map((device) => device.name))]}
      filterOptions={(options) => options}
      inputValue={field.value}
      onInputChange={(_, text) => field.onChange(text)}
      onBlur={field.onBlur}
      loading={found.isLoading}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={isRequired}
          error={fieldState.error !== undefined}
          helperText={fieldState.error?.message ?? executor ?? hint}
          inputRef={field.ref}
          slotProps={{
            ...params.slotProps,
            htmlInput: { ...params.slotProps.htmlInput, maxLength: 255, required: false },
          }}
        />
      )}
    />
  );
}
