/** Picks the analyst of a case: the user first, then others by name, or unassigned. */
import MenuItem from '@mui/material/MenuItem';
import MenuList from '@mui/material/MenuList';
import Popover from '@mui/material/Popover';
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { palette } from '../../../kit/palette.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { analystsQuery } from '../cases.queries.ts';

export interface Chosen {
  id: number;
  displayName: string;
}

const maxShown = 60;

const Sheet = styled('div')({
  width: 'min(300px, calc(100vw - 32px))',
  fontSize: 13,
  '& > input': {
    width: 'calc(100% - 20px)',
    height: 32,
    margin: '10px 10px 2px',
    padding: '0 10px',
    font: 'inherit',
    color: palette.text.primary,
    backgroundColor: palette.background.paper,
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
  },
  '& > .state': { padding: '8px 12px' },
  '& small': { marginLeft: 8, color: palette.text.secondary, fontSize: 12 },
});

interface Props {
  anchor: Element | null;
  /** Client of the cases; 0 for several clients. */
  client: number;
  /** Id of the current analyst; undefined for several cases. */
  current: number | null | undefined;
  onChoose: (analyst: Chosen | null) => void;
  onClose: () => void;
}

export function AnalystPicker({ anchor, client, current, onChoose, onClose }: Props) {
  const { user } = useScope();
  const [wanted, setWanted] = useState('');
  const { data, error, refetch } = useQuery({ ...analystsQuery(client), enabled: anchor !== null });
  const all = data?.results ?? [];
  const needle = wanted.trim().toLowerCase();
  const found = all
    .filter((each) => `${each.firstName} ${each.lastName} ${each.emailAddress}`.toLowerCase().includes(needle))
    .toSorted((a, b) => Number(b.id === user.id) - Number(a.id === user.id));
  const choose = (analyst: Chosen | null) => {
    onClose();
    onChoose(analyst);
  };
  return (
    <Popover
      open={anchor !== null}
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
      slotProps={{ paper: { role: 'dialog', 'aria-label': 'Analyst', 'aria-modal': true } }}
      onTransitionExited={() => setWanted('')}
    >
      <Sheet>
        <input
          // biome-ignore lint/a11y/noAutofocus: the user opened the popover, and typing filters it.
          autoFocus
          type="search"
          value={wanted}
          placeholder="Find an analyst"
          aria-label="Find an analyst"
          maxLength={100}
          onChange={(event) => setWanted(event.target.value)}
        />
        {data === undefined ? (
          <div className="state">
            {error ? <FailedLine what="analysts" error={error} onRetry={() => void refetch()} /> : <TextSkeleton lines={4} />}
          </div>
        ) : (
          <MenuList dense aria-label="Analysts" sx={{ maxHeight: 320, overflowY: 'auto' }}>
            {needle === '' && (
              <MenuItem selected={current === null} onClick={() => choose(null)}>
                Unassigned
              </MenuItem>
            )}
            {found.slice(0, maxShown).map((each) => (
              <MenuItem key={each.id} selected={each.id === current} onClick={() => choose(each)} title={each.emailAddress}>
                <VisibleText text={each.displayName} />
                {each.id === user.id && <small>you</small>}
              </MenuItem>
            ))}
            {found.length === 0 && <MenuItem disabled>No matching analysts</MenuItem>}
            {found.length > maxShown && <MenuItem disabled>Type to find more analysts</MenuItem>}
          </MenuList>
        )}
      </Sheet>
    </Popover>
  );
}
