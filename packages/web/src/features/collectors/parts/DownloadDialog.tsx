/** The complete file for a host, with a key made for it: shown once, saved as a file, or fetched by the host with one line. */
import DownloadRounded from '@mui/icons-material/DownloadRounded';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { styled } from '@mui/material/styles';
import type { ConfigKind, collectorsApi } from '@parapet/contract/collectors.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Form } from '../../../kit/Form.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { saveFile } from '../../../kit/saveFile.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useConfigCalls } from '../collectors.queries.ts';
import { kindTexts } from '../kinds.ts';

const Head = styled('h3')({ display: 'flex', alignItems: 'center', gap: 4, margin: '0 0 4px', fontSize: 13, fontWeight: 600 });
const Command = styled('pre')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    margin: 0,
    padding: 10,
    maxHeight: 120,
    overflow: 'auto',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    fontFamily: 'var(--font-mono)',
    fontSize: 12,
    lineHeight: '18px',
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    backgroundColor: palette.background.default,
  };
});

interface Props {
  client: number;
  kind: ConfigKind;
  version: number;
  /** What is typed on the page and not saved is not in the file. */
  isDirty: boolean;
  onClose: () => void;
}

export function DownloadDialog({ client, kind, version, isDirty, onClose }: Props) {
  const { download } = useConfigCalls(client, kind);
  const [file, setFile] = useState<AnswerOf<typeof collectorsApi.download>>();
  const { title } = kindTexts[kind];
  const form = useForm<{ name: string }>({
    defaultValues: { name: '' },
    resolver: resolverOf<{ name: string }, unknown>(ingestKeysApi.create.body),
  });
  const ways = file && [
    { name: 'Linux: fetches, checks and restarts', text: file.command },
    { name: 'Windows PowerShell, as administrator', text: file.windowsCommand },
  ];
  return (
    // Once the key is shown, only its button closes: a slip of the hand would lose it.
    <Dialog open onClose={file ? undefined : onClose} aria-labelledby="download-title" maxWidth="md" fullWidth>
      <DialogTitle id="download-title" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {file ? file.fileName : `${title} for a host`}
      </DialogTitle>
      {file ? (
        <>
          <DialogContent sx={{ display: 'grid', gap: 2, '& > *': { minWidth: 0 } }}>
            <Note tone="warning">
              The file holds its key, which is shown this once. Anybody who has it can send events for this client; revoke it
              under Ingest keys.
            </Note>
            {ways
              ?.filter(({ text }) => text !== '')
              .map(({ name, text }) => (
                <section key={name} aria-label={name}>
                  <Head>
                    {name} <CopyButton text={text} label={`Copy the line: ${name}`} />
                  </Head>
                  <Command tabIndex={0}>{text}</Command>
                </section>
              ))}
            <CodeViewer text={file.text} label={file.fileName} maxHeight={320} />
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button onClick={onClose}>Close</Button>
            <Button
              variant="contained"
              startIcon={<DownloadRounded />}
              onClick={() => saveFile(new Blob([file.text], { type: 'text/plain' }), file.fileName)}
            >
              Save the file
            </Button>
          </DialogActions>
        </>
      ) : (
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          {isDirty && (
            <Note tone="warning">
              What you changed here is not saved: the file will be {version === 0 ? 'the standard one' : `version ${version}`}.
            </Note>
          )}
          <p style={{ margin: 0 }}>
            The file is complete: with the portal’s address and a new key. The same key lets the host fetch later versions by
            itself.
          </p>
          <Form
            form={form}
            label={`${title} for a host`}
            isNew
            saveText="Make the file"
            onSave={async ({ name }) => {
              try {
                setFile(await download(name));
              } catch (error) {
                showFormError(form, error);
              }
            }}
            actions={<Button onClick={onClose}>Cancel</Button>}
          >
            <TextInput
              name="name"
              label="What the key is for"
              isRequired
              hint="Such as: web servers in Graz. It names the key under Ingest keys"
              maxLength={200}
            />
          </Form>
        </DialogContent>
      )}
    </Dialog>
  );
}
