/** MFA step: setup of the authenticator app where needed (spec §2.3), then its code or another method. */
import Button from '@mui/material/Button';
import type { MfaChallenge } from '@parapet/contract/auth.ts';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../../lib/call.ts';
import { endpointDescriptors } from '../../../lib/endpointDescriptors.ts';
import { enter } from '../../../lib/signInCompletion.ts';
import { codeError, codeOf, refusalOf } from '../mfa.ts';
import { AuthField } from './AuthField.tsx';
import { EnrolmentSteps, OpenApp, ScanCode } from './Enrolment.tsx';
import { Form } from './login.styles.tsx';
import { OtherMethods, RecoveryCode } from './OtherMethods.tsx';

interface Props {
  challenge: MfaChallenge;
  /** Returns to the password, with a reason when the sign-in has ended. */
  onRestart: (reason?: string) => void;
}

export function MfaStep({ challenge, onRestart }: Props) {
  const [step, setStep] = useState(challenge.setupNeeded ? 1 : 3);
  const [isRecovering, setRecovering] = useState(false);
  const go = (next: number) => (next < 1 ? onRestart() : setStep(next));
  if (step === 1) return <OpenApp onBack={() => go(0)} onNext={() => go(2)} />;
  if (step === 2) return <ScanCode challenge={challenge} onBack={() => go(1)} onNext={() => go(3)} />;
  if (isRecovering) return <RecoveryCode challenge={challenge} onBack={() => setRecovering(false)} onRestart={onRestart} />;
  return (
    <EnterCode
      challenge={challenge}
      onBack={() => go(challenge.setupNeeded ? 2 : 0)}
      onRestart={onRestart}
      onRecover={() => setRecovering(true)}
    />
  );
}

function EnterCode({ challenge, onBack, onRestart, onRecover }: Props & { onBack: () => void; onRecover: () => void }) {
  const [code, setCode] = useState('');
  const [hasLeft, setLeft] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const codeProblem = codeError(code);
  // "Too short" shows after leaving the field, all other errors immediately.
  const shown = refusal ?? (code !== '' && (hasLeft || code.length >= 6) ? codeProblem : undefined);
  // Selects the rejected code, so that typing replaces it.
  useEffect(() => {
    if (refusal !== undefined) field.current?.select();
  }, [refusal]);

  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (codeProblem !== undefined || isBusy) return;
    setBusy(true);
    setRefusal(undefined);
    try {
      const { user } = await call(endpointDescriptors.completeMfa, {
        body: { nonce: challenge.nonce, code, password: challenge.password },
      });
      await enter(user);
    } catch (error) {
      const { kind, text } = refusalOf(error);
      if (kind === 'restart') return onRestart(text);
      setRefusal(text);
      setBusy(false);
    }
  };

  return (
    <Form onSubmit={send} noValidate aria-labelledby="mfa-title">
      {challenge.setupNeeded && <EnrolmentSteps step={3} />}
      <h1 id="mfa-title">{challenge.setupNeeded ? 'Enter a code' : 'Two-factor authentication'}</h1>
      <p id="mfa-help">Enter the 6-digit code from your authenticator app for {challenge.data || 'this account'}.</p>
      <AuthField
        name="code"
        label="Code"
        type="code"
        autoComplete="one-time-code"
        autoFocus
        help="mfa-help"
        inputRef={field}
        value={code}
        error={shown}
        onChange={(typed) => {
          setCode(codeOf(typed));
          setRefusal(undefined);
        }}
        onLeave={() => setLeft(code !== '' || hasLeft)}
      />
      <div className="actions">
        <Button size="large" onClick={onBack}>
          Back
        </Button>
        <Button type="submit" variant="contained" size="large" disabled={codeProblem !== undefined} loading={isBusy}>
          Verify
        </Button>
      </div>
      <OtherMethods challenge={challenge} onRestart={onRestart} onRecover={onRecover} />
    </Form>
  );
}
