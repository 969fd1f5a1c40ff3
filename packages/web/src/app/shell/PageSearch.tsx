/**
 * Searches pages by name, and alerts, devices, users, rules and organisations by name or number (spec §2.2). Arrow keys move, Enter opens,
 * Shift Enter stars a page.
 */
import Dialog from '@mui/material/Dialog';
import InputBase from '@mui/material/InputBase';
import { styled } from '@mui/material/styles';
import { type Found, searchApi } from '@parapet/contract/search.ts';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Announced, Hidden } from '../../kit/Announced.tsx';
import { NorthWestRounded } from '../../kit/icons/NorthWestRounded.tsx';
import { SearchRounded } from '../../kit/icons/SearchRounded.tsx';
import { StarOutlineRounded } from '../../kit/icons/StarOutlineRounded.tsx';
import { StarRounded } from '../../kit/icons/StarRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { useCompleteAddress, useGo } from '../../lib/address.ts';
import { call } from '../../lib/call.ts';
import { useScope } from '../../lib/scope.ts';
import { settingsStore, useShortcutIds } from '../../lib/settingsStore.ts';
import { maxShortcuts, withStar } from '../../lib/shortcuts.ts';
import { toast } from '../../lib/toast.ts';
import { usePaused } from '../../lib/usePaused.ts';
import { addressOfFound, kindTitle } from './found.ts';
import { matchingPages, type Page } from './navigation.ts';
import { PageIcon } from './pageIcons.tsx';
import { noResultsText, searchText } from './searchText.ts';
import { usePages } from './usePages.ts';

const pauseMs = 200;
const maxLetters = 200;

