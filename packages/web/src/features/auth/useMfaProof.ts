/** Completes a sign-in by a proof of the second factor. */
import type { authApi, MfaChallenge } from '@parapet/contract/auth.ts';
import type { AnswerOf, InputOf } from '@parapet/contract/endpoint.ts';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';
import { enter } from '../../lib/signInCompletion.ts';
import { refusalOf } from './mfa.ts';

type Proof = Omit<InputOf<typeof authApi.completeMfa>['body'], 'nonce' | 'password'>;

export interface MfaProps {
  challenge: MfaChallenge;
  /** Returns to the password, with a reason when the sign-in has ended. */
  onRestart: (reason?: string) => void;
}

/** `refusal`: reason of a rejected proof, until the next one. A sign-in that has ended restarts. */
export function useMfaProof({ challenge: { nonce, password }, onRestart }: MfaProps) {
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const prove = async (
    proofOf: () => Proof | Promise<Proof>,
    onAccepted?: (answer: AnswerOf<typeof authApi.completeMfa>) => void,
  ) => {
    if (isBusy) return;
    setBusy(true);
    setRefusal(undefined);
    try {
      const answer = await call(endpointDescriptors.completeMfa, { body: { nonce, password, ...(await proofOf()) } });
      onAccepted?.(answer);
      await enter(answer.user);
    } catch (error) {
      const { kind, text } = refusalOf(error);
      if (kind === 'restart') return onRestart(text);
      setRefusal(text);
      setBusy(false);
    }
  };
  return { refusal, isBusy, prove, clearRefusal: () => setRefusal(undefined) };
}
