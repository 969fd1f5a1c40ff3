/** Techniques that rules look for: how many, which log sources feed them, and the recording that proves them. */
import Button from '@mui/material/Button';
import type { attackApi } from '@parapet/contract/attack.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Count } from '../../../kit/Count.tsx';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { Loaded } from '../../../lib/Loaded.tsx';
import { type CoveredTechnique, techniquesWith, techniquesWithRules } from '../matrix.ts';
import { Note, Rows } from './attack.styles.tsx';

/** Names of log sources or fields in a row; the tooltip has all. */
const shownNames = 3;

interface Props {
  matrix: Pick<UseQueryResult<AnswerOf<typeof attackApi.matrix>>, 'data' | 'error' | 'refetch'>;
  onSave: () => void;
}

export function Techniques({ matrix, onSave }: Props) {
  const { search, change } = useSearchState();
  const text = typeof search.q === 'string' ? search.q : '';
  const all = useMemo(() => (matrix.data ? techniquesWithRules(matrix.data) : []), [matrix.data]);
  const found = techniquesWith(all, text);
  const proved = all.filter(({ provedBy }) => provedBy !== null).length;
  return (
    <Panel
      title="Techniques"
      end={
        <>
          <SearchField value={text} onChange={(q) => change({ q: q || undefined })} label="Search techniques" width={220} />
          <Button size="small" startIcon={<DownloadRounded />} onClick={onSave}>
            Navigator layer: proved
          </Button>
        </>
      }
    >
      <Note>
        Rules look for {exact(all.length)} techniques and sub-techniques; recorded attacks prove {exact(proved)} of them. A
        recording proves a technique when one of its rules raises an alert on it; all are replayed with each version.
      </Note>
      <Loaded query={matrix} what="techniques" lines={18} isEmpty={found.length === 0} empty="No techniques found.">
        <Rows tabIndex={0} role="group" aria-label="Techniques">
          <table>
            <thead>
              <tr>
                <th scope="col">Technique</th>
                <th scope="col">Rules</th>
                <th scope="col">Can match</th>
                <th scope="col" className="words">
                  Log sources
                </th>
                <th scope="col" className="words">
                  Missing fields
                </th>
                <th scope="col" className="words">
                  Proved by
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((cell) => (
                <TechniqueRow key={cell.id} cell={cell} />
              ))}
            </tbody>
          </table>
        </Rows>
      </Loaded>
    </Panel>
  );
}

function TechniqueRow({ cell }: { cell: CoveredTechnique }) {
  return (
    <tr>
      <th scope="row">
        {cell.id} {cell.name}
      </th>
      <td>
        <Count value={cell.rules} />
      </td>
      <td>
        <Count value={cell.liveRules} />
      </td>
      <td className="words" title={cell.sources.join(', ')}>
        <VisibleText text={firstOf(cell.sources)} />
      </td>
      <td className="words" title={cell.missing.join(', ')}>
        {cell.missing.length > 0 ? <VisibleText text={firstOf(cell.missing)} /> : '–'}
      </td>
      <td className="words">
        {cell.provedBy === null ? (
          '–'
        ) : (
          <>
            <VisibleText text={cell.provedBy} />
            {cell.recordings > 1 && ` and ${exact(cell.recordings - 1)} more`}
          </>
        )}
      </td>
    </tr>
  );
}

const firstOf = (names: readonly string[]): string =>
  names.slice(0, shownNames).join(', ') + (names.length > shownNames ? ` and ${exact(names.length - shownNames)} more` : '');
