/** Exports a list as a file, with progress and cancel. The page stays usable; the caller reports the result. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import { useEffect, useRef, useState } from 'react';
import { Announced } from './Announced.tsx';
import { DownloadRounded } from './icons/DownloadRounded.tsx';
import { exact } from './numbers.ts';
import { palette } from './palette.ts';

const Running = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 8,
  fontSize: 13,
  color: palette.text.secondary,
  fontVariantNumeric: 'tabular-nums',
  '& > .far': { minWidth: 132, display: 'grid', gap: 2 },
});

interface Props {
  /** Rows that it will have; 0: there is nothing to export. */
  total: number;
  /** Runs the export, reports the number of rows so far, and stops on abort. Reports its own result. */
  onExport: Export;
  /** Other formats: the button then opens a menu of all. */
  others?: readonly { text: string; onExport: Export }[];
}
type Export = (onProgress: (rows: number) => void, signal: AbortSignal) => Promise<void>;

export function ExportButton({ total, onExport, others = [] }: Props) {
  const [rows, setRows] = useState<number>();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const hasMenu = others.length > 0;
  const run = async (chosen: Export) => {
    setAnchor(undefined);
    const own = new AbortController();
    running.current = own;
    setRows(0);
    await chosen((count) => setRows(Math.min(count, total)), own.signal);
    setRows(undefined);
  };
  return (
    <>
      <Announced text={rows === undefined ? '' : 'Exporting…'} />
      {rows === undefined ? (
        <Button
          variant="outlined"
          startIcon={<DownloadRounded />}
          disabled={total === 0}
          title={total === 0 ? 'There is nothing to export' : undefined}
          {...(hasMenu && { 'aria-haspopup': 'menu' as const, 'aria-expanded': anchor !== undefined })}
          onClick={(event) => (hasMenu ? setAnchor(event.currentTarget) : void run(onExport))}
        >
          {hasMenu ? 'Export' : 'Export CSV'}
        </Button>
      ) : (
        <Running>
          <span className="far">
            {exact(rows)} of {exact(total)} rows
            <LinearProgress
              aria-label="Export"
              {...(rows > 0 && total > 0 ? { variant: 'determinate' as const, value: (rows / total) * 100 } : {})}
            />
          </span>
          <Button size="small" onClick={() => running.current?.abort()}>
            Cancel
          </Button>
        </Running>
      )}
      {anchor && (
        <Menu open anchorEl={anchor} onClose={() => setAnchor(undefined)}>
          {[{ text: 'Export CSV', onExport }, ...others].map((each) => (
            <MenuItem key={each.text} onClick={() => void run(each.onExport)}>
              {each.text}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
}
