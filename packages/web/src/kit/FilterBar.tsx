/** Toolbar of a list with a filter pane: its toggle, the search, and chips of the filters in use. */
import Button from '@mui/material/Button';
import { type FilterChip, FilterChips } from './FilterChips.tsx';
import { FilterListRounded } from './icons/FilterListRounded.tsx';
import { SearchField } from './SearchField.tsx';

interface Props {
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  text: string;
  onText: (text: string) => void;
  /** "Search alerts". */
  label: string;
  chips: readonly FilterChip[];
  onClear: () => void;
}

export function FilterBar({ isOpen, onOpen, text, onText, label, chips, onClear }: Props) {
  return (
    <>
      <Button
        size="small"
        color="inherit"
        startIcon={<FilterListRounded />}
        aria-expanded={isOpen}
        onClick={() => onOpen(!isOpen)}
        sx={{ height: 32, color: 'text.secondary', '& .MuiButton-startIcon': { mr: 0.5 } }}
      >
        Filters{chips.length > 0 ? ` (${chips.length})` : ''}
      </Button>
      <SearchField value={text} onChange={onText} label={label} hasShortcut width={240} />
      <FilterChips chips={chips} onClear={onClear} />
    </>
  );
}
