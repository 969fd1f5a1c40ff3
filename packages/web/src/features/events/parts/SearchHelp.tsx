/** Syntax of the event search by example (docs/event-search.md). */
import IconButton from '@mui/material/IconButton';
import Popover from '@mui/material/Popover';
import { styled } from '@mui/material/styles';
import { useState } from 'react';
import { HelpOutlineRounded } from '../../../kit/icons/HelpOutlineRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';

const Help = styled('div')({
  maxWidth: 400,
  padding: '12px 16px',
  fontSize: 13,
  '& dl': { margin: '8px 0 0', display: 'grid', gap: 8 },
  '& dd': { margin: 0 },
  '& p': { margin: 0 },
});

const examples = [
  ['powershell "failed password"', 'Words and phrases in any field.'],
  ['event.code: 4625', 'Matches the whole value, ignoring case.'],
  ['process.command_line: *-enc*', '* stands for any characters.'],
  ['user: (alice or bob) and not device: ws-*', 'Combines conditions.'],
  ['source.ip: 10.0.0.0/8', 'Matches a network.'],
  ['destination.port >= 1024', 'Compares numbers and times.'],
  ['process.parent.name: *', 'The field has a value.'],
] as const;

export function SearchHelp() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <IconButton
        size="small"
        aria-label="Search syntax"
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <HelpOutlineRounded sx={{ fontSize: 18 }} />
      </IconButton>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{ paper: { role: 'dialog', 'aria-label': 'Search syntax' } }}
      >
        <Help>
          <p>The query language of Kibana (KQL). Conditions side by side must all match.</p>
          <dl>
            {examples.map(([search, text]) => (
              <div key={search}>
                <dt>
                  <MonoText>{search}</MonoText>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <p style={{ marginTop: 8 }}>Or open an event and press the funnel beside a value.</p>
        </Help>
      </Popover>
    </>
  );
}
