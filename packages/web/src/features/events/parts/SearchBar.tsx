/**
 * Search bar in Kibana’s query language, a combobox that completes names of fields and their values from what the client sends. It reports on
 * Enter: each search is audited.
 */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import { kqlLimits } from '@parapet/contract/rules/kql/ast.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { CloseRounded } from '../../../kit/icons/CloseRounded.tsx';
import { SearchRounded } from '../../../kit/icons/SearchRounded.tsx';
import { useShortcuts } from '../../../kit/useShortcut.ts';
import { errorOfSearch } from '../eventSearch.ts';
import { applied, type Suggestion, useFieldSuggestions } from '../suggestions.ts';
import { SuggestionList } from './SuggestionList.tsx';

interface Props {
  value: string;
  onSearch: (search: string) => void;
  client: number;
  /** Times whose events are completed from. */
  range: Range;
}

export function SearchBar(props: Props) {
  const id = useId();
  const bar = useSearchBar(props);
  const { text, error, chosen, shown, active } = bar;
  return (
    <Box sx={{ position: 'relative', flex: '1 1 520px', minWidth: 0, maxWidth: '100%' }}>
      <OutlinedInput
        size="small"
        value={text}
        placeholder="user.name: alice and not event.code: 4624"
        error={error !== undefined}
        inputRef={bar.input}
        onChange={({ target }) => bar.change(target.value, (target as HTMLInputElement).selectionStart)}
        onSelect={({ target }) => bar.setCaret((target as HTMLInputElement).selectionStart ?? undefined)}
        onBlur={bar.leave}
        onKeyDown={bar.onKey}
        startAdornment={<SearchRounded aria-hidden sx={{ fontSize: 18, mr: 0.75, color: 'text.secondary' }} />}
        endAdornment={
          text && (
            <IconButton size="small" aria-label="Clear the search" onClick={bar.clear} sx={{ p: '4px', mr: -0.75 }}>
              <CloseRounded sx={{ fontSize: 16 }} />
            </IconButton>
          )
        }
        slotProps={{
          input: {
            'aria-label': 'Search events, then Enter',
            role: 'combobox',
            'aria-autocomplete': 'list',
            'aria-expanded': shown.length > 0,
            'aria-controls': `${id}-list`,
            'aria-activedescendant': chosen ? `${id}-${active}` : undefined,
            'aria-keyshortcuts': '/',
            'aria-describedby': error && `${id}-error`,
            autoComplete: 'off',
            autoCapitalize: 'off',
            spellCheck: false,
            maxLength: kqlLimits.length,
          },
        }}
        sx={{ width: '100%', height: 32, fontSize: 14, '& input::placeholder': { color: 'text.secondary', opacity: 1 } }}
      />
      <SuggestionList id={id} suggestions={{ ...bar.suggestions, items: shown }} active={active} onChoose={bar.accept} />
      <Box id={`${id}-error`} role="alert" sx={{ color: 'error.main', fontSize: 12, lineHeight: '16px', mt: error ? 0.5 : 0 }}>
        {error?.message}
      </Box>
    </Box>
  );
}

/** Text, caret and suggestions of the bar. */
function useSearchBar({ value, onSearch, client, range }: Props) {
  const [text, setText] = useState(value);
  const [given, setGiven] = useState(value);
  const [error, setError] = useState<ReturnType<typeof errorOfSearch>>();
  const [caret, setCaret] = useState<number>();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const wantedCaret = useRef<number>(undefined);
  // Only a change from elsewhere (Back, a filter) replaces the input.
  if (value !== given) {
    setGiven(value);
    if (value !== text.trim()) setText(value);
  }
  const suggestions = useFieldSuggestions(client, range, caret === undefined ? undefined : { text, caret });
  const shown = isOpen ? suggestions.items : [];
  useEffect(() => {
    if (wantedCaret.current === undefined) return;
    input.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = undefined;
  });
  useShortcuts(
    {
      '/': (event) => {
        event.preventDefault();
        input.current?.focus();
        input.current?.select();
      },
    },
    true,
  );

  const change = (next: string, at: number | null) => {
    setText(next);
    setCaret(at ?? next.length);
    setError(undefined);
    setActive(-1);
    setOpen(true);
  };
  const accept = (suggestion: Suggestion) => {
    const next = applied(text, suggestions.place, suggestion);
    change(next.text, next.caret);
    wantedCaret.current = next.caret;
    input.current?.focus();
  };
  const search = (next: string) => {
    const found = errorOfSearch(next);
    setError(found);
    setOpen(false);
    if (found) input.current?.setSelectionRange(found.at, found.at + found.length);
    else onSearch(next.trim());
  };
  const clear = () => {
    change('', 0);
    setOpen(false);
    onSearch('');
  };
  const move = (by: 1 | -1) => {
    const count = suggestions.items.length;
    setOpen(true);
    // Before the first one the bar itself is active.
    setActive(count === 0 ? -1 : ((active + 1 + by + count + 1) % (count + 1)) - 1);
  };
  const dismiss = () => {
    if (shown.length > 0) setOpen(false);
    else if (text) clear();
    else input.current?.blur();
  };
  const chosen = shown[active];
  const actions: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => (chosen ? accept(chosen) : search(text)),
    Escape: dismiss,
  };
  const onKey = (event: KeyboardEvent) => {
    const action = actions[event.key];
    if (!action || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  const leave = () => {
    setOpen(false);
    setCaret(undefined);
  };
  return { text, error, input, chosen, shown, active, suggestions, setCaret, leave, change, accept, clear, onKey };
}
