/** Makes an ingest key. Its text is here once and nowhere else, ready to paste into a shipper. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { styled } from '@mui/material/styles';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Form } from '../../../kit/Form.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { call } from '../../../lib/call.ts';
import { tellFault } from '../../../lib/problems.ts';
import { useDetailsChanged } from '../organisations.queries.ts';
import { snippetsOf } from '../snippets.ts';

const Code = styled('pre')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    margin: 0,
    padding: 10,
    maxHeight: 180,
    overflow: 'auto',
    fontFamily: 'var(--font-mono)',
    fontSize: 12,
    lineHeight: '18px',
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    backgroundColor: palette.background.default,
  };
});
const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 4,
  margin: '14px 0 4px',
  fontSize: 13,
  fontWeight: 600,
});

export function NewKeyDialog({ details, onClose }: { details: ClientDetails; onClose: () => void }) {
  const changed = useDetailsChanged();
  const [key, setKey] = useState<string>();
  const form = useForm<{ name: string }>({
    defaultValues: { name: '' },
    resolver: resolverOf<{ name: string }, unknown>(ingestKeysApi.create.body),
  });
  const make = async (body: { name: string }) => {
    try {
      const made = await call(ingestKeysApi.create, { params: { client: details.id }, body });
      setKey(made.key);
      void changed.keys(details.id);
    } catch (error) {
      tellFault(form, error);
    }
  };
  return (
    // Once the key is shown, only its button closes: a slip of the hand would lose it.
    <Dialog open onClose={key ? undefined : onClose} aria-labelledby="new-key-title" maxWidth="sm" fullWidth>
      <DialogTitle id="new-key-title" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {key ? 'The new key' : 'New ingest key'}
      </DialogTitle>
      {key ? (
        <>
          <DialogContent>
            <Note tone="warning">Copy it now: it is shown this once. What is stored cannot be turned back into the key.</Note>
            <Head>
              Key <CopyButton text={key} label="Copy the key" />
            </Head>
            <Code tabIndex={0} aria-label="Key" role="group">
              {key}
            </Code>
            {snippetsOf(key, location.origin).map(({ name, text }) => (
              <section key={name}>
                <Head>
                  {name} <CopyButton text={text} label={`Copy the lines for ${name}`} />
                </Head>
                <Code tabIndex={0} aria-label={`Lines for ${name}`} role="group">
                  {text}
                </Code>
              </section>
            ))}
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
              label="New ingest key"
              onSave={make}
              isNew
              saveText="Make the key"
              actions={<Button onClick={onClose}>Cancel</Button>}
            >
              <TextInput
                name="name"
                label="What the key is for"
                isRequired
                hint="Such as: log host in the main office"
                maxLength={200}
              />
            </Form>
          </div>
        </DialogContent>
      )}
    </Dialog>
  );
}
