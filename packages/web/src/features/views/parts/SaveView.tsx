/** Saves the current filters as a view; warns before it replaces a view with the same name. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ViewList } from '@parapet/contract/views.ts';
import { useId, useState } from 'react';
import { palette } from '../../../kit/palette.ts';
import { useScope } from '../../../lib/scope.ts';
import { useCreateView } from '../views.queries.ts';

const Root = styled('form')({
  display: 'grid',
  gap: 8,
  margin: '8px 0 0',
  padding: '12px 14px 14px',
  borderTop: `1px solid ${palette.divider}`,
  '& label.name': { fontSize: 12, fontWeight: 600, color: palette.text.secondary },
  '& input[type=text]': {
    display: 'block',
    width: '100%',
    height: 32,
    marginTop: 4,
    padding: '0 8px',
    font: 'inherit',
    fontSize: 13,
    fontWeight: 400,
    color: palette.text.primary,
    background: 'transparent',
    border: '1px solid var(--control-border, currentColor)',
    borderRadius: 6,
  },
  '& input:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 1 },
  '& .line': { display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: 8 },
  '& .line label': { display: 'flex', alignItems: 'center', gap: 8, minHeight: 24, cursor: 'pointer' },
  '& input[type=checkbox]': { width: 14, height: 14, margin: 0, accentColor: palette.primary.main },
  '& .note': { fontSize: 12, color: palette.text.secondary },
});

interface Props {
  list: ViewList;
  /** Filters and order; undefined when too long to store. */
  query: string | undefined;
  hidden: readonly string[];
  /** Names of the user’s own views. */
  taken: readonly string[];
}

export function SaveView({ list, query, hidden, taken }: Props) {
  const id = useId();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [isSharedBelow, setSharedBelow] = useState(false);
  const { hasSelector } = useScope();
  const create = useCreateView();
  const trimmed = name.trim();
  const note =
    query === undefined
      ? 'These filters are too long to save. Remove some.'
      : taken.some((each) => each.toLowerCase() === trimmed.toLowerCase())
        ? 'Replaces the existing view with this name.'
        : '';
  const save = () => {
    if (trimmed === '' || query === undefined) return;
    create.mutate(
      { list, name: trimmed, query, columns: [...hidden], isShared, isSharedBelow: isShared && isSharedBelow },
      { onSuccess: () => setName('') },
    );
  };
  return (
    <Root
      aria-label="Save view"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        save();
      }}
    >
      <label className="name">
        Save current view as
        <input
          type="text"
          value={name}
          maxLength={200}
          autoComplete="off"
          aria-describedby={`${id}note`}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <span className="note" id={`${id}note`} role="status">
        {note}
      </span>
      {hasSelector && isShared && (
        <span className="line">
          <label>
            <input type="checkbox" checked={isSharedBelow} onChange={(event) => setSharedBelow(event.target.checked)} />
            And with our clients
          </label>
        </span>
      )}
      <span className="line">
        <label>
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} />
          Share within my organisation
        </label>
        <Button
          type="submit"
          size="small"
          variant="contained"
          loading={create.isPending}
          disabled={trimmed === '' || query === undefined}
        >
          Save
        </Button>
      </span>
    </Root>
  );
}
