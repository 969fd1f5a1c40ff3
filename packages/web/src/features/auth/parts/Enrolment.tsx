/** Setup of the authenticator app: the first two of the three steps of spec §2.3; the third is the code itself. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { MfaChallenge } from '@parapet/contract/auth.ts';
import type { ReactNode, SyntheticEvent } from 'react';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { palette } from '../../../kit/palette.ts';
import { grouped, imageOf } from '../mfa.ts';
import { Form } from './login.styles.tsx';

const steps = ['Open an app', 'Scan the code', 'Enter a code'];

const Steps = styled('ol')({
  display: 'flex',
  gap: 8,
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 12,
  lineHeight: '16px',
  color: palette.text.secondary,
  '& li': { flex: 1, paddingTop: 8, borderTop: `3px solid ${palette.divider}` },
  '& li.done': { borderColor: `color-mix(in srgb, ${palette.primary.main} 45%, transparent)` },
  '& li[aria-current]': { borderColor: palette.primary.main, fontWeight: 600, color: palette.text.primary },
});

export function EnrolmentSteps({ step }: { step: number }) {
  return (
    <Steps aria-label="Two-factor authentication setup">
      {steps.map((name, at) => (
        <li key={name} className={at + 1 < step ? 'done' : undefined} aria-current={at + 1 === step ? 'step' : undefined}>
          {at + 1}. {name}
        </li>
      ))}
    </Steps>
  );
}

interface StepProps {
  onBack: () => void;
  onNext: () => void;
}

/** One step. Focus moves to Next, which the step's text describes. */
function Step({ step, title, onBack, onNext, children }: StepProps & { step: number; title: string; children: ReactNode }) {
  const next = (event: SyntheticEvent) => {
    event.preventDefault();
    onNext();
  };
  return (
    <Form onSubmit={next} aria-labelledby="step-title" aria-describedby="step-text">
      <EnrolmentSteps step={step} />
      <h1 id="step-title">{title}</h1>
      {children}
      <div className="actions">
        <Button size="large" onClick={onBack}>
          Back
        </Button>
        <Button key={step} type="submit" variant="contained" size="large" autoFocus aria-describedby="step-title step-text">
          Next
        </Button>
      </div>
    </Form>
  );
}

export function OpenApp(props: StepProps) {
  return (
    <Step {...props} step={1} title="Open an authenticator app">
      <p id="step-text">
        Your account requires two-factor authentication. Open an authenticator app on your phone, such as Microsoft Authenticator,
        Google Authenticator or 1Password. If you don’t have one, install one from your phone’s app store.
      </p>
    </Step>
  );
}

const Picture = styled('div')({
  alignSelf: 'center',
  padding: 12,
  borderRadius: 8,
  // Cameras need dark on light, in dark themes too.
  backgroundColor: '#ffffff',
  border: `1px solid ${palette.divider}`,
  '& img': { display: 'block', width: 200, height: 200, maxWidth: '100%' },
});

const Secret = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 8,
  padding: '6px 8px 6px 12px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  '& code': { fontFamily: 'var(--font-mono)', fontSize: 13, userSelect: 'all', overflowWrap: 'anywhere' },
});

export function ScanCode({ challenge, ...props }: StepProps & { challenge: MfaChallenge }) {
  return (
    <Step {...props} step={2} title="Scan the QR code">
      <p id="step-text">Add an account in the app and scan this code. If you can’t scan it, type the secret instead.</p>
      <SecretToScan {...challenge} />
    </Step>
  );
}

/** Secret of an authenticator app, as a QR code and as text. */
export function SecretToScan({ qrCodeImage, qrSecret }: Pick<MfaChallenge, 'qrCodeImage' | 'qrSecret'>) {
  return (
    <>
      {qrCodeImage !== '' && (
        <Picture>
          <img src={imageOf(qrCodeImage)} alt="QR code of the secret below" width={200} height={200} />
        </Picture>
      )}
      <Secret>
        <code title="Secret">{grouped(qrSecret)}</code>
        <CopyButton text={qrSecret} label="Copy secret" size={16} />
      </Secret>
    </>
  );
}
