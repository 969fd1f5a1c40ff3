/** Alternatives to the authenticator app's code: passkey or recovery code. */
import Button from '@mui/material/Button';
import type { PasskeyRequest } from '@parapet/contract/secondFactor.proof.ts';
import { useState } from 'react';
import { canUsePasskeys, provePasskey } from '../../../lib/passkeys.ts';
import { toast } from '../../../lib/toast.ts';
import { type MfaProps, useMfaProof } from '../useMfaProof.ts';
import { ProofForm } from './ProofForm.tsx';

export function OtherMethods({ onRecover, ...props }: MfaProps & { onRecover: () => void }) {
  const { challenge } = props;
  const { refusal, isBusy, prove } = useMfaProof(props);
  /** The challenge was used; a second response would be rejected. */
  const [isUsed, setUsed] = useState(false);
  const request = canUsePasskeys() && !isUsed ? challenge.passkey : null;
  if (!challenge.passkey && !challenge.hasRecoveryCodes) return null;

  const signIn = (passkeyRequest: PasskeyRequest) =>
    prove(async () => {
      const passkey = await provePasskey(passkeyRequest);
      setUsed(true);
      return { passkey };
    });

  return (
    <div className="other">
      {request && (
        <Button variant="outlined" fullWidth loading={isBusy} onClick={() => void signIn(request)}>
          Use a passkey
        </Button>
      )}
      {challenge.hasRecoveryCodes && (
        <Button fullWidth onClick={onRecover}>
          Use a recovery code
        </Button>
      )}
      <div aria-live="polite">{refusal !== undefined && <p className="fault">{refusal}</p>}</div>
    </div>
  );
}

export function RecoveryCode({ onBack, ...props }: MfaProps & { onBack: () => void }) {
  const [recoveryCode, setCode] = useState('');
  const { refusal, isBusy, prove, clearRefusal } = useMfaProof(props);
  const send = () =>
    prove(
      () => ({ recoveryCode }),
      ({ recoveryCodesLeft = 0 }) => {
        const left = recoveryCodesLeft === 1 ? '1 recovery code left' : `${recoveryCodesLeft} recovery codes left`;
        toast.warning(`Signed in with a recovery code. ${left}.`, 'user');
      },
    );
  return (
    <ProofForm
      title="Use a recovery code"
      help="Enter one of the codes you saved when you set up two-factor authentication. Each code works once."
      field={{
        name: 'recoveryCode',
        label: 'Recovery code',
        inputMode: 'text',
        autoComplete: 'off',
        value: recoveryCode,
        error: refusal,
        onChange: (typed) => {
          setCode(typed);
          clearRefusal();
        },
      }}
      canSend={recoveryCode.trim() !== ''}
      isBusy={isBusy}
      onBack={onBack}
      onSend={() => void send()}
    />
  );
}
