/** Starts an import: an archive from this machine, or a Git repository. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { maxPackBytes, type RulePack, rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useFetch, useUpload } from '../packs.queries.ts';
import { nameOfFile } from '../packs.ts';

const Stack = styled('div')({ display: 'grid', gap: 16, minWidth: 0, '& > *': { minWidth: 0 } });
const FieldRow = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 240px), 1fr))',
  alignItems: 'start',
});

export function ImportPack({ packs }: { packs: readonly RulePack[] }) {
  const [origin, setOrigin] = useState<'archive' | 'git'>('archive');
  return (
    <Card title="Import a pack" purpose="Sigma rules in the layout of the public collection or any other folders.">
      <Stack>
        <ToggleButtonGroup
          size="small"
          exclusive
          aria-label="Source"
          value={origin}
          onChange={(_event, value: 'archive' | 'git' | null) => value && setOrigin(value)}
        >
          <ToggleButton value="archive">Archive</ToggleButton>
          <ToggleButton value="git">Git repository</ToggleButton>
        </ToggleButtonGroup>
        {origin === 'archive' ? <FromArchive packs={packs} /> : <FromGit packs={packs} />}
      </Stack>
    </Card>
  );
}

const isUpdate = (packs: readonly RulePack[], name: string): boolean =>
  packs.some((pack) => pack.id !== null && pack.name === name.trim());

function FromArchive({ packs }: { packs: readonly RulePack[] }) {
  const [file, setFile] = useState<File>();
  const [name, setName] = useState('');
  const [folder, setFolder] = useState('');
  const upload = useUpload();
  const choose = (next: File) => {
    setFile(next);
    if (name.trim() === '') setName(nameOfFile(next.name));
  };
  const send = () =>
    file &&
    upload.mutate(
      {
        query: { name: name.trim(), folder: folder.trim() },
        // Browsers guess the type of archives.
        body: new Blob([file], { type: 'application/octet-stream' }) as never,
      },
      {
        onSuccess: () => {
          setFile(undefined);
          setName('');
          setFolder('');
        },
      },
    );
  return (
    <Stack>
      <FilePicker
        file={file}
        types={['.zip', '.tar', '.gz', '.tgz']}
        maxBytes={maxPackBytes}
        onFile={choose}
        isBusy={upload.isPending}
      />
      {file && (
        <>
          <FieldRow>
            <TextField
              size="small"
              label="Pack name"
              required
              value={name}
              onChange={(event) => setName(event.target.value)}
              helperText={isUpdate(packs, name) ? 'Updates the existing pack.' : undefined}
              slotProps={{ htmlInput: { maxLength: 200 } }}
            />
            <TextField
              size="small"
              label="Folder"
              value={folder}
              onChange={(event) => setFolder(event.target.value)}
              helperText="Empty: all folders."
              slotProps={{ htmlInput: { maxLength: 200 } }}
            />
          </FieldRow>
          <div>
            <Button variant="contained" disabled={name.trim() === ''} loading={upload.isPending} onClick={send}>
              Upload for review
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}

interface Values {
  name: string;
  address: string;
  branch: string;
  folder: string;
}
const empty: Values = { name: '', address: '', branch: '', folder: '' };

function FromGit({ packs }: { packs: readonly RulePack[] }) {
  const fetch = useFetch();
  const form = useForm<Values>({ defaultValues: empty, resolver: resolverOf<Values, unknown>(rulePacksApi.fetch.body) });
  const name = form.watch('name');
  const onSave = (values: Values) =>
    fetch.mutateAsync({ body: values }).then(
      () => form.reset(empty),
      (error) => showFormError(form, error),
    );
  return (
    <Form label="Git repository" form={form} isNew saveText="Fetch for review" onSave={onSave}>
      <Fields>
        <TextInput name="address" label="Address" isRequired maxLength={500} placeholder="https://" isWide />
        <TextInput
          name="name"
          label="Pack name"
          isRequired
          maxLength={200}
          hint={isUpdate(packs, name) ? 'Updates the existing pack.' : undefined}
        />
        <TextInput name="branch" label="Branch or tag" maxLength={200} hint="Empty: the default branch." />
        <TextInput name="folder" label="Folder" maxLength={200} hint="Empty: all folders." />
      </Fields>
    </Form>
  );
}
