/** Filters in use as removable chips. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { CloseRounded } from './icons/CloseRounded.tsx';
import { palette } from './palette.ts';
import { VisibleText } from './VisibleText.tsx';
import { visibleText } from './visible.ts';

export interface FilterChip {
  key: string;
  /** The field: "Rule". */
  name: string;
  value: string;
  onRemove: () => void;
}

const List = styled('ul')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 6,
  margin: 0,
  padding: 0,
  listStyle: 'none',
});
const Chip = styled('li')({
  display: 'inline-flex',
  alignItems: 'center',
  maxWidth: 340,
  height: 26,
  paddingLeft: 8,
  fontSize: 12,
  border: `1px solid ${palette.divider}`,
  borderRadius: 6,
  backgroundColor: palette.background.paper,
  '& .name': { color: palette.text.secondary, marginRight: 4, whiteSpace: 'nowrap' },
  '& .value': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', fontWeight: 500 },
  '& button': {
    display: 'inline-flex',
    alignItems: 'center',
    justifyContent: 'center',
    flex: 'none',
    width: 24,
    height: 24,
    padding: 0,
    border: 0,
    borderRadius: 5,
    background: 'none',
    color: palette.text.secondary,
    cursor: 'pointer',
  },
  '& button:hover': { color: palette.text.primary, backgroundColor: palette.action.hover },
  '& button:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
});

export function FilterChips({ chips, onClear }: { chips: readonly FilterChip[]; onClear: () => void }) {
  if (chips.length === 0) return null;
  return (
    <List aria-label="Filters in use">
      {chips.map((chip) => (
        <Chip key={chip.key}>
          <span className="name">{chip.name}</span>
          <span className="value" title={visibleText(chip.value)}>
            <VisibleText text={chip.value} />
          </span>
          <button type="button" aria-label={`Remove filter ${chip.name} ${visibleText(chip.value)}`} onClick={chip.onRemove}>
            <CloseRounded aria-hidden sx={{ fontSize: 14 }} />
          </button>
        </Chip>
      ))}
      <li>
        <Button size="small" onClick={onClear} sx={{ fontSize: 12, minHeight: 26, py: 0, textTransform: 'none' }}>
          Clear all
        </Button>
      </li>
    </List>
  );
}
