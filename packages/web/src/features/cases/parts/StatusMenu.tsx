/** Status menu; statuses that can't follow are disabled with a reason. */
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { type CaseStatus, caseStatuses } from '@parapet/contract/rules/cases.ts';
import { statusRefusal } from '../caseTexts.ts';

interface Props {
  anchor: Element | null;
  /** Current status; undefined for several cases. */
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
        const reason = from && statusRefusal(from, value);
        return (
          <MenuItem
            key={value}
            selected={value === from}
            disabled={reason !== undefined}
            onClick={() => {
              onClose();
              onChoose(value);
            }}
            // Full opacity keeps the reason readable.
            sx={{ '&.Mui-disabled': { opacity: 1, color: 'text.secondary' } }}
          >
            <ListItemText primary={label} secondary={reason} slotProps={{ secondary: { sx: { fontSize: 12 } } }} />
          </MenuItem>
        );
      })}
    </Menu>
  );
}
