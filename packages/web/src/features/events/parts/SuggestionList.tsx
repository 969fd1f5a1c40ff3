/** Suggestions below the search bar. Focus stays in the bar. */
import { styled } from '@mui/material/styles';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import type { Suggestion, Suggestions } from '../suggestions.ts';

const List = styled('div')({
  position: 'absolute',
  zIndex: 20,
  top: 36,
  left: 0,
  right: 0,
  maxHeight: 320,
  margin: 0,
  padding: 4,
  overflowY: 'auto',
  fontSize: 13,
  backgroundColor: palette.background.paper,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  boxShadow: '0 6px 20px rgb(0 0 0 / 0.16)',
  '&:empty': { display: 'none' },
  '& > div': { display: 'flex', gap: 12, padding: '4px 8px', borderRadius: 6, cursor: 'pointer' },
  '& > div[aria-selected=true], & > div:hover': { backgroundColor: palette.action.selected },
  '& .text': { flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .count': { color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' },
});

interface Props {
  id: string;
  suggestions: Suggestions;
  active: number;
  onChoose: (suggestion: Suggestion) => void;
}

export function SuggestionList({ id, suggestions: { items, events }, active, onChoose }: Props) {
  return (
    <List id={`${id}-list`} role="listbox" aria-label="Fields and values">
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses from the bar.
        <div
          key={item.text}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // The bar keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(item)}
        >
          <span className="text">
            <VisibleText text={item.text} />
          </span>
          <span className="count" title={`In ${exact(item.count)} of the newest ${exact(events)} events`}>
            {exact(item.count)}
          </span>
        </div>
      ))}
    </List>
  );
}
