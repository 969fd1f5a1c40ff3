/** Requests of a target to the portal: instructions, the secret of the other side, and the address to enter there. */
import Button from '@mui/material/Button';
import type { DeliveryTarget, TargetKind } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { savingForm } from '../../../lib/problems.ts';
import { Instructions } from '../../connections/parts/Instructions.tsx';
import { targetKindsQuery, useCloseCallbacks, useOpenCallbacks } from '../deliveries.queries.ts';

interface Props {
  target: DeliveryTarget;
  onClose: () => void;
}

export function CallbackSetup({ target, onClose }: Props) {
  const kinds = useQuery(targetKindsQuery);
  const kind = kinds.data?.results.find(({ id }) => id === target.kind);
  if (kind?.callbacks) return <CallbackForm target={target} kind={kind} callbacks={kind.callbacks} onClose={onClose} />;
  return (
    <Modal title="Callbacks" onClose={onClose} actions={<Button onClick={onClose}>Cancel</Button>}>
      <TextSkeleton lines={4} lineHeight={40} />
    </Modal>
  );
}

interface FormProps extends Props {
  kind: TargetKind;
  callbacks: NonNullable<TargetKind['callbacks']>;
}

function CallbackForm({ target, kind, callbacks, onClose }: FormProps) {
  const open = useOpenCallbacks();
  const [opened, setOpened] = useState<{ address: string; secret: string | null }>();
  const form = useForm({ defaultValues: { secret: '' } });
  const isOn = target.callbackAddress !== null;
  const title = `Callbacks of ${visibleText(target.name)}`;
  const save = savingForm(form, async (body: { secret: string }) => {
    setOpened(await open.mutateAsync({ params: { client: target.clientOrganizationID, target: target.id }, body }));
  });
  if (opened)
    return (
      <Modal
        title={title}
        onClose={undefined}
        actions={
          <Button variant="contained" onClick={onClose}>
            Done
          </Button>
        }
      >
        <Copied label="Address" text={opened.address} />
        {opened.secret !== null && (
          <>
            <Note tone="warning">Copy the secret now. It won’t be shown again.</Note>
            <Copied label="Secret" text={opened.secret} />
          </>
        )}
      </Modal>
    );
  return (
    <FormDialog
      title={title}
      form={form}
      onSave={save}
      saveText={isOn ? 'Replace secret' : 'Switch on'}
      onClose={onClose}
      maxWidth="md"
    >
      <Instructions kind={{ ...kind, steps: callbacks.steps }} />
      {target.callbackAddress && (
        <>
          <Copied label="Address" text={target.callbackAddress} />
          <SwitchOff target={target} onClose={onClose} />
        </>
      )}
      {callbacks.secret === 'given' && (
        <TextInput name="secret" label="Signing secret" isRequired maxLength={200} type="password" autoComplete="new-password" />
      )}
    </FormDialog>
  );
}

function SwitchOff({ target, onClose }: Props) {
  const close = useCloseCallbacks();
  return (
    <div>
      <Button
        size="small"
        color="error"
        loading={close.isPending}
        onClick={() =>
          close.mutate({ params: { client: target.clientOrganizationID, target: target.id } }, { onSuccess: onClose })
        }
      >
        Switch off
      </Button>
    </div>
  );
}

function Copied({ label, text }: { label: string; text: string }) {
  return (
    <div style={{ margin: '8px 0' }}>
      {label}
      <div style={{ display: 'flex', alignItems: 'center', gap: 4, overflowWrap: 'anywhere' }}>
        <Mono text={text} /> <CopyButton text={text} label={`Copy the ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}
