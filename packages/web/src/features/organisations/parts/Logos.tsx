/** The images of a brand, each saved as soon as it is chosen. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ClientDetails, type LogoKind, logoKinds, organisationsApi } from '@parapet/contract/organisations.ts';
import { useState } from 'react';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { useDetailsChanged } from '../organisations.queries.ts';

const titles: Record<LogoKind, string> = {
  light: 'Logo for light themes',
  dark: 'Logo for dark themes',
  favicon: 'Icon in the browser’s tab',
};
const upload = organisationsApi.uploadLogo.upload;

const Places = styled('div')({
  display: 'grid',
  gap: 12,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 260px), 1fr))',
  '& > fieldset': { margin: 0, padding: 0, border: 0, minWidth: 0 },
  '& legend': { padding: 0, marginBottom: 6, fontSize: 13 },
});
/** On the ground that it is made for. */
const Shown = styled('span')({
  display: 'grid',
  placeItems: 'center',
  flex: '1 1 100%',
  height: 72,
  padding: 8,
  borderRadius: 8,
  border: '1px solid #8884',
  fontSize: 12,
  '& img': { maxWidth: '100%', maxHeight: 54, objectFit: 'contain' },
});
const grounds = {
  light: { backgroundColor: '#ffffff', color: '#566072' },
  dark: { backgroundColor: '#171a21', color: '#a2abba' },
  favicon: { backgroundColor: '#ffffff', color: '#566072' },
} as const;

export function Logos({ details, refusal }: { details: ClientDetails; refusal: string | undefined }) {
  const changed = useDetailsChanged();
  const [busy, setBusy] = useState<LogoKind>();
  const run = async (kind: LogoKind, work: () => Promise<ClientDetails>, done: string) => {
    setBusy(kind);
    try {
      changed.keep(await work());
      toast.success(done);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : 'The image could not be saved.');
    }
    setBusy(undefined);
  };
  return (
    <Places>
      {logoKinds.map((kind) => {
        const params = { id: details.id, kind };
        const url = details.logos[kind];
        return (
          <fieldset key={kind}>
            <legend>{titles[kind]}</legend>
            <FilePicker
              label={`Choose ${kind === 'favicon' ? 'an icon' : 'a logo'}`}
              types={upload?.types ?? []}
              maxBytes={upload?.maxBytes ?? 0}
              refusal={refusal}
              isBusy={busy === kind}
              onFile={(file) =>
                void run(kind, () => call(organisationsApi.uploadLogo, { params, body: file as never }), `${titles[kind]} saved`)
              }
              actions={
                url &&
                !refusal && (
                  <Button
                    size="small"
                    onClick={() => void run(kind, () => call(organisationsApi.removeLogo, { params }), `${titles[kind]} removed`)}
                  >
                    Remove
                  </Button>
                )
              }
            >
              <Shown style={grounds[kind]}>{url ? <img src={url} alt={titles[kind]} /> : 'None yet'}</Shown>
            </FilePicker>
          </fieldset>
        );
      })}
    </Places>
  );
}
