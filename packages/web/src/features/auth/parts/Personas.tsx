/** Demo accounts by organisation; a click fills the form. Rendered in demo mode only. */
import { styled } from '@mui/material/styles';
import type { Brand } from '@parapet/contract/brand.ts';
import { palette } from '../../../kit/palette.ts';

type Demo = NonNullable<Brand['demo']>;
type Persona = Demo['personas'][number];

const Root = styled('section')({
  width: '100%',
  maxWidth: 400,
  '& > div': { breakInside: 'avoid' },
  '& code': { fontFamily: 'var(--font-mono)', color: palette.text.primary, userSelect: 'all' },
  '& h2': { margin: 0, fontSize: 14, lineHeight: '20px', fontWeight: 600 },
  '& > header p': { margin: '2px 0 12px', fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& h3': { margin: '12px 0 4px', fontSize: 12, lineHeight: '16px', fontWeight: 600, color: palette.text.secondary },
  '& ul': {
    listStyle: 'none',
    margin: 0,
    padding: 0,
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    overflow: 'hidden',
    backgroundColor: palette.background.paper,
  },
  '& li + li': { borderTop: `1px solid ${palette.divider}` },
  '& button': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: 12,
    width: '100%',
    padding: '7px 12px',
    border: 0,
    font: 'inherit',
    fontSize: 13,
    textAlign: 'left',
    color: 'inherit',
    background: 'none',
    cursor: 'pointer',
    '&:hover': { backgroundColor: palette.action.hover },
    '&[aria-pressed=true]': {
      backgroundColor: `color-mix(in srgb, ${palette.primary.main} 12%, transparent)`,
      fontWeight: 600,
    },
    '&:focus-visible': { outlineOffset: -2 },
    '& span': { color: palette.text.secondary, fontWeight: 400, whiteSpace: 'nowrap' },
  },
  '@media (min-width: 1200px)': {
    maxWidth: 640,
    columnGap: 24,
    columnCount: 2,
    '& > header': { columnSpan: 'all' },
    '& h3': { marginTop: 0 },
    '& > div': { breakInside: 'avoid', paddingBottom: 12 },
  },
});

interface Props {
  demo: Demo;
  /** Email address in the form. */
  chosen: string;
  onChoose: (persona: Persona) => void;
}

export function Personas({ demo, chosen, onChoose }: Props) {
  const organisations = [...new Set(demo.personas.map((persona) => persona.organisation))];
  return (
    <Root aria-labelledby="personas-title">
      <header>
        <h2 id="personas-title">Demo accounts</h2>
        <p>Select an account to fill in the form.</p>
        {demo.personas
          .filter(({ mfaSecret }) => mfaSecret !== '')
          .map(({ persona, displayName, mfaSecret }) => (
            <p key={persona}>
              {displayName} uses MFA. Add the secret <code>{mfaSecret}</code> to an authenticator app.
            </p>
          ))}
      </header>
      {organisations.map((organisation) => (
        <div key={organisation}>
          <h3>{organisation}</h3>
          <ul>
            {demo.personas
              .filter((persona) => persona.organisation === organisation)
              .map((persona) => (
                <li key={persona.persona}>
                  <button
                    type="button"
                    title={persona.email}
                    aria-pressed={persona.email === chosen}
                    onClick={() => onChoose(persona)}
                  >
                    {persona.displayName}
                    <span>{persona.role}</span>
                  </button>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </Root>
  );
}
