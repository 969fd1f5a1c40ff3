/** One line of a JSON tree: fold mark, key, value. */
import IconButton from '@mui/material/IconButton';
import { type KeyboardEvent, memo, useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { BlockRounded } from './icons/BlockRounded.tsx';
import { ChevronRightRounded } from './icons/ChevronRightRounded.tsx';
import { FilterAltOutlined } from './icons/FilterAltOutlined.tsx';
import { More, Row } from './json.styles.ts';
import { fieldName, type JsonLine, rangesOf } from './json.ts';
import { counted, exact } from './numbers.ts';
import { VisibleText } from './VisibleText.tsx';
import { visibleText } from './visible.ts';

const longValue = 600;

interface Props {
  line: JsonLine;
  isHit: boolean;
  isCurrent: boolean;
  wanted: string;
  isActive: boolean;
  tabIndex: 0 | -1;
  onFocus: () => void;
  onPoint: () => void;
  onFold: () => void;
  onKey: (event: KeyboardEvent) => void;
  copy: () => string;
  /** The value is chosen to look for more like it. */
  onPick?: (isExcluded: boolean) => void;
}

const isSame = (a: Props, b: Props) =>
  a.line === b.line &&
  a.isHit === b.isHit &&
  a.isCurrent === b.isCurrent &&
  a.wanted === b.wanted &&
  a.isActive === b.isActive &&
  a.tabIndex === b.tabIndex &&
  // The handlers close over the folds; a line that stays the same needs the newest ones only where it can be used.
  !a.isActive;

export const JsonRow = memo(function JsonRow(props: Props) {
  const { line, wanted, isActive } = props;
  const isContainer = line.kind === 'object' || line.kind === 'array';
  return (
    <Row
      role="treeitem"
      aria-level={line.depth + 1}
      aria-expanded={line.size > 0 ? line.isOpen : undefined}
      aria-selected={isActive}
      data-path={line.path}
      tabIndex={props.tabIndex}
      className={props.isCurrent ? 'is-current' : undefined}
      style={{ paddingLeft: 4 + Math.min(line.depth, 20) * 16 }}
      onFocus={props.onFocus}
      onMouseEnter={props.onPoint}
      onKeyDown={props.onKey}
      onClick={line.size > 0 ? props.onFold : undefined}
    >
      <span className="mark">
        {line.size > 0 && (
          <ChevronRightRounded aria-hidden sx={{ fontSize: 15, transform: line.isOpen ? 'rotate(90deg)' : 'none' }} />
        )}
      </span>
      <span className="key">
        <VisibleText text={line.name} hits={rangesOf(line.name, wanted)} />
      </span>
      {isContainer ? (
        <span className="hint">{line.kind === 'array' ? counted(line.size, 'item') : counted(line.size, 'field')}</span>
      ) : (
        <Value line={line} wanted={wanted} />
      )}
      {isActive && (
        <span className="copy">
          {props.onPick && !isContainer && (
            <IconButton
              size="small"
              tabIndex={-1}
              aria-label={`Only with this ${visibleText(fieldName(line.path))} (f)`}
              title="Only events with this value (f)"
              onClick={(event) => {
                event.stopPropagation();
                props.onPick?.(false);
              }}
              sx={{ p: '3px' }}
            >
              <FilterAltOutlined sx={{ fontSize: 14 }} />
            </IconButton>
          )}
          {props.onPick && !isContainer && (
            <IconButton
              size="small"
              tabIndex={-1}
              aria-label={`Without this ${visibleText(fieldName(line.path))} (x)`}
              title="Exclude events with this value (x)"
              onClick={(event) => {
                event.stopPropagation();
                props.onPick?.(true);
              }}
              sx={{ p: '3px' }}
            >
              <BlockRounded sx={{ fontSize: 14 }} />
            </IconButton>
          )}
          <CopyButton text={props.copy} label={`Copy ${visibleText(fieldName(line.path))}`} size={13} />
        </span>
      )}
    </Row>
  );
}, isSame);

function Value({ line, wanted }: { line: JsonLine; wanted: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = line.text.length > longValue && !isWhole;
  const text = isCut ? line.text.slice(0, longValue) : line.text;
  return (
    <span className={`value ${line.kind}`}>
      {line.kind === 'string' && line.text === '' ? (
        <span className="hint">empty</span>
      ) : (
        <VisibleText text={text} keepLines hits={rangesOf(text, wanted)} />
      )}
      {isCut && (
        <More
          type="button"
          onClick={(event) => {
            event.stopPropagation();
            setIsWhole(true);
          }}
        >
          … show all {exact(line.text.length)} characters
        </More>
      )}
    </span>
  );
}
