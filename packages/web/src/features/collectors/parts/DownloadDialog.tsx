/** Complete configuration file for a host with a new key: shown once, saved as a file, or fetched by the host with one command. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { styled } from '@mui/material/styles';
import { type ConfigKind, collectorsApi } from '@parapet/contract/collectors.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Form } from '../../../kit/Form.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { Note } from '../../../kit/Note.tsx';
import { palette } from '../../../kit/palette.ts';
import { saveFile } from '../../../kit/saveFile.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { kindTexts } from '../kinds.ts';

const Head = styled('h3')({ display: 'flex', alignItems: 'center', gap: 4, margin: '0 0 4px', fontSize: 13, fontWeight: 600 });
const Command = styled('pre')({
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
});

interface Props {
  client: number;
  kind: ConfigKind;
  version: number;
  /** The page has unsaved changes, which the file won't contain. */
  isDirty: boolean;
  onClose: () => void;
}

export function DownloadDialog({ client, kind, version, isDirty, onClose }: Props) {
  const download = useApiMutation(collectorsApi.download, { invalidates: [ingestKeysApi.list], failure: false });
  const [file, setFile] = useState<AnswerOf<typeof collectorsApi.download>>();
  const { title } = kindTexts[kind];
  const form = useForm<{ name: string }>({
    defaultValues: { name: '' },
    resolver: resolverOf<{ name: string }, unknown>(ingestKeysApi.create.body),
  });
  const ways = file && [
    { name: 'Linux: download, verify and restart', text: file.command },
    { name: 'Windows PowerShell, as administrator', text: file.windowsCommand },
  ];
  return (
    // Once the key is shown, only the button closes the dialog, so that it is not lost by accident.
    <Dialog open onClose={file ? undefined : onClose} aria-labelledby="download-title" maxWidth="md" fullWidth>
      <DialogTitle id="download-title" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {file ? file.fileName : `${title} for a host`}
      </DialogTitle>
      {file ? (
        <>
          <DialogContent sx={{ display: 'grid', gap: 2, '& > *': { minWidth: 0 } }}>
            <Note tone="warning">
              The file contains its key and won’t be shown again. Anyone with the key can send events for this client. You can
              revoke it under Ingest keys.
            </Note>
            {ways
              ?.filter(({ text }) => text !== '')
              .map(({ name, text }) => (
                <section key={name} aria-label={name}>
                  <Head>
                    {name} <CopyButton text={text} label={`Copy command: ${name}`} />
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
              Save file
            </Button>
          </DialogActions>
        </>
      ) : (
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          {isDirty && (
            <Note tone="warning">
              Your changes aren’t saved. The file will contain{' '}
              {version === 0 ? 'the standard configuration' : `version ${version}`}.
            </Note>
          )}
          <p style={{ margin: 0 }}>
            The file contains the portal’s address and a new key, with which the host can also fetch later versions automatically.
          </p>
          <Form
            form={form}
            label={`${title} for a host`}
            isNew
            saveText="Generate file"
            onSave={async ({ name }) => {
              try {
                setFile(await download.mutateAsync({ params: { client, kind }, body: { keyName: name } }));
              } catch (error) {
                showFormError(form, error);
              }
            }}
            actions={<Button onClick={onClose}>Cancel</Button>}
          >
            <TextInput
              name="name"
              label="Key name"
              isRequired
              hint="For example: web servers in Graz. Shown under Ingest keys"
              maxLength={200}
            />
          </Form>
        </DialogContent>
      )}
    </Dialog>
  );
}
