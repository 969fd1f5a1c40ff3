/** A search box that reports after a pause in typing (or, where each search costs, only on Enter), and is reached with `/`. */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useEffect, useId, useRef, useState } from 'react';
import { CloseRounded } from './icons/CloseRounded.tsx';
import { SearchRounded } from './icons/SearchRounded.tsx';
import { useShortcuts } from './useShortcut.ts';

const pauseMs = 300;

/** Rejected part of a search, in UTF-16 units. */
export interface SearchError {
  at: number;
  length: number;
  message: string;
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** Names the field: "Search alerts". */
  label: string;
  /** Default: the label. */
  placeholder?: string;
  /** Focused by `/`; for the main search of a page. */
  hasShortcut?: boolean;
  maxLength?: number;
  width?: number | string;
  /** Reports on Enter only. */
  isOnEnter?: boolean;
  /** Keeps Enter from reporting a text that it rejects; the message shows below, with the rejected part selected. */
  errorOf?: (text: string) => SearchError | undefined;
}

export function SearchField({
  value,
  onChange,
  label,
  placeholder = label,
  hasShortcut = false,
  maxLength = 200,
  width = 280,
  isOnEnter = false,
  errorOf,
}: Props) {
  const errorId = useId();
  const [error, setError] = useState<SearchError>();
  const [text, setText] = useState(value);
  const [given, setGiven] = useState(value);
  // The reported text returns through the address; only a change from elsewhere (a removed chip, Back) replaces the input.
  if (value !== given) {
    setGiven(value);
    if (value !== text.trim()) setText(value);
  }
  const input = useRef<HTMLInputElement>(null);
  const report = useRef(onChange);
  useEffect(() => {
    report.current = onChange;
  });
  useEffect(() => {
    if (isOnEnter || text.trim() === given) return;
    const timer = setTimeout(() => report.current(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [text, given, isOnEnter]);
  useShortcuts(
    {
      '/': (event) => {
        event.preventDefault();
        input.current?.focus();
        input.current?.select();
      },
    },
    hasShortcut,
  );
  const clear = () => {
    setText('');
    setError(undefined);
    onChange('');
  };
  const submit = () => {
    const found = errorOf?.(text);
    setError(found);
    if (found) input.current?.setSelectionRange(found.at, found.at + found.length);
    else onChange(text.trim());
  };

  const field = (
    <OutlinedInput
      size="small"
      type="search"
      value={text}
      placeholder={placeholder}
      error={error !== undefined}
      inputRef={input}
      onChange={(event) => {
        setText(event.target.value);
        setError(undefined);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') submit();
        if (event.key === 'Escape') {
          event.stopPropagation();
          if (text) clear();
          else input.current?.blur();
        }
      }}
      startAdornment={<SearchRounded aria-hidden sx={{ fontSize: 18, mr: 0.75, color: 'text.secondary' }} />}
      endAdornment={
        text ? (
          <IconButton size="small" aria-label="Clear the search" onClick={clear} sx={{ p: '4px', mr: -0.75 }}>
            <CloseRounded sx={{ fontSize: 16 }} />
          </IconButton>
        ) : (
          hasShortcut && <Key>/</Key>
        )
      }
      slotProps={{
        input: {
          'aria-label': label,
          maxLength,
          'aria-keyshortcuts': hasShortcut ? '/' : undefined,
          'aria-describedby': error && errorId,
        },
      }}
      sx={{
        width: errorOf ? '100%' : width,
        maxWidth: '100%',
        height: 32,
        fontSize: 14,
        '& input::placeholder': { color: 'text.secondary', opacity: 1 },
        '& input::-webkit-search-cancel-button': { display: 'none' },
      }}
    />
  );
  if (!errorOf) return field;
  return (
    <Box sx={{ width, maxWidth: '100%' }}>
      {field}
      <Box id={errorId} role="alert" sx={{ color: 'error.main', fontSize: 12, lineHeight: '16px', mt: error ? 0.5 : 0 }}>
        {error?.message}
      </Box>
    </Box>
  );
}

/** A key, as drawn on keyboards. */
function Key({ children }: { children: string }) {
  return (
    <kbd
      aria-hidden
      style={{
        font: 'inherit',
        fontSize: 11,
        lineHeight: '16px',
        padding: '0 5px',
        border: '1px solid currentColor',
        borderRadius: 4,
        opacity: 0.7,
      }}
    >
      {children}
    </kbd>
  );
}
