/** Makes an API key of one's own. Its text is here once and nowhere else. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { styled } from '@mui/material/styles';
import { accountApi } from '@parapet/contract/account.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Form } from '../../../kit/Form.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { call } from '../../../lib/call.ts';
import { tellFault } from '../../../lib/problems.ts';
import { needsSignIn } from '../../../lib/SignInAgain.tsx';
import { useAccountChanged } from '../account.queries.ts';

const Shown = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'flex',
    alignItems: 'flex-start',
    gap: 4,
    marginTop: 12,
    '& code': {
      flex: 1,
      minWidth: 0,
      padding: 10,
      overflowWrap: 'anywhere',
      fontFamily: 'var(--font-mono)',
      fontSize: 13,
      border: `1px solid ${palette.divider}`,
      borderRadius: 8,
      backgroundColor: palette.background.default,
    },
  };
});

interface Values {
  name: string;
  access: 'read' | 'readWrite';
  expiresInDays: number;
}

const lives = [7, 30, 90, 180, 365].map((days) => ({ value: days, label: `${days} days` }));

export function NewApiKey({ onClose, onSignInNeeded }: { onClose: () => void; onSignInNeeded: () => void }) {
  const changed = useAccountChanged();
  const [key, setKey] = useState<string>();
  const form = useForm<Values, unknown, Values>({
    defaultValues: { name: '', access: 'read', expiresInDays: 90 },
    resolver: resolverOf<Values, unknown>(accountApi.createApiKey.body),
  });
  const make = async (body: Values) => {
    try {
      const made = await call(accountApi.createApiKey, { body });
      setKey(made.key);
      void changed('apiKeys');
    } catch (error) {
      if (needsSignIn(error)) onSignInNeeded();
      else tellFault(form, error);
    }
  };
  return (
    // Once the key is shown, only its button closes: a slip of the hand would lose it.
    <Dialog open onClose={key ? undefined : onClose} aria-labelledby="new-api-key" maxWidth="sm" fullWidth>
      <DialogTitle id="new-api-key" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {key ? 'The new API key' : 'New API key'}
      </DialogTitle>
      {key ? (
        <>
          <DialogContent>
            <Note tone="warning">Copy it now: it is shown this once. What is stored cannot be turned back into the key.</Note>
            <Shown>
              <code data-testid="api-key">{key}</code>
              <CopyButton text={key} label="Copy the key" />
            </Shown>
            <p style={{ marginBottom: 0 }}>
              Programs send it with each call, as Authorization: Bearer, and a space, and the key.
            </p>
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button variant="contained" onClick={onClose}>
              I have copied it
            </Button>
          </DialogActions>
        </>
      ) : (
        <DialogContent>
          <div style={{ paddingTop: 8 }}>
            <Form
              form={form}
              label="New API key"
              onSave={make}
              isNew
              saveText="Make the key"
              actions={<Button onClick={onClose}>Cancel</Button>}
            >
              <TextInput
                name="name"
                label="What the key is for"
                isRequired
                hint="Such as: monthly report script"
                maxLength={200}
              />
              <SelectInput
                name="access"
                label="May"
                choices={[
                  { value: 'read', label: 'Read' },
                  { value: 'readWrite', label: 'Read and change' },
                ]}
                hint="Never more than you may yourself, and nothing about accounts."
              />
              <SelectInput name="expiresInDays" label="Ends after" choices={lives} />
            </Form>
          </div>
        </DialogContent>
      )}
    </Dialog>
  );
}
