/** Makes an API key of one's own. Its text is here once and nowhere else. */
import { styled } from '@mui/material/styles';
import { accountApi } from '@parapet/contract/account.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { SelectInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { NewKey } from '../../../kit/NewKey.tsx';
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
    <NewKey
      title="New API key"
      madeTitle="The new API key"
      form={form}
      onMake={make}
      onClose={onClose}
      hint="Such as: monthly report script"
      fields={
        <>
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
        </>
      }
      made={
        key && (
          <>
            <Shown>
              <code data-testid="api-key">{key}</code>
              <CopyButton text={key} label="Copy the key" />
            </Shown>
            <p style={{ marginBottom: 0 }}>
              Programs send it with each call, as Authorization: Bearer, and a space, and the key.
            </p>
          </>
        )
      }
    />
  );
}
