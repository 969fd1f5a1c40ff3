/**
 * Viewer of untrusted code (a rule, a command, a configuration) with line numbers, search and copy. Hidden characters are made
 * visible; the number of rendered lines is bounded.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { drawnLines, findLines } from './code.ts';
import { FindBar } from './FindBar.tsx';
import { Sheet } from './json.styles.ts';
import { rangesOf } from './json.ts';
import { counted, exact } from './numbers.ts';
import { palette } from './palette.ts';
import { monoFamily } from './plain.styles.ts';
import { VisibleText } from './VisibleText.tsx';

const batch = 500;

const Lines = styled('ol')({
  margin: 0,
  padding: '8px 0',
  overflow: 'auto',
  listStyle: 'none',
  fontFamily: monoFamily,
  fontVariantLigatures: 'none',
  fontSize: 12.5,
  lineHeight: '20px',
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& li': { display: 'flex', minWidth: 'max-content' },
  '& .number': {
    flex: 'none',
    width: 52,
    paddingRight: 12,
    textAlign: 'right',
    userSelect: 'none',
    color: palette.text.secondary,
    fontVariantNumeric: 'tabular-nums',
  },
  '& code': { font: 'inherit', whiteSpace: 'pre', paddingRight: 16, tabSize: 2 },
  '& li.is-current': { backgroundColor: palette.action.selected },
});

interface Props {
  text: string;
  /** Names it: "Rule". */
  label: string;
  maxHeight?: number;
}

export function CodeViewer({ text, label, maxHeight = 420 }: Props) {
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const [limit, setLimit] = useState(batch);
  const place = useRef<HTMLOListElement>(null);
  const lines = useMemo(() => text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n'), [text]);
  const hits = useMemo(() => findLines(lines, wanted), [lines, wanted]);
  const current = hits[Math.min(at, hits.length - 1)];
  const { from, to } = drawnLines(lines.length, limit, current);

  useEffect(() => {
    if (current === undefined || !place.current) return;
    const line = place.current.children[current - from];
    if (!(line instanceof HTMLElement)) return;
    const top = line.offsetTop - place.current.offsetTop;
    const { scrollTop, clientHeight } = place.current;
    if (top < scrollTop || top > scrollTop + clientHeight - 40) place.current.scrollTop = top - 40;
  }, [current, from]);

  return (
    <Sheet>
      <FindBar
        label={label}
        placeholder="Find…"
        wanted={wanted}
        onWanted={setWanted}
        hits={hits.length}
        at={Math.min(at, hits.length - 1)}
        onAt={setAt}
        found={`${exact(Math.min(at, hits.length - 1) + 1)} of ${counted(hits.length, 'line')}`}
      >
        <span className="size">{counted(lines.length, 'line')}</span>
        <CopyButton text={text} label={`Copy ${label}`} />
      </FindBar>
      {from > 0 && (
        <Button size="small" onClick={() => setLimit(limit + batch)} sx={{ m: 1 }}>
          Show more above
        </Button>
      )}
      <Lines ref={place} aria-label={label} tabIndex={0} style={{ maxHeight }}>
        {lines.slice(from, to).map((line, index) => {
          const number = from + index;
          return (
            <li key={number} className={number === current ? 'is-current' : undefined}>
              <span className="number" aria-hidden>
                {number + 1}
              </span>
              <code>
                <VisibleText text={line === '' ? ' ' : line} keepLines hits={rangesOf(line, wanted)} />
              </code>
            </li>
          );
        })}
      </Lines>
      {to < lines.length && (
        <Button size="small" onClick={() => setLimit(limit + batch)} sx={{ m: 1 }}>
          Show {exact(Math.min(batch, lines.length - to))} more of {counted(lines.length, 'line')}
        </Button>
      )}
    </Sheet>
  );
}
