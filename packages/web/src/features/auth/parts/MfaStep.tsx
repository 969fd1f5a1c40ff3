/** MFA step: setup of the authenticator app where needed (spec §2.3), then its code or another method. */
import { useEffect, useRef, useState } from 'react';
import { codeError, codeOf } from '../mfa.ts';
import { type MfaProps, useMfaProof } from '../useMfaProof.ts';
import { EnrolmentSteps, OpenApp, ScanCode } from './Enrolment.tsx';
import { OtherMethods, RecoveryCode } from './OtherMethods.tsx';
import { ProofForm } from './ProofForm.tsx';

export function MfaStep(props: MfaProps) {
  const { challenge, onRestart } = props;
  const [step, setStep] = useState(challenge.setupNeeded ? 1 : 3);
  const [isRecovering, setRecovering] = useState(false);
  const go = (next: number) => (next < 1 ? onRestart() : setStep(next));
  if (step === 1) return <OpenApp onBack={() => go(0)} onNext={() => go(2)} />;
  if (step === 2) return <ScanCode challenge={challenge} onBack={() => go(1)} onNext={() => go(3)} />;
  if (isRecovering) return <RecoveryCode {...props} onBack={() => setRecovering(false)} />;
  return <EnterCode {...props} onBack={() => go(challenge.setupNeeded ? 2 : 0)} onRecover={() => setRecovering(true)} />;
}

function EnterCode({ onBack, onRecover, ...props }: MfaProps & { onBack: () => void; onRecover: () => void }) {
  const { challenge } = props;
  const [code, setCode] = useState('');
  const [hasLeft, setLeft] = useState(false);
  const { refusal, isBusy, prove, clearRefusal } = useMfaProof(props);
  const field = useRef<HTMLInputElement>(null);
  const codeProblem = codeError(code);
  // "Too short" shows after leaving the field, all other errors immediately.
  const shown = refusal ?? (code !== '' && (hasLeft || code.length >= 6) ? codeProblem : undefined);
  // Selects the rejected code, so that typing replaces it.
  useEffect(() => {
    if (refusal !== undefined) field.current?.select();
  }, [refusal]);

  return (
    <ProofForm
      title={challenge.setupNeeded ? 'Enter a code' : 'Two-factor authentication'}
      help={`Enter the 6-digit code from your authenticator app for ${challenge.data || 'this account'}.`}
      field={{
        name: 'code',
        label: 'Code',
        autoComplete: 'one-time-code',
        inputRef: field,
        value: code,
        error: shown,
        onChange: (typed) => {
          setCode(codeOf(typed));
          clearRefusal();
        },
        onLeave: () => setLeft(code !== '' || hasLeft),
      }}
      canSend={codeProblem === undefined}
      isBusy={isBusy}
      onBack={onBack}
      onSend={() => void prove(() => ({ code }))}
      steps={challenge.setupNeeded && <EnrolmentSteps step={3} />}
    >
      <OtherMethods {...props} onRecover={onRecover} />
    </ProofForm>
  );
}
