/** Logos and favicon of a brand. Files are saved as soon as they are chosen. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ClientDetails, type LogoKind, logoKinds, organisationsApi } from '@parapet/contract/organisations.ts';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { useRemoveLogo, useUploadLogo } from '../organisations.queries.ts';

const titles: Record<LogoKind, string> = {
  light: 'Logo for light themes',
  dark: 'Logo for dark themes',
  favicon: 'Browser tab icon',
};
const upload = organisationsApi.uploadLogo.upload;

const Places = styled('div')({
  display: 'grid',
  gap: 12,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 260px), 1fr))',
  '& > fieldset': { margin: 0, padding: 0, border: 0, minWidth: 0 },
  '& legend': { padding: 0, marginBottom: 6, fontSize: 13 },
});
/** Shows the image on the background of its theme. */
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
  return (
    <Places>
      {logoKinds.map((kind) => (
        <Logo key={kind} kind={kind} details={details} refusal={refusal} />
      ))}
    </Places>
  );
}

function Logo({ kind, details, refusal }: { kind: LogoKind; details: ClientDetails; refusal: string | undefined }) {
  const save = useUploadLogo(`${titles[kind]} saved`);
  const remove = useRemoveLogo(`${titles[kind]} removed`);
  const params = { id: details.id, kind };
  const url = details.logos[kind];
  return (
    <fieldset>
      <legend>{titles[kind]}</legend>
      <FilePicker
        label={`Choose ${kind === 'favicon' ? 'an icon' : 'a logo'}`}
        types={upload?.types ?? []}
        maxBytes={upload?.maxBytes ?? 0}
        refusal={refusal}
        isBusy={save.isPending || remove.isPending}
        onFile={(file) => save.mutate({ params, body: file as never })}
        actions={
          url &&
          !refusal && (
            <Button size="small" onClick={() => remove.mutate({ params })}>
              Remove
            </Button>
          )
        }
      >
        <Shown style={grounds[kind]}>{url ? <img src={url} alt={titles[kind]} /> : 'None yet'}</Shown>
      </FilePicker>
    </fieldset>
  );
}
