/** Creates an API key and shows it once. */
import { styled } from '@mui/material/styles';
import type { KeyScope } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { SelectInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { NewKey } from '../../../kit/NewKey.tsx';
import { palette } from '../../../kit/palette.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useCreateApiKey } from '../account.queries.ts';
import { AddressRangesInput, ScopesInput } from './ApiKeyFields.tsx';

const Shown = styled('div')({
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
});

interface Values {
  name: string;
  scopes: KeyScope[];
  addressRanges: string[];
  expiresInDays: number;
}

const lives = [7, 30, 90, 180, 365].map((days) => ({ value: days, label: `${days} days` }));

export function NewApiKey({ onClose }: { onClose: () => void }) {
  const create = useCreateApiKey();
  const [key, setKey] = useState<string>();
  const form = useForm<Values, unknown, Values>({
    defaultValues: { name: '', scopes: ['read'], addressRanges: [], expiresInDays: 90 },
    resolver: resolverOf<Values, unknown>(accountApi.createApiKey.body),
  });
  const submit = savingForm(form, async (body: Values) => {
    setKey((await create.mutateAsync({ body })).key);
  });
  return (
    <NewKey
      title="New API key"
      madeTitle="API key created"
      form={form}
      onMake={submit}
      onClose={onClose}
      hint="For example: monthly report script"
      fields={
        <>
          <ScopesInput />
          <AddressRangesInput />
          <SelectInput name="expiresInDays" label="Expires after" choices={lives} />
        </>
      }
      made={
        key && (
          <>
            <Shown>
              <code data-testid="api-key">{key}</code>
              <CopyButton text={key} label="Copy key" />
            </Shown>
            <p style={{ marginBottom: 0 }}>
              Send it with each request in the header Authorization: Bearer, followed by a space and the key.
            </p>
          </>
        )
      }
    />
  );
}
