/** Form that creates a tag, validated by the contract’s schema. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { type Tag, tagsApi } from '@parapet/contract/tags.ts';
import { type SyntheticEvent, useState } from 'react';
import { sameName } from '../tagChanges.ts';
import { useSaveTag } from '../tags.queries.ts';

const Form = styled('form')({ display: 'flex', alignItems: 'flex-start', gap: 8 });

interface Props {
  organisationId: number;
  /** Tags of the organisation. Names are unique. */
  tags: readonly Tag[];
  onSaved: (id: number) => void;
}

export function NewTag({ organisationId, tags, onSaved }: Props) {
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const save = useSaveTag();

  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const checked = tagsApi.saveNew.body.safeParse({ clientOrganizationID: organisationId, name });
    const isTaken = checked.success && tags.some((tag) => sameName(tag.name, checked.data.name));
    if (!checked.success || isTaken) {
      setError(checked.success ? 'A tag with this name already exists.' : checked.error.issues[0]?.message);
      return;
    }
    save.mutate(
      { body: checked.data },
      {
        onSuccess: ({ id }) => {
          setName('');
          onSaved(id);
        },
      },
    );
  };

  return (
    <Form onSubmit={submit} noValidate>
      <TextField
        size="small"
        fullWidth
        label="New tag"
        value={name}
        error={error !== undefined}
        helperText={error}
        onChange={(event) => {
          setName(event.target.value);
          setError(undefined);
        }}
      />
      <Button type="submit" variant="outlined" disabled={name.trim() === ''} loading={save.isPending} sx={{ height: 40 }}>
        Add
      </Button>
    </Form>
  );
}
