/**
 * The frame around every chart: its title, the same figures as a table one press away, and both to take along: the picture as PNG, the
 * figures as CSV. The chart inside is one SVG drawing.
 */
import IconButton from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import ToggleButton from '@mui/material/ToggleButton';
import { type ReactNode, useRef, useState } from 'react';
import { type ChartTable, csvOf, fileNameOf } from './chartTable.ts';
import { DownloadRounded } from './icons/DownloadRounded.tsx';
import { TableRowsRounded } from './icons/TableRowsRounded.tsx';
import { exact } from './numbers.ts';
import { Panel } from './Panel.tsx';
import { palette } from './palette.ts';
import { saveFile } from './saveFile.ts';

const Inside = styled('div')({ padding: '4px 16px 12px' });
const Scroll = styled('div')({
  overflow: 'auto',
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2 },
  '& table': { width: '100%', borderCollapse: 'collapse', fontSize: 12, fontVariantNumeric: 'tabular-nums' },
  '& th': { fontWeight: 600, textAlign: 'right', color: palette.text.secondary },
  '& th:first-of-type': { textAlign: 'left' },
  '& td': { textAlign: 'right' },
  '& th, & td': { padding: '4px 8px', borderBottom: `1px solid ${palette.divider}` },
});

interface Props {
  title: string;
  /** undefined while there are no figures: then there is nothing to switch or to save. */
  table: ChartTable | undefined;
  /** px that the inside has at least, so that nothing moves when the chart comes. */
  height: number;
  /** More at the right of the title. */
  end?: ReactNode;
  children: ReactNode;
}

export function ChartFrame({ title, table, height, end, children }: Props) {
  const inside = useRef<HTMLDivElement>(null);
  const [asTable, setAsTable] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [fault, setFault] = useState('');
  const showsTable = asTable && table !== undefined;

  const savePicture = async () => {
    setAnchor(null);
    const svg = inside.current?.querySelector<SVGSVGElement>('svg[data-chart]');
    if (!svg) return;
    setFault('');
    try {
      const { pictureOf } = await import('./chartPicture.ts');
      const legend = [...(inside.current?.querySelectorAll<HTMLElement>('[data-legend]') ?? [])];
      const picture = await pictureOf(
        svg,
        title,
        legend.map((entry) => ({ name: entry.textContent ?? '', color: entry.dataset.legend ?? '' })),
      );
      saveFile(picture, fileNameOf(title, 'png'));
    } catch {
      setFault('This browser could not make the picture. The figures can be saved as CSV.');
    }
  };

  return (
    <Panel
      title={title}
      end={
        <>
          {end}
          {table && (
            <>
              <ToggleButton
                value="table"
                size="small"
                selected={asTable}
                onChange={() => setAsTable(!asTable)}
                aria-label={`${title} as a table`}
                title="As a table"
                sx={{ p: '4px', border: 0 }}
              >
                <TableRowsRounded sx={{ fontSize: 16 }} />
              </ToggleButton>
              <IconButton
                size="small"
                aria-label={`Save ${title}`}
                title="Save"
                aria-haspopup="menu"
                aria-expanded={anchor !== null}
                onClick={(event) => setAnchor(event.currentTarget)}
                sx={{ p: '4px' }}
              >
                <DownloadRounded sx={{ fontSize: 16 }} />
              </IconButton>
              <Menu
                anchorEl={anchor}
                open={anchor !== null}
                onClose={() => setAnchor(null)}
                slotProps={{ list: { dense: true, 'aria-label': `Save ${title}` } }}
              >
                <MenuItem disabled={asTable} onClick={() => void savePicture()}>
                  Picture (PNG)
                </MenuItem>
                <MenuItem
                  onClick={() => {
                    setAnchor(null);
                    saveFile(new Blob([csvOf(table)], { type: 'text/csv;charset=utf-8' }), fileNameOf(title, 'csv'));
                  }}
                >
                  Figures (CSV)
                </MenuItem>
              </Menu>
            </>
          )}
        </>
      }
    >
      <Inside ref={inside} style={{ minHeight: height }}>
        {fault && <p role="alert">{fault}</p>}
        {showsTable ? <Figures title={title} table={table} maxHeight={height - 16} /> : children}
      </Inside>
    </Panel>
  );
}

function Figures({ title, table, maxHeight }: { title: string; table: ChartTable; maxHeight: number }) {
  return (
    <Scroll style={{ maxHeight }} tabIndex={0} role="group" aria-label={title}>
      <table>
        <thead>
          <tr>
            {table.head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(([name, ...values], row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a chart may bear the same name.
            <tr key={row}>
              <th scope="row">{name}</th>
              {values.map((value, index) => (
                <td key={table.head[index + 1]}>{typeof value === 'number' ? exact(value) : value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
