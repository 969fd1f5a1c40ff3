/** Creates an ingest key and shows it once, with ready-to-paste shipper configurations. */
import { styled } from '@mui/material/styles';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { NewKey } from '../../../kit/NewKey.tsx';
import { palette } from '../../../kit/palette.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useCreateIngestKey } from '../organisations.queries.ts';
import { snippetsOf } from '../snippets.ts';

const Code = styled('pre')({
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
  const create = useCreateIngestKey();
  const [key, setKey] = useState<string>();
  const form = useForm<{ name: string }, unknown, { name: string }>({
    defaultValues: { name: '' },
    resolver: resolverOf<{ name: string }, unknown>(ingestKeysApi.create.body),
  });
  const submit = savingForm(form, async (body: { name: string }) => {
    const created = await create.mutateAsync({ params: { client: details.id }, body });
    setKey(created.key);
  });
  return (
    <NewKey
      title="New ingest key"
      madeTitle="Ingest key created"
      form={form}
      onMake={submit}
      onClose={onClose}
      hint="For example: log host in the main office"
      made={
        key && (
          <>
            <Head>
              Key <CopyButton text={key} label="Copy key" />
            </Head>
            <Code tabIndex={0} aria-label="Key" role="group">
              {key}
            </Code>
            {snippetsOf(key, location.origin).map(({ name, text }) => (
              <section key={name}>
                <Head>
                  {name} <CopyButton text={text} label={`Copy configuration for ${name}`} />
                </Head>
                <Code tabIndex={0} aria-label={`Configuration for ${name}`} role="group">
                  {text}
                </Code>
              </section>
            ))}
          </>
        )
      }
    />
  );
}
