/** Form of a proof of the second factor: one field, and its check. */
import Button from '@mui/material/Button';
import type { ComponentProps, ReactNode } from 'react';
import { AuthField } from './AuthField.tsx';
import { Form } from './login.styles.tsx';

interface Props {
  title: string;
  help: string;
  field: Omit<ComponentProps<typeof AuthField>, 'type' | 'autoFocus' | 'help'>;
  canSend: boolean;
  isBusy: boolean;
  onBack: () => void;
  onSend: () => void;
  /** Above the title. */
  steps?: ReactNode;
  /** Below the buttons. */
  children?: ReactNode;
}

export function ProofForm({ title, help, field, canSend, isBusy, onBack, onSend, steps, children }: Props) {
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
      noValidate
      aria-labelledby="proof-title"
    >
      {steps}
      <h1 id="proof-title">{title}</h1>
      <p id="proof-help">{help}</p>
      <AuthField {...field} type="code" autoFocus help="proof-help" />
      <div className="actions">
        <Button size="large" onClick={onBack}>
          Back
        </Button>
        <Button type="submit" variant="contained" size="large" disabled={!canSend} loading={isBusy}>
          Verify
        </Button>
      </div>
      {children}
    </Form>
  );
}
