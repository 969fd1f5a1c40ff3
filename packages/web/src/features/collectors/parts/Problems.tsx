/** Problems of a configuration, each linked to its line. */
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { WarningAmberRounded } from '../../../kit/icons/WarningAmberRounded.tsx';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import type { FixableProblem } from './fixable.ts';

const List = styled('ul')({
  listStyle: 'none',
  margin: '0 0 16px',
  padding: '4px 0',
  maxHeight: 220,
  overflowY: 'auto',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  '& li': { display: 'flex', alignItems: 'flex-start', gap: 8, padding: '4px 14px', fontSize: 13, overflowWrap: 'anywhere' },
  '& svg': { fontSize: 18, flex: 'none', marginTop: 1 },
  '& [data-kind=error] svg': { color: palette.error.main },
  '& [data-kind=warning] svg': { color: palette.warning.main },
  '& .fix': { flex: 'none', font: 'inherit', textAlign: 'left', marginLeft: 'auto' },
  '& .line': { flex: 'none', font: 'inherit', textAlign: 'left', minWidth: 52 },
});

interface Props {
  problems: readonly FixableProblem[];
  onLine: (line: number) => void;
  onFix?: (problem: FixableProblem) => void;
}

export function Problems({ problems, onLine, onFix }: Props) {
  if (problems.length === 0) return null;
  return (
    <List aria-label="Problems" tabIndex={0}>
      {problems.map((problem) => {
        const { line, path, text, isError, fix } = problem;
        return (
          <li key={`${line} ${path} ${text}`} data-kind={isError ? 'error' : 'warning'}>
            {isError ? <ErrorOutlineRounded titleAccess="Error" /> : <WarningAmberRounded titleAccess="Warning" />}
            {line !== null && (
              <Link component="button" type="button" className="line" onClick={() => onLine(line)}>
                Line {line}
              </Link>
            )}
            <span>
              <VisibleText text={text} />
            </span>
            {fix && onFix && (
              <Link component="button" type="button" className="fix" onClick={() => onFix(problem)}>
                {fix.name}
              </Link>
            )}
          </li>
        );
      })}
    </List>
  );
}
