/** Chooses a status: those that may come next, the others with the reason why not. */
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { type CaseStatus, caseStatuses } from '@parapet/contract/rules/cases.ts';
import { whyNotStatus } from '../caseTexts.ts';

interface Props {
  anchor: Element | null;
  /** The status now; undefined for several cases, of which each takes what its own allows. */
  from: CaseStatus | undefined;
  onChoose: (status: CaseStatus) => void;
  onClose: () => void;
}

export function StatusMenu({ anchor, from, onChoose, onClose }: Props) {
  return (
    <Menu
      anchorEl={anchor}
      open={anchor !== null}
      onClose={onClose}
      slotProps={{ list: { dense: true, 'aria-label': 'Status' } }}
    >
      {caseStatuses.map(({ value, label }) => {
        const reason = from && whyNotStatus(from, value);
        return (
          <MenuItem
            key={value}
            selected={value === from}
            disabled={reason !== undefined}
            onClick={() => {
              onClose();
              onChoose(value);
            }}
            // The reason must be readable, not only the choice grey.
            sx={{ '&.Mui-disabled': { opacity: 1, color: 'text.secondary' } }}
          >
            <ListItemText primary={label} secondary={reason} slotProps={{ secondary: { sx: { fontSize: 12 } } }} />
          </MenuItem>
        );
      })}
    </Menu>
  );
}
