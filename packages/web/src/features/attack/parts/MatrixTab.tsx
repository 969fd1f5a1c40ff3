/** Matrix tab: display options, and the matrix of techniques by tactic. */
import { styled } from '@mui/material/styles';
import type { attackApi } from '@parapet/contract/attack.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { palette } from '../../../kit/palette.ts';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { oneIn, useSearchState } from '../../../lib/address.ts';
import type { Query } from '../../../lib/paths.ts';
import { type Comparison, comparisonLabel, comparisons } from '../attack.queries.ts';
import { columnsOf, type Show, shows, tableOf } from '../matrix.ts';
import { Matrix } from './Matrix.tsx';

const showLabels: Record<Show, string> = { seen: 'With alerts', known: 'With alerts or rules', all: 'All techniques' };
/** Reserved height in px, so that loading moves nothing visible. */
const height = 640;

const Choices = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 20px',
  marginBottom: 12,
  fontSize: 13,
  '& label': { display: 'inline-flex', alignItems: 'center', gap: 8, color: palette.text.secondary },
  '& select': {
    font: 'inherit',
    height: 32,
    padding: '0 8px',
    borderRadius: 6,
    color: palette.text.primary,
    backgroundColor: palette.background.paper,
    border: `1px solid ${palette.divider}`,
  },
  '& input': { width: 16, height: 16, margin: 0, accentColor: palette.primary.main },
});

interface Props {
  matrix: Pick<UseQueryResult<AnswerOf<typeof attackApi.matrix>>, 'data' | 'error' | 'refetch'>;
  comparison: Comparison;
  isCompared: boolean;
  alertsHref: (query: Query) => string;
}

export function MatrixTab({ matrix, comparison, isCompared, alertsHref }: Props) {
  const { search } = useSearchState();
  const show = oneIn(search.show, shows, 'known');
  const hasSubs = search.sub === '1';
  const tactics = matrix.data?.tactics;
  const columns = useMemo(() => tactics && columnsOf(tactics, show, hasSubs), [tactics, show, hasSubs]);
  return (
    <>
      <DisplayOptions show={show} hasSubs={hasSubs} comparison={comparison} />
      <ChartFrame title="Techniques by tactic" height={height} table={columns && tableOf(columns, isCompared)}>
        {columns ? (
          columns.length === 0 ? (
            <EmptyState
              title="No techniques in this timeframe"
              text="Select a longer timeframe, or show techniques with rules."
            />
          ) : (
            <Matrix
              columns={columns}
              isCompared={isCompared}
              hrefOf={({ id, count }) => (count > 0 ? alertsHref({ technique: id }) : undefined)}
            />
          )
        ) : matrix.error ? (
          <FailedState what="the matrix" error={matrix.error} onRetry={() => void matrix.refetch()} />
        ) : (
          <SkeletonBar height={height - 24} />
        )}
      </ChartFrame>
    </>
  );
}

function DisplayOptions({ show, hasSubs, comparison }: { show: Show; hasSubs: boolean; comparison: Comparison }) {
  const { change } = useSearchState();
  const ids = useId();
  return (
    <Choices>
      <label htmlFor={`${ids}-show`}>
        Show
        <select
          id={`${ids}-show`}
          value={show}
          onChange={(event) => change({ show: event.target.value === 'known' ? undefined : event.target.value })}
        >
          {shows.map((each) => (
            <option key={each} value={each}>
              {showLabels[each]}
            </option>
          ))}
        </select>
      </label>
      <label htmlFor={`${ids}-compare`}>
        Compare with
        <select
          id={`${ids}-compare`}
          value={comparison}
          onChange={(event) => change({ compare: event.target.value === 'none' ? undefined : event.target.value })}
        >
          {comparisons.map((each) => (
            <option key={each} value={each}>
              {comparisonLabel(each)}
            </option>
          ))}
        </select>
      </label>
      <label htmlFor={`${ids}-sub`}>
        <input
          id={`${ids}-sub`}
          type="checkbox"
          checked={hasSubs}
          onChange={(event) => change({ sub: event.target.checked ? 1 : undefined })}
        />
        Sub-techniques
      </label>
    </Choices>
  );
}
