/** Accent colour input: text and the browser’s palette, with a live preview of its contrast. */
import { styled } from '@mui/material/styles';
import { grounds } from '@parapet/contract/rules/contrast.ts';
import { useContext } from 'react';
import { useController } from 'react-hook-form';
import { ReadOnlyContext, TextInput } from '../../../kit/fields.tsx';
import { palette } from '../../../kit/palette.ts';
import { faultIn, isColour, type Mode, ratioOf } from '../accents.ts';

const Line = styled('div')({ display: 'grid', gap: 8, minWidth: 0 });
const Choice = styled('div')({
  display: 'flex',
  alignItems: 'flex-start',
  gap: 8,
  '& > input[type=color]': {
    flex: 'none',
    width: 44,
    height: 40,
    padding: 3,
    background: 'none',
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    cursor: 'pointer',
  },
});
const Preview = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '6px 16px',
  padding: '10px 14px',
  borderRadius: 8,
  border: '1px solid',
  '& .link': { fontWeight: 600, textDecoration: 'underline' },
  '& .button': { padding: '4px 12px', borderRadius: 8, fontWeight: 600 },
});

const previewColours = {
  light: { ground: grounds.light[0], text: '#161b24', hairline: '#dfe3e9', onAccent: '#ffffff', standard: '#0b6b66' },
  dark: { ground: grounds.dark[0], text: '#e8eaef', hairline: '#2b303b', onAccent: '#06201f', standard: '#4cc9bd' },
} as const;

export function AccentInput({ name, mode }: { name: string; mode: Mode }) {
  const { field } = useController({ name });
  const isReadOnly = useContext(ReadOnlyContext);
  const typed: unknown = field.value;
  const colours = previewColours[mode];
  const colour = isColour(typed) ? typed : colours.standard;
  const fault = faultIn(typed, mode);
  const label = mode === 'light' ? 'Accent on light themes' : 'Accent on dark themes';
  const rating = !isColour(typed)
    ? 'The portal’s own accent.'
    : `Contrast ${ratioOf(typed, mode)}. ${fault ? 'Too low to be readable.' : 'Readable.'}`;
  return (
    <Line>
      <Choice>
        {!isReadOnly && (
          <input
            type="color"
            aria-label={`${label}: choose from a palette`}
            value={colour}
            onChange={(event) => field.onChange(event.target.value)}
          />
        )}
        <TextInput name={name} label={label} placeholder="#0b6e99" maxLength={7} hint="Empty for the portal’s own." />
      </Choice>
      <Preview
        role="group"
        aria-label={`${label}: preview`}
        style={{ backgroundColor: colours.ground, color: colours.text, borderColor: colours.hairline }}
      >
        <span aria-hidden className="link" style={{ color: colour }}>
          A link
        </span>
        <span aria-hidden className="button" style={{ backgroundColor: colour, color: colours.onAccent }}>
          A button
        </span>
        <span role="status">{rating}</span>
      </Preview>
    </Line>
  );
}
