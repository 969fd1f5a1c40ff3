/** Legal hold of a client, and the request that waits for a second person. */
import Button from '@mui/material/Button';
import { type RequestKind, type RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useDecideRetention, useRequestRetention } from '../retention.queries.ts';
import { requestText } from '../retention.ts';

interface Props {
  client: number;
  name: string;
  state: RetentionState;
  isPartner: boolean;
}

export function LegalHold({ client, name, state, isPartner }: Props) {
  const { timeZone } = useScope();
  const [requestKind, setRequestKind] = useState<RequestKind>();
  const { hold, request, can } = state;
  if (isPartner || !can.decide) return null;
  const kind = hold ? 'lift' : 'hold';
  return (
    <Section title="Legal hold" isPlain>
      <div style={{ display: 'grid', gap: 12 }}>
        {hold && (
          <Note tone="warning">
            Under legal hold since <AbsoluteTime at={hold.since} timeZone={timeZone} />, requested by {hold.by}:{' '}
            <VisibleText text={hold.reason} />. No events, alerts or their evidence expire, and nothing is erased.
          </Note>
        )}
        {!hold && request?.kind !== 'hold' && <Note>No legal hold. Data expires as set below.</Note>}
        {request && <WaitingRequest client={client} request={request} />}
        {can.request && !request && (
          <div>
            <Button size="small" variant="outlined" onClick={() => setRequestKind(kind)}>
              {hold ? 'Request end of hold' : 'Request legal hold'}
            </Button>
          </div>
        )}
      </div>
      {requestKind && <RequestDialog client={client} name={name} kind={requestKind} onClose={() => setRequestKind(undefined)} />}
    </Section>
  );
}

export function WaitingRequest({ client, request }: { client: number; request: NonNullable<RetentionState['request']> }) {
  const { timeZone } = useScope();
  const decide = useDecideRetention();
  const send = (isConfirmed: boolean) => decide.mutate({ params: { client, id: request.id }, body: { isConfirmed } });
  return (
    <Note
      actions={
        <>
          <Button
            size="small"
            variant="contained"
            disabled={request.refusal !== null}
            loading={decide.isPending}
            onClick={() => send(true)}
          >
            Confirm
          </Button>
          <Button size="small" disabled={decide.isPending} onClick={() => send(false)}>
            {request.isOwn ? 'Withdraw' : 'Refuse'}
          </Button>
        </>
      }
    >
      {request.requestedBy} requested {requestText[request.kind]}: <VisibleText text={request.reason} />. A second person must
      confirm it by <AbsoluteTime at={request.expiresAt} timeZone={timeZone} />. {request.refusal}
    </Note>
  );
}

const titles: Record<RequestKind, (name: string) => string> = {
  hold: (name) => `Request legal hold of ${name}`,
  lift: (name) => `Request end of the legal hold of ${name}`,
  erase: (name) => `Request erasure of ${name}`,
};

export function RequestDialog({
  client,
  name,
  kind,
  onClose,
}: {
  client: number;
  name: string;
  kind: RequestKind;
  onClose: () => void;
}) {
  const request = useRequestRetention();
  const form = useForm<{ kind: RequestKind; reason: string }>({
    defaultValues: { kind, reason: '' },
    resolver: resolverOf(retentionApi.request.body),
  });
  return (
    <FormDialog
      title={titles[kind](name)}
      form={form}
      saveText="Request"
      onClose={onClose}
      onSave={(body) => request.mutateAsync({ params: { client }, body }).then(onClose, (error) => showFormError(form, error))}
    >
      <TextInput
        name="reason"
        label="Reason"
        hint="Such as the reference of a court order. A second person must confirm."
        isRequired
      />
    </FormDialog>
  );
}
