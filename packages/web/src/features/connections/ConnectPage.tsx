/** A client's administrator connects a service by an emailed link (/connect), without a sign-in: the token authorises it, once. */
import Button from '@mui/material/Button';
import FormControl from '@mui/material/FormControl';
import FormHelperText from '@mui/material/FormHelperText';
import InputLabel from '@mui/material/InputLabel';
import OutlinedInput from '@mui/material/OutlinedInput';
import type { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useParams } from '@tanstack/react-router';
import { type SyntheticEvent, useEffect, useId, useState } from 'react';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { call } from '../../lib/call.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';
import { faultOf } from '../../lib/problems.ts';
import { useTitle } from '../../lib/title.ts';
import { AuthField } from '../auth/parts/AuthField.tsx';
import { AuthScreen } from '../auth/parts/AuthScreen.tsx';
import { Form, Plain } from '../auth/parts/login.styles.tsx';
import { ConsentStep } from './parts/ConsentStep.tsx';
import { Instructions } from './parts/Instructions.tsx';
import { InvitedClient } from './parts/InvitedClient.tsx';

type Invite = AnswerOf<typeof connectionInvitesApi.open>;
type State =
  | { step: 'loading' }
  | { step: 'failed'; text: string }
  | { step: 'ready'; invite: Invite }
  | { step: 'done'; name: string };

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

export function ConnectPage() {
  useTitle('Connect a service');
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const [state, setState] = useState<State>({ step: 'loading' });
  useEffect(() => {
    const request = new AbortController();
    call(endpointDescriptors.openInvite, { body: { token } }, { signal: request.signal })
      .then((invite) => setState({ step: 'ready', invite }))
      .catch((error) => request.signal.aborted || setState({ step: 'failed', text: textOf(error) }));
    return () => request.abort();
  }, [token]);
  return (
    <AuthScreen text="Connect a service, so that its events are watched.">
      {state.step === 'ready' ? (
        <Ready token={token} invite={state.invite} onDone={(name) => setState({ step: 'done', name })} />
      ) : (
        <Plain aria-labelledby="connect-title">
          <h1 id="connect-title">{state.step === 'done' ? 'Connected' : 'Connect a service'}</h1>
          <div role="status" aria-live="polite">
            {state.step === 'loading' && <p>Checking the link…</p>}
            {state.step === 'failed' && <p>{state.text}</p>}
            {state.step === 'done' && (
              <p>
                <VisibleText text={state.name} /> is connected. Its events arrive within minutes. You can close this page.
              </p>
            )}
          </div>
        </Plain>
      )}
    </AuthScreen>
  );
}

interface ReadyProps {
  token: string;
  invite: Invite;
  onDone: (name: string) => void;
}

function Ready(props: ReadyProps) {
  const [isByForm, setByForm] = useState(false);
  const { token, invite } = props;
  if (invite.consent && !isByForm)
    return <ConsentStep token={token} invite={invite} consent={invite.consent} onForm={() => setByForm(true)} />;
  return <Values {...props} />;
}

function Values({ token, invite, onDone }: ReadyProps) {
  const { kind, client, name, invitedBy } = invite;
  const [values, setValues] = useState(() => Object.fromEntries(kind.fields.map((field) => [field.name, field.initial])));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setErrors({});
    setRefusal(undefined);
    try {
      onDone((await call(endpointDescriptors.acceptInvite, { body: { token, values } })).name);
    } catch (error) {
      const { fields, text } = faultOf(error, (path) => kind.fields.some((field) => path === `values.${field.name}`));
      setErrors(fields);
      setRefusal(text ?? (Object.keys(fields).length === 0 ? textOf(error) : undefined));
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={send} noValidate aria-labelledby="connect-title">
      <h1 id="connect-title">Connect {kind.title}</h1>
      <p>
        <InvitedClient client={client} invitedBy={invitedBy} />. Values are stored encrypted for the connection{' '}
        <VisibleText text={name} /> and never shown again.
      </p>
      <Instructions kind={kind} />
      {kind.example && (
        <Button variant="outlined" onClick={() => setValues({ ...kind.example })}>
          Fill in the demo’s values
        </Button>
      )}
      {kind.fields.map((field) => (
        <Value
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          error={errors[`values.${field.name}`]}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      {refusal && (
        <p role="alert">
          <VisibleText text={refusal} />
        </p>
      )}
      <Button type="submit" variant="contained" size="large" loading={isBusy}>
        Test and connect
      </Button>
    </Form>
  );
}

interface ValueProps {
  field: Invite['kind']['fields'][number];
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Value({ field: { name, label, hint, isSecret, isLong }, value, error, onChange }: ValueProps) {
  const id = useId();
  if (!isLong)
    return (
      <div>
        <AuthField
          name={name}
          label={label}
          type={isSecret ? 'password' : 'text'}
          autoComplete={isSecret ? 'new-password' : 'off'}
          help={`${id}help`}
          value={value}
          error={error}
          onChange={onChange}
        />
        <FormHelperText id={`${id}help`}>{hint}</FormHelperText>
      </div>
    );
  return (
    <FormControl fullWidth error={error !== undefined} variant="outlined">
      <InputLabel htmlFor={id}>{label}</InputLabel>
      <OutlinedInput
        id={id}
        label={label}
        value={value}
        multiline
        minRows={4}
        maxRows={12}
        onChange={(event) => onChange(event.target.value)}
        inputProps={{ maxLength: 10_000, 'aria-describedby': `${id}help`, autoComplete: 'off', spellCheck: false }}
      />
      <FormHelperText id={`${id}help`}>{error ?? hint}</FormHelperText>
    </FormControl>
  );
}
