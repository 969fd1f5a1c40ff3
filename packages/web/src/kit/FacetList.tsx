/**
 * Filters of one field: its values with counts, several selectable. Long lists show the first few, expandable and searchable;
 * selected values stay on top, also without rows. Plain checkboxes, for up to 500 values.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ReactNode, useId, useState } from 'react';
import { Count } from './Count.tsx';
import { palette } from './palette.ts';
import { TextSkeleton } from './Skeletons.tsx';
import { VisibleText } from './VisibleText.tsx';

export interface FacetOption {
  value: string;
  label: string;
  /** Rows with it; absent where that is not known. */
  count?: number;
  icon?: ReactNode;
}

const shortLength = 6;
const longLength = 100;

const Group = styled('fieldset')({ border: 0, margin: 0, padding: 0, minWidth: 0 });
const Title = styled('legend')({ padding: '0 0 4px', fontSize: 12, fontWeight: 600, color: palette.text.secondary });
const Option = styled('label')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 28,
  padding: '0 6px',
  margin: '0 -6px',
  borderRadius: 6,
  fontSize: 13,
  cursor: 'pointer',
  '&:hover': { backgroundColor: palette.action.hover },
  '& input': { flex: 'none', width: 14, height: 14, margin: 0, accentColor: palette.primary.main, cursor: 'inherit' },
  '&:has(input:focus-visible)': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& input:focus-visible': { outline: 'none' },
  '& .label': { flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .count': { color: palette.text.secondary, fontSize: 12 },
});
const Scroll = styled('div')({ maxHeight: 336, overflowY: 'auto', margin: '0 -6px', padding: '0 6px' });
const Find = styled('input')({
  width: '100%',
  height: 28,
  margin: '0 0 4px',
  padding: '0 8px',
  font: 'inherit',
  fontSize: 13,
  color: palette.text.primary,
  background: 'transparent',
  border: `1px solid ${palette.divider}`,
  borderRadius: 6,
  '&::placeholder': { color: palette.text.secondary, opacity: 1 },
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -1 },
});
const Nothing = styled('p')({ margin: '4px 0', fontSize: 13, color: palette.text.secondary });

interface Props {
  title: string;
  /** undefined while they load. */
  options: readonly FacetOption[] | undefined;
  selected: readonly string[];
  onChange: (selected: string[]) => void;
  /** One value at most: choosing another replaces it. */
  isSingle?: boolean;
  /** Number of options to reserve space for while they load. */
  expected?: number;
}

export function FacetList({ title, options, selected, onChange, isSingle = false, expected = shortLength }: Props) {
  const [isLong, setIsLong] = useState(false);
  const [wanted, setWanted] = useState('');
  const searchId = useId();
  const { shown, rest } = arrange(options ?? [], selected, isLong, wanted);
  const hasSearch = isLong && (options?.length ?? 0) > 10;

  const toggle = (value: string) => {
    const has = selected.includes(value);
    if (isSingle) onChange(has ? [] : [value]);
    else onChange(has ? selected.filter((each) => each !== value) : [...selected, value]);
  };

  return (
    <Group>
      <Title>{title}</Title>
      {hasSearch && (
        <Find
          id={searchId}
          type="search"
          value={wanted}
          placeholder="Find…"
          aria-label={`Find in ${title}`}
          maxLength={100}
          onChange={(event) => setWanted(event.target.value)}
        />
      )}
      <Scroll>
        {shown.map((option) => (
          <Option key={option.value} title={option.label}>
            <input type="checkbox" checked={selected.includes(option.value)} onChange={() => toggle(option.value)} />
            {option.icon}
            <span className="label">
              <VisibleText text={option.label} />
            </span>
            {option.count !== undefined && (
              <span className="count">
                <Count value={option.count} />
              </span>
            )}
          </Option>
        ))}
      </Scroll>
      {options === undefined && <TextSkeleton lines={expected} lineHeight={28} />}
      {options !== undefined && shown.length === 0 && <Nothing>{wanted ? 'No matches.' : 'None in this timeframe.'}</Nothing>}
      {(rest > 0 || isLong) && (
        <Button
          size="small"
          onClick={() => {
            setIsLong(!isLong);
            setWanted('');
          }}
          aria-expanded={isLong}
          sx={{ px: 0.75, ml: -0.75, minHeight: 26, fontSize: 12, textTransform: 'none' }}
        >
          {isLong ? 'Show less' : `Show ${rest} more`}
        </Button>
      )}
    </Group>
  );
}

/** Visible options, selected ones first, then by frequency, and the number of the rest. */
export function arrange(
  options: readonly FacetOption[],
  selected: readonly string[],
  isLong: boolean,
  wanted: string,
): { shown: FacetOption[]; rest: number } {
  const known = new Set(options.map((option) => option.value));
  const missing = selected.filter((value) => !known.has(value)).map((value) => ({ value, label: value }));
  const needle = wanted.trim().toLowerCase();
  const all = [...missing, ...options];
  if (isLong) {
    const found = needle ? all.filter((option) => option.label.toLowerCase().includes(needle)) : all;
    return { shown: found.slice(0, longLength), rest: 0 };
  }
  // "Show 1 more" would take the place of the one.
  const most = options.length === shortLength + 1 ? options.length : shortLength;
  const head = all.filter((option, index) => index < most + missing.length || selected.includes(option.value));
  return { shown: head, rest: all.length - head.length };
}
