/** Asks for an answer on a device or account, with or without a case. What will happen, and to what, stands above the button. */
import Autocomplete from '@mui/material/Autocomplete';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import { Form } from '../../../kit/Form.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { devicesQuery } from '../../../lib/devicesQuery.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { usePaused } from '../../../lib/usePaused.ts';
import { type AskedAction, askedActions, canEnd, type Draft, isOfDevice, needsDevice } from '../responseDraft.ts';
import { useRequest } from '../responses.queries.ts';
import { consequences, responseTexts } from '../responseTexts.ts';
import { mayGoOn, TargetCheck, useTargetFindings } from './TargetCheck.tsx';

interface Values extends Draft {
  expectedName: string;
  releaseAfterHours: number;
  note: string;
}

const schema = z.object({
  clientOrganizationID: z.number().min(1, 'Choose a client.'),
  action: z.enum(askedActions),
  target: z.string().trim().max(4_096),
  deviceName: z.string().trim().max(255),
  caseID: z.number().int('A case has a whole number.').min(1, 'A case has a number from 1.').max(2_147_483_647).nullable(),
  expectedName: z.string().trim().max(255),
  releaseAfterHours: z.number(),
  note: z.string().trim().max(2000),
});
const targets: Record<AskedAction, { label: string; hint: string }> = {
  isolate: { label: 'Device', hint: 'By its name.' },
  unisolate: { label: 'Device', hint: 'By its name.' },
  blockUser: { label: 'Account', hint: 'As it is written on the device or in the directory.' },
  unblockUser: { label: 'Account', hint: 'As it is written on the device or in the directory.' },
  killProcess: { label: 'Process id', hint: 'The number of the process.' },
  collectFile: { label: 'Path', hint: 'The whole path, such as /var/log/auth.log.' },
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
  onAsked: (id: number) => void;
}

export function RequestResponse({ draft, onClose, onAsked }: Props) {
  const { clients } = useScope();
  const request = useRequest();
  const form = useForm<Values>({
    defaultValues: { ...draft, expectedName: '', releaseAfterHours: 24, note: '' },
    resolver: resolverOf<Values, unknown>(schema, ({ action, target, deviceName, expectedName }) => ({
      target: target.trim() === '' ? `Say which: ${targets[action].label.toLowerCase()}.` : undefined,
      deviceName: needsDevice(action) && deviceName.trim() === '' ? 'Say on which device.' : undefined,
      expectedName:
        action === 'killProcess' && expectedName.trim() === ''
          ? 'Say which program must have that process id, so that no other is ended.'
          : undefined,
    })),
  });
  const { action, target, deviceName, clientOrganizationID: client, releaseAfterHours } = form.watch();
  const [read, setRead] = useState('');
  const about = `${action} ${target}`;
  // What was read of one target says nothing of another.
  const isRead = read === about;
  const device = usePaused((isOfDevice(action) ? target : deviceName).trim());
  const findings = useTargetFindings(client, action, target.trim(), device);
  const save = async (draft: Values) => {
    if (mayGoOn(findings, isRead)) await send(draft);
    else
      form.setError('target', {
        message: findings.refusal === undefined ? 'Read the warning below and confirm it.' : 'Choose another target.',
      });
  };
  const send = async ({ caseID, deviceName, expectedName, ...values }: Values) => {
    try {
      const row = await request({
        ...values,
        ...(caseID === null ? {} : { caseID }),
        deviceName: isOfDevice(values.action) ? '' : deviceName,
        expectedName: values.action === 'killProcess' ? expectedName : '',
        acknowledgesWarning: isRead,
      });
      onAsked(row.id);
    } catch (error) {
      showFormError(form, error, 'case');
    }
  };
  const length = lengths.find(({ value }) => value === releaseAfterHours)?.label.toLowerCase();
  return (
    <Dialog open onClose={onClose} aria-labelledby="request-response" maxWidth="sm" fullWidth>
      <DialogTitle id="request-response" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        Request response
      </DialogTitle>
      <DialogContent>
        <div style={{ paddingTop: 8 }}>
          <Form
            form={form}
            label="Request response"
            isNew
            saveText="Request"
            onSave={save}
            actions={<Button onClick={onClose}>Cancel</Button>}
          >
            <Fields least={220}>
              <SelectInput
                name="clientOrganizationID"
                label="Client"
                isRequired
                choices={clients.map(({ id, name }) => ({ value: id, label: name || 'Your organisation' }))}
              />
              <SelectInput
                name="action"
                label="What"
                isRequired
                choices={askedActions.map((value) => ({ value, label: responseTexts(value).name }))}
              />
              {isOfDevice(action) ? (
                <DeviceInput name="target" label="Device" hint={targets[action].hint} client={client} isRequired />
              ) : (
                <TextInput
                  name="target"
                  label={targets[action].label}
                  hint={targets[action].hint}
                  isRequired
                  isWide={action === 'collectFile'}
                  maxLength={4_096}
                />
              )}
              {action === 'killProcess' && (
                <TextInput name="expectedName" label="Program" hint="What must still have that id." isRequired maxLength={255} />
              )}
              {!isOfDevice(action) && (
                <DeviceInput
                  name="deviceName"
                  label="On the device"
                  hint={needsDevice(action) ? 'By its name.' : 'Empty: by hand, or wherever the case’s devices have the account.'}
                  client={client}
                  isRequired={needsDevice(action)}
                />
              )}
              {canEnd(action) && <SelectInput name="releaseAfterHours" label="Undone by itself" choices={lengths} />}
              <TextInput name="caseID" label="Case" type="number" hint="Its number, where it belongs to one." />
              <TextInput
                name="note"
                label="Why"
                lines={2}
                isWide
                maxLength={2000}
                hint="Whoever approves or does it reads this."
              />
            </Fields>
            {target.trim() !== '' && (
              <Note>
                <b>
                  <VisibleText text={target.trim()} />
                </b>{' '}
                {consequences[action]}
                {canEnd(action) && length && ` ${length[0]?.toUpperCase()}${length.slice(1)} that is undone.`} Without an agent
                there it is a task for a person; rules and protected assets may ask for approval first.
              </Note>
            )}
            <TargetCheck {...findings} isRead={isRead} onRead={(isChecked) => setRead(isChecked ? about : '')} />
          </Form>
        </div>
      </DialogContent>
    </Dialog>
  );
}

/** A device of the client by a part of its name; what is typed stands, too. */
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
  const said = known && (known.hasAgent ? 'Our agent runs there and does it.' : 'No agent runs there: a person does it.');
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
          helperText={fieldState.error?.message ?? said ?? hint}
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