const Field = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  padding: '10px 16px',
  borderBottom: `1px solid ${palette.divider}`,
  '& > svg': { fontSize: 20, color: palette.text.secondary },
  '&:focus-within': { boxShadow: `inset 0 -2px 0 ${palette.primary.main}` },
});
const List = styled('div')({
  margin: 0,
  padding: 8,
  overflowY: 'auto',
  maxHeight: 'min(56vh, 480px)',
  '& .kind': { padding: '8px 10px 4px', fontSize: 12, fontWeight: 600, color: palette.text.secondary },
  '& [role=option]': {
    display: 'flex',
    alignItems: 'center',
    gap: 12,
    minHeight: 44,
    padding: '4px 10px',
    borderRadius: 8,
    cursor: 'pointer',
    '& > svg': { flex: 'none', fontSize: 20, color: palette.text.secondary },
    '&[aria-selected=true]': {
      backgroundColor: palette.action.selected,
      outline: `2px solid ${palette.primary.main}`,
      outlineOffset: -2,
    },
  },
  '& .words': { flex: 1, minWidth: 0 },
  '& .words > *': { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .detail': { fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& .star': {
    display: 'grid',
    placeItems: 'center',
    width: 32,
    height: 32,
    flex: 'none',
    borderRadius: 8,
    color: palette.text.secondary,
  },
  '& .star:hover': { backgroundColor: palette.action.hover },
  '& .star[data-on=true]': { color: palette.primary.main },
});
const Hint = styled('p')({
  margin: 0,
  padding: '8px 18px',
  fontSize: 12,
  lineHeight: '16px',
  color: palette.text.secondary,
  borderTop: `1px solid ${palette.divider}`,
});

interface Choice {
  key: string;
  kind: string;
  title: string;
  detail: string;
  address: string;
  page?: Page;
}

export function PageSearch({ onClose }: { onClose: () => void }) {
  const complete = useCompleteAddress();
  const go = useGo();
  const pages = usePages();
  const shortcuts = useShortcutIds();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [announcement, announce] = useState('');
  const list = useRef<HTMLDivElement>(null);

  const { choices, isWaiting, error } = useChoices(text, pages);
  const active = choices[Math.min(at, choices.length - 1)];

  useEffect(() => {
    if (active) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const open = (choice: Choice, isNewTab = false) => {
    onClose();
    if (choice.page?.isExternal || isNewTab) window.open(complete(choice.address), '_blank', 'noreferrer');
    else go(choice.address);
  };
  const star = (page: Page) => {
    const known = pages.map(({ id }) => id);
    const next = withStar(shortcuts, page.id, known);
    if (!next) return toast.warning(`There are at most ${maxShortcuts} shortcuts.`);
    settingsStore.changeShortcuts(next);
    announce(next.includes(page.id) ? `${page.title} added to shortcuts` : `${page.title} removed from shortcuts`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const next = nextIndex(event.key, Math.min(at, choices.length - 1), choices.length);
    if (next !== undefined) {
      event.preventDefault();
      return setAt(next);
    }
    if (event.key !== 'Enter' || !active) return;
    event.preventDefault();
    if (event.shiftKey) return active.page && star(active.page);
    open(active, event.ctrlKey || event.metaKey);
  };

  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      aria-labelledby="page-search-title"
      slotProps={{
        container: { sx: { alignItems: 'flex-start' } },
        paper: { sx: { mt: '8vh', mx: 2, width: 'calc(100% - 32px)' } },
      }}
    >
      <Hidden as="h2" id="page-search-title">
        {searchText}
      </Hidden>
      <Field>
        <SearchRounded aria-hidden />
        <InputBase
          autoFocus
          fullWidth
          value={text}
          placeholder={searchText}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          inputProps={{
            role: 'combobox',
            'aria-label': searchText,
            'aria-expanded': true,
            'aria-controls': 'page-search-list',
            'aria-autocomplete': 'list',
            'aria-activedescendant': active ? `found-${active.key}` : undefined,
            maxLength: maxLetters,
            autoComplete: 'off',
            spellCheck: false,
          }}
          sx={{ fontSize: 16 }}
        />
      </Field>
      <List ref={list} id="page-search-list" role="listbox" aria-label="Found">
        {choices.map((choice, index) => (
          <div key={choice.key} role="presentation">
            {choices[index - 1]?.kind !== choice.kind && (
              <div className="kind" role="presentation">
                {choice.kind}
              </div>
            )}
            <Option
              choice={choice}
              isActive={choice === active}
              onPoint={() => setAt(index)}
              onOpen={(isNewTab) => open(choice, isNewTab)}
              star={choice.page && <Star page={choice.page} isOn={shortcuts.includes(choice.page.id)} onStar={star} />}
            />
          </div>
        ))}
      </List>
      {choices.length === 0 && <Hint role="status">{isWaiting ? 'Searching…' : noResultsText}</Hint>}
      {error && (
        <Hint role="alert">Alerts, data sources, users, rules and organisations could not be searched: {error.message}</Hint>
      )}
      <Hint>↑ ↓ move · Enter opens · Shift Enter stars a page · Esc closes</Hint>
      <Announced text={announcement || (choices.length > 0 && !isWaiting && text ? `${choices.length} found` : '')} />
    </Dialog>
  );
}

/** Index that a key moves to; arrows wrap around. */
function nextIndex(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'PageDown') return Math.min(at + 8, count - 1);
  return key === 'PageUp' ? Math.max(at - 8, 0) : undefined;
}

/** Pages and found things for the text; things are searched once typing pauses. */
function useChoices(text: string, pages: readonly Page[]) {
  const { may, client } = useScope();
  const searched = usePaused(text.trim(), pauseMs);
  const found = useQuery({
    queryKey: [searchApi.find.id, { query: { text: searched } }],
    queryFn: ({ signal }) => call(searchApi.find, { query: { text: searched } }, { signal }),
    enabled: searched !== '' && may('search:use'),
    placeholderData: (previous) => (searched === '' ? undefined : previous),
    staleTime: 10_000,
    retry: false,
  });

  const choices = useMemo<Choice[]>(() => {
    const things = text.trim() === '' ? [] : (found.data?.results ?? []);
    return [
      ...matchingPages(pages, text).map((page) => ({
        key: `page-${page.id}`,
        kind: 'Pages',
        title: page.title,
        detail: page.detail,
        address: page.address,
        page,
      })),
      ...(Object.keys(kindTitle) as Found['kind'][]).flatMap((kind) =>
        things.flatMap((thing) => {
          const address = thing.kind === kind ? addressOfFound(thing, may, client) : undefined;
          if (!address) return [];
          return [{ key: `${kind}-${thing.id}`, kind: kindTitle[kind], title: thing.title, detail: thing.detail, address }];
        }),
      ),
    ];
  }, [pages, text, found.data, may, client]);
  const isWaiting = text.trim() !== '' && (text.trim() !== searched || found.isFetching);
  return { choices, isWaiting, error: text.trim() === '' ? null : found.error };
}

interface OptionProps {
  choice: Choice;
  isActive: boolean;
  onPoint: () => void;
  onOpen: (isNewTab: boolean) => void;
  star: ReactNode;
}

function Option({ choice, isActive, onPoint, onOpen, star }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and names the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
    <div
      id={`found-${choice.key}`}
      role="option"
      aria-selected={isActive}
      onMouseMove={onPoint}
      onClick={(event) => onOpen(event.ctrlKey || event.metaKey)}
    >
      {choice.page ? <PageIcon id={choice.page.id} /> : <NorthWestRounded aria-hidden />}
      <span className="words">
        <span>
          <VisibleText text={choice.title} />
        </span>
        <span className="detail">
          <VisibleText text={choice.detail} />
        </span>
      </span>
      {star}
    </div>
  );
}

/** Pointer only; the keyboard has Shift Enter. */
function Star({ page, isOn, onStar }: { page: Page; isOn: boolean; onStar: (page: Page) => void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: an option holds no further control; the keyboard stars with Shift Enter.
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above.
    <span
      className="star"
      data-on={isOn}
      title={isOn ? `Remove the star of ${page.title}` : `Star ${page.title}`}
      onClick={(event) => {
        event.stopPropagation();
        onStar(page);
      }}
    >
      {isOn ? <StarRounded titleAccess="starred" fontSize="small" /> : <StarOutlineRounded aria-hidden fontSize="small" />}
    </span>
  );
}
