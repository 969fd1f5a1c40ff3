/** Text filter by field (`field=value` or `field:part`), added with Enter; invalid input shows its error. */
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import Popover from '@mui/material/Popover';
import { styled } from '@mui/material/styles';
import { useId, useState } from 'react';
import { HelpOutlineRounded } from '../../../kit/icons/HelpOutlineRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { palette } from '../../../kit/palette.ts';
import { faultOfField } from '../eventSearch.ts';

const Place = styled('span')({
  display: 'inline-flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '2px 2px',
  maxWidth: '100%',
  '& .fault': { flex: '1 1 100%', fontSize: 12, color: palette.error.main },
});
const Help = styled('div')({
  maxWidth: 380,
  padding: '12px 16px',
  fontSize: 13,
  '& dl': { margin: '8px 0 0', display: 'grid', gap: 8 },
  '& dd': { margin: 0 },
  '& p': { margin: 0 },
});

const examples = [
  ['source.ip=203.0.113.5', 'Matches the whole value.'],
  ['process.command_line:-enc', 'Contains the text, ignoring case.'],
  ['event.code=4625', 'Matches numbers too.'],
] as const;

export function FieldFilter({ onAdd }: { onAdd: (filter: string) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const add = () => {
    const filter = text.trim();
    if (filter === '') return;
    const found = faultOfField(filter);
    setFault(found);
    if (found) return;
    onAdd(filter);
    setText('');
  };
  return (
    <Place>
      <OutlinedInput
        size="small"
        value={text}
        placeholder="field=value"
        error={fault !== undefined}
        onChange={(event) => {
          setText(event.target.value);
          setFault(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add();
          if (event.key === 'Escape') event.stopPropagation();
        }}
        slotProps={{
          input: {
            'aria-label': 'Filter by field',
            'aria-describedby': fault ? id : undefined,
            maxLength: 400,
            autoCapitalize: 'off',
            spellCheck: false,
          },
        }}
        sx={{
          width: 220,
          height: 32,
          fontSize: 13,
          fontFamily: 'var(--font-mono)',
          '& input::placeholder': { color: 'text.secondary', opacity: 1 },
        }}
      />
      <IconButton
        size="small"
        aria-label="Field filter syntax"
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <HelpOutlineRounded sx={{ fontSize: 18 }} />
      </IconButton>
      {fault && (
        <span id={id} className="fault" role="alert">
          {fault}
        </span>
      )}
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{ paper: { role: 'dialog', 'aria-label': 'How to filter by field' } }}
      >
        <Help>
          <p>Write an ECS field, then = and its whole value, or : and a part of it. Enter adds it; all filters must hold.</p>
          <dl>
            {examples.map(([filter, text]) => (
              <div key={filter}>
                <dt>
                  <MonoText>{filter}</MonoText>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <p style={{ marginTop: 8 }}>Or open an event and press the funnel beside a value.</p>
        </Help>
      </Popover>
    </Place>
  );
}
