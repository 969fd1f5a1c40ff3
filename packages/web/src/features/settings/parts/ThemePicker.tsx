/** Themes of one mode with previews. Selection applies immediately. */
import { styled } from '@mui/material/styles';
import { useId } from 'react';
import { palette } from '../../../kit/palette.ts';
import { type Mode, type Palette, palettesOf } from '../../../lib/palettes.ts';

const Grid = styled('fieldset')({
  margin: 0,
  padding: 0,
  border: 0,
  minWidth: 0,
  '& legend': { padding: 0, marginBottom: 6, fontWeight: 600 },
  '& .swatches': { display: 'grid', gap: 8, gridTemplateColumns: 'repeat(auto-fill, minmax(112px, 1fr))' },
  '& label': { position: 'relative', display: 'grid', gap: 4, cursor: 'pointer', fontSize: 13, minWidth: 0 },
  '& input': { position: 'absolute', opacity: 0, width: '100%', height: '100%', margin: 0, cursor: 'pointer' },
  '& .picture': { display: 'flex', height: 64, overflow: 'hidden', border: '1px solid var(--control-border)', borderRadius: 8 },
  '& input:checked + .picture': { borderColor: palette.primary.main, boxShadow: `0 0 0 2px ${palette.primary.main}` },
  '& input:focus-visible + .picture': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 4 },
  '& label:hover .picture': { borderColor: palette.text.secondary },
  '& .name': { display: 'flex', alignItems: 'baseline', gap: 6, overflowWrap: 'anywhere' },
  '& .id': { fontSize: 12, color: palette.text.secondary },
  '& input:checked ~ .name': { fontWeight: 600 },
});
const bar = (color: string, width: string, height = 5) => ({ width, height, borderRadius: 3, backgroundColor: color });

function Picture({ palette }: { palette: Palette }) {
  return (
    <span className="picture" aria-hidden style={{ backgroundColor: palette.ground }}>
      <span
        style={{
          flex: '0 0 30%',
          display: 'grid',
          alignContent: 'start',
          gap: 5,
          padding: 7,
          backgroundColor: palette.surface,
          borderInlineEnd: `1px solid ${palette.hairline}`,
        }}
      >
        <span style={bar(palette.accent, '100%')} />
        <span style={bar(palette.quietText, '80%', 4)} />
        <span style={bar(palette.quietText, '90%', 4)} />
      </span>
      <span style={{ flex: 1, display: 'grid', alignContent: 'start', gap: 5, padding: 8 }}>
        <span style={bar(palette.text, '60%', 6)} />
        <span style={bar(palette.quietText, '85%', 4)} />
        <span style={{ ...bar(palette.accent, '45%', 12), marginTop: 4 }} />
      </span>
    </span>
  );
}

interface Props {
  mode: Mode;
  legend: string;
  value: string;
  onChoose: (id: string) => void;
}

export function ThemePicker({ mode, legend, value, onChoose }: Props) {
  const group = useId();
  return (
    <Grid>
      <legend>{legend}</legend>
      <div className="swatches">
        {palettesOf(mode).map((palette) => (
          <label key={palette.id}>
            <input
              type="radio"
              name={group}
              aria-label={`${palette.name} (${palette.id})`}
              checked={palette.id === value}
              onChange={() => onChoose(palette.id)}
            />
            <Picture palette={palette} />
            <span className="name">
              {palette.name} <span className="id">{palette.id}</span>
            </span>
          </label>
        ))}
      </div>
    </Grid>
  );
}
