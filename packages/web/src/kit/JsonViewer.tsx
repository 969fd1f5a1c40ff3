/**
 * Untrusted event as a collapsible, searchable tree; copies the whole or single fields. Hidden characters are made visible, long
 * values are truncated, and the number of rendered lines is bounded.
 */
import Button from '@mui/material/Button';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Announced } from './Announced.tsx';
import { CopyButton, copyText } from './CopyButton.tsx';
import { FindBar } from './FindBar.tsx';
import { JsonRow } from './JsonRow.tsx';
import { Sheet, Tree } from './json.styles.ts';
import { fieldName, type JsonLine, linesOf, openDepth, search, valueAt } from './json.ts';
import { counted, exact } from './numbers.ts';

const batch = 300;
const manyLines = 150;

interface Props {
  document: unknown;
  /** Names it: "Event 7f3a…". */
  label: string;
  maxHeight?: number | string;
  /** A value was chosen (its button, or the key f): to look for more like it; or excluded (x). */
  onPick?: (path: string, value: unknown, isExcluded: boolean) => void;
}

const isLeaf = ({ kind }: JsonLine) => kind !== 'object' && kind !== 'array';
const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));

export function JsonViewer({ document: json, label, maxHeight = 520, onPick }: Props) {
  const { found, lines, fieldCount, fold, foldAll, wanted, setWanted } = useFoldedLines(json);
  const [hit, setHit] = useState(0);
  const [limit, setLimit] = useState(batch);
  const [above, setAbove] = useState(0);
  const [active, setActive] = useState<string>();
  const [announcement, announce] = useState('');
  const tree = useRef<HTMLDivElement>(null);

  const isOpen = lines.some((line) => line.isOpen);
  const current = found.hits[hit];
  const { from, shown } = windowOf(lines, current, limit, above);
  const hits = useMemo(() => new Set(found.hits), [found]);
  const tabStop = shown.some((line) => line.path === active) ? active : shown[0]?.path;

  useEffect(() => {
    const row = current === undefined ? undefined : rowOf(tree.current, current);
    if (row && tree.current) intoSight(tree.current, row);
  }, [current]);

  const go = (path: string | undefined) => {
    if (path === undefined) return;
    setActive(path);
    rowOf(tree.current, path)?.focus();
  };

  const actionsOf = (line: JsonLine, index: number): Record<string, (() => void) | false | undefined> => {
    const parent = line.path.slice(0, line.path.lastIndexOf('/'));
    const pick = (isExcluded: boolean) =>
      isLeaf(line) && onPick && (() => onPick(line.path, valueAt(json, line.path), isExcluded));
    return {
      ArrowDown: () => go(shown[index + 1]?.path),
      ArrowUp: () => go(shown[index - 1]?.path),
      Home: () => go(shown[0]?.path),
      End: () => go(shown.at(-1)?.path),
      ArrowRight: () =>
        line.size > 0 && !line.isOpen ? fold(line, false) : go(line.isOpen ? shown[index + 1]?.path : undefined),
      ArrowLeft: () => (line.isOpen ? fold(line, true) : go(parent || undefined)),
      Enter: line.size > 0 ? () => fold(line, line.isOpen) : undefined,
      f: pick(false),
      x: pick(true),
      c: () =>
        void copyText(asText(valueAt(json, line.path))).then((done) => announce(done ? `Copied ${fieldName(line.path)}` : '')),
    };
  };
  const onKey = (event: KeyboardEvent, line: JsonLine, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actionsOf(line, index)[event.key];
    if (!action || event.target !== event.currentTarget) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  return (
    <Sheet>
      <FindBar
        label={label}
        placeholder="Find a field or value…"
        wanted={wanted}
        onWanted={setWanted}
        hits={found.hits.length}
        at={hit}
        onAt={setHit}
        found={`${exact(Math.min(hit + 1, found.hits.length))} of ${exact(found.hits.length)}`}
      >
        <span className="size">{counted(fieldCount, 'field')}</span>
        <Button size="small" color="inherit" onClick={() => foldAll(isOpen)}>
          {isOpen ? 'Fold' : 'Unfold'}
        </Button>
        <CopyButton text={() => asText(json)} label={`Copy ${label} as JSON`} />
      </FindBar>
      {from > 0 && (
        <Button size="small" onClick={() => setAbove(above + batch)} sx={{ m: 1 }}>
          Show {exact(Math.min(batch, from))} more above
        </Button>
      )}
      <Tree ref={tree} role="tree" aria-label={label} style={{ maxHeight }}>
        {shown.map((line, index) => (
          <JsonRow
            key={line.path}
            line={line}
            isHit={hits.has(line.path)}
            isCurrent={line.path === current}
            wanted={hits.has(line.path) ? wanted : ''}
            isActive={line.path === active}
            tabIndex={line.path === tabStop ? 0 : -1}
            onFocus={() => setActive(line.path)}
            onPoint={() => setActive(line.path)}
            onFold={() => fold(line, line.isOpen)}
            onKey={(event) => onKey(event, line, index)}
            copy={() => asText(valueAt(json, line.path))}
            {...(onPick && { onPick: (isExcluded: boolean) => onPick(line.path, valueAt(json, line.path), isExcluded) })}
          />
        ))}
      </Tree>
      {lines.length > from + shown.length && (
        <Button size="small" onClick={() => setLimit(limit + batch)} sx={{ m: 1 }}>
          Show {exact(Math.min(batch, lines.length - from - shown.length))} more of {exact(lines.length)} lines
        </Button>
      )}
      <Announced text={announcement} />
    </Sheet>
  );
}

/** The drawn lines: the first ones, or those around a hit far down. */
function windowOf(lines: readonly JsonLine[], current: string | undefined, limit: number, above: number) {
  const hit = current === undefined ? -1 : lines.findIndex((line) => line.path === current);
  const from = hit < limit ? 0 : Math.max(0, hit - 50 - above);
  return { from, shown: lines.slice(from, (hit < limit ? 0 : hit) + limit) };
}

/** Lines of the document, by what is folded and searched. */
function useFoldedLines(json: unknown) {
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [wanted, setWanted] = useState('');
  const all = useMemo(() => linesOf(json, () => false), [json]);
  const closedFrom = useMemo(() => openDepth(json, manyLines), [json]);
  const found = useMemo(() => search(json, wanted), [json, wanted]);
  const lines = useMemo(
    () => linesOf(json, (path, depth) => !found.open.has(path) && (folds.get(path) ?? depth >= closedFrom)),
    [json, folds, found, closedFrom],
  );
  const fold = (line: JsonLine, isClosed: boolean) => setFolds(new Map(folds).set(line.path, isClosed));
  const foldAll = (isClosed: boolean) =>
    setFolds(new Map(all.filter((line) => line.size > 0).map((line) => [line.path, isClosed])));
  return { found, lines, fieldCount: all.length, fold, foldAll, wanted, setWanted };
}

/** Scrolls the tree only: the page stays where its reader is. */
function intoSight(tree: HTMLElement, row: HTMLElement): void {
  const [outer, inner] = [tree.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) tree.scrollTop += inner.top - outer.top - 40;
}

/** Found by walking, not by a selector: a path is untrusted text. */
function rowOf(tree: HTMLElement | null, path: string): HTMLElement | undefined {
  return [...(tree?.children ?? [])].find((row): row is HTMLElement => row instanceof HTMLElement && row.dataset.path === path);
}
