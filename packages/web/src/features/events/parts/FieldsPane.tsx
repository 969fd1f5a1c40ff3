/** Fields of the newest matching events with their most frequent values, which narrow the search, exclude, or become columns. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import type { Condition } from '@parapet/contract/rules/kql/edit.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FacetPane } from '../../../kit/FacetPane.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { BlockRounded } from '../../../kit/icons/BlockRounded.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import type { EventSearch } from '../eventSearch.ts';
import { fieldsQuery } from '../events.queries.ts';

const Pane = styled('div')({
  fontSize: 13,
  '& input': {
    width: '100%',
    height: 28,
    padding: '0 8px',
    font: 'inherit',
    color: palette.text.primary,
    background: 'transparent',
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
  },
  '& .hint': { margin: '6px 0', fontSize: 12, color: palette.text.secondary },
  '& details > summary': {
    display: 'flex',
    alignItems: 'baseline',
    gap: 8,
    padding: '3px 0',
    cursor: 'pointer',
    listStyle: 'none',
  },
  '& summary .name': { flex: 1, minWidth: 0, overflowWrap: 'anywhere', fontWeight: 500 },
  '& .count': { color: palette.text.secondary, fontSize: 12, fontVariantNumeric: 'tabular-nums' },
  '& ul': { margin: '0 0 8px', padding: 0, listStyle: 'none' },
  '& li': { display: 'flex', alignItems: 'center', gap: 2, minHeight: 26 },
  '& li .value': { flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
});

const maxShown = 100;

interface Props {
  client: number;
  range: Range;
  search: EventSearch;
  isBeside: boolean;
  columns: readonly string[];
  onClose: () => void;
  onCondition: (condition: Condition) => void;
  onColumn: (field: string) => void;
}

export function FieldsPane({ client, range, search, isBeside, columns, onClose, onCondition, onColumn }: Props) {
  const { data, error, refetch } = useQuery(fieldsQuery(client, range, search));
  const [wanted, setWanted] = useState('');
  const fields = data?.fields.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase())) ?? [];
  return (
    <FacetPane label="Fields" isOpen isBeside={isBeside} onClose={onClose}>
      <Pane>
        <input
          type="search"
          value={wanted}
          placeholder="Find a field…"
          aria-label="Find a field"
          maxLength={100}
          onChange={(event) => setWanted(event.target.value)}
        />
        {error ? (
          <FailedLine what="fields" error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <TextSkeleton lines={8} lineHeight={26} />
        ) : (
          <>
            <p className="hint">
              {data.events === 500 ? `Of the newest ${exact(data.events)} events` : `Of ${counted(data.events, 'event')}`}
            </p>
            {fields.slice(0, maxShown).map((field) => (
              <FieldValues
                key={field.name}
                {...field}
                isColumn={columns.includes(field.name)}
                onCondition={onCondition}
                onColumn={onColumn}
              />
            ))}
            {fields.length > maxShown && <p className="hint">{exact(fields.length - maxShown)} more: find them by name.</p>}
            {fields.length === 0 && data.fields.length > 0 && <p className="hint">No field has this name.</p>}
          </>
        )}
      </Pane>
    </FacetPane>
  );
}

interface FieldProps extends Pick<Props, 'onCondition' | 'onColumn'> {
  name: string;
  count: number;
  values: readonly { value: string; count: number }[];
  isColumn: boolean;
}

function FieldValues({ name, count, values, isColumn, onCondition, onColumn }: FieldProps) {
  const shown = visibleText(name);
  return (
    <details>
      <summary>
        <span className="name">
          <VisibleText text={name} />
        </span>
        <span className="count">{exact(count)}</span>
      </summary>
      <ul>
        {values.map(({ value, count }) => (
          <li key={value}>
            <span className="value" title={value}>
              <VisibleText text={value} />
            </span>
            <span className="count">{exact(count)}</span>
            <IconButton
              size="small"
              aria-label={`Only ${shown}: ${visibleText(value)}`}
              title="Only events with this value"
              onClick={() => onCondition({ field: name, value })}
              sx={{ p: '2px' }}
            >
              <AddRounded sx={{ fontSize: 15 }} />
            </IconButton>
            <IconButton
              size="small"
              aria-label={`Exclude ${shown}: ${visibleText(value)}`}
              title="Exclude events with this value"
              onClick={() => onCondition({ field: name, value, isExcluded: true })}
              sx={{ p: '2px' }}
            >
              <BlockRounded sx={{ fontSize: 14 }} />
            </IconButton>
          </li>
        ))}
        {values.length === 0 && <li className="count">Values are too long to list.</li>}
        <li>
          <Button
            size="small"
            onClick={() => onCondition({ field: name, value: undefined })}
            sx={{ minHeight: 24, fontSize: 12 }}
          >
            Has a value
          </Button>
          <Button size="small" aria-pressed={isColumn} onClick={() => onColumn(name)} sx={{ minHeight: 24, fontSize: 12 }}>
            {isColumn ? 'Remove column' : 'Add column'}
          </Button>
        </li>
      </ul>
    </details>
  );
}
