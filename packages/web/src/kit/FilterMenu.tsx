/** A button that opens a list of values to filter by, several at once. */
import Button from '@mui/material/Button';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { type ReactNode, useState } from 'react';
import { ArrowDropDownRounded } from './icons/ArrowDropDownRounded.tsx';
import { CheckBoxOutlineBlankRounded } from './icons/CheckBoxOutlineBlankRounded.tsx';
import { CheckBoxRounded } from './icons/CheckBoxRounded.tsx';

export interface FilterOption {
  value: string;
  label: ReactNode;
}

interface Props {
  label: string;
  options: readonly FilterOption[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** In place of no options. */
  none: string;
}

export function FilterMenu({ label, options, chosen, onChange, none }: Props) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Button
        size="small"
        color="inherit"
        endIcon={<ArrowDropDownRounded />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{ height: 32, color: 'text.secondary' }}
      >
        {label}
        {chosen.length > 0 ? ` (${chosen.length})` : ''}
      </Button>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        slotProps={{ list: { dense: true, 'aria-label': label } }}
      >
        {options.length === 0 && <MenuItem disabled>{none}</MenuItem>}
        {options.map(({ value, label }) => {
          const isChosen = chosen.includes(value);
          return (
            <MenuItem
              key={value}
              role="menuitemcheckbox"
              aria-checked={isChosen}
              onClick={() => onChange(isChosen ? chosen.filter((each) => each !== value) : [...chosen, value])}
              sx={{ gap: 1, pl: 1.5, '& > svg': { fontSize: 20 } }}
            >
              {isChosen ? (
                <CheckBoxRounded color="primary" aria-hidden />
              ) : (
                <CheckBoxOutlineBlankRounded color="action" aria-hidden />
              )}
              {label}
            </MenuItem>
          );
        })}
      </Menu>
    </>
  );
}
