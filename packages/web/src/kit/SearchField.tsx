/** A search box that reports after a pause in typing, and is reached with `/`. */
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useEffect, useRef, useState } from 'react';
import { CloseRounded } from './icons/CloseRounded.tsx';
import { SearchRounded } from './icons/SearchRounded.tsx';
import { useShortcuts } from './useShortcut.ts';

const pauseMs = 300;

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** Names the field: "Search alerts". */
  label: string;
  /** Focused by `/`; for the main search of a page. */
  hasShortcut?: boolean;
  width?: number | string;
}

export function SearchField({ value, onChange, label, hasShortcut = false, width = 280 }: Props) {
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
    if (text.trim() === given) return;
    const timer = setTimeout(() => report.current(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [text, given]);
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
    onChange('');
  };
  return (
    <OutlinedInput
      size="small"
      type="search"
      value={text}
      placeholder={label}
      inputRef={input}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChange(text.trim());
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
          maxLength: 200,
          'aria-keyshortcuts': hasShortcut ? '/' : undefined,
        },
      }}
      sx={{
        width,
        maxWidth: '100%',
        height: 32,
        fontSize: 14,
        '& input::placeholder': { color: 'text.secondary', opacity: 1 },
        '& input::-webkit-search-cancel-button': { display: 'none' },
      }}
    />
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
