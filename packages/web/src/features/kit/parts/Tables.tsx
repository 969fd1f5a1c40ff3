/** The list in its states. The first one is interactive: pages, order, selection, side panel, new rows, export. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useMemo, useState } from 'react';
import { DataTable } from '../../../kit/DataTable.tsx';
import { ExportButton } from '../../../kit/ExportButton.tsx';
import { FacetList } from '../../../kit/FacetList.tsx';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { NewRows } from '../../../kit/NewRows.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { SelectionBar } from '../../../kit/SelectionBar.tsx';
import { SeverityIcon, SeverityLabel, severityLabel, severityNames } from '../../../kit/Severity.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import type { Column, DataTableProps } from '../../../kit/table.ts';
import { useRowSelection } from '../../../kit/useRowSelection.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { toast } from '../../../lib/toast.ts';
import { hostile } from './hostile.ts';
import { States } from './States.tsx';

interface Row {
  id: number;
  name: string;
  severity: (typeof severityNames)[number];
  count: number;
}
const total = 100_000;
const rowAt = (id: number): Row => ({
  id,
  name: hostile[id % 40] ?? `Item ${id}`,
  severity: severityNames[id % severityNames.length] ?? 'low',
  count: (id * 37) % 1000,
});
const columns: readonly Column<Row>[] = [
  { id: 'name', header: 'Name', flex: 1, width: 200, isFixed: true, cell: (row) => <VisibleText text={row.name} /> },
  { id: 'severity', header: 'Severity', width: 130, cell: (row) => <SeverityLabel severity={row.severity} /> },
  { id: 'count', header: 'Count', width: 90, align: 'right', sort: 'count', hidePriority: 1, cell: (row) => row.count },
  { id: 'id', header: 'Number', width: 90, align: 'right', isHidden: true, cell: (row) => row.id },
];

const fixed: DataTableProps<Row> = {
  id: 'kit-fixed',
  label: 'Items',
  columns,
  rows: undefined,
  rowId: (row) => row.id,
  card: (row) => <VisibleText text={row.name} />,
  paging: { page: 1, pageSize: 50, total: 3, onChange: () => {} },
  empty: (
    <EmptyState title="No matching items" text="Remove a filter." actions={<Button size="small">Clear all filters</Button>} />
  ),
};
const failure = new Error('Couldn’t reach the portal. Check your connection and try again.');
const some = [rowAt(1), rowAt(2), rowAt(3)];

export function Tables() {
  return (
    <>
      <Working />
      <States
        least={420}
        of={{
          Loading: <DataTable {...fixed} />,
          Empty: <DataTable {...fixed} rows={[]} />,
          Failed: <DataTable {...fixed} error={failure} onRetry={() => {}} />,
          'Refresh failed': <DataTable {...fixed} rows={some} error={failure} onRetry={() => {}} />,
          Refreshing: <DataTable {...fixed} rows={some} isFetching />,
          'Narrow: cards': (
            <div style={{ maxWidth: 360 }}>
              <DataTable {...fixed} rows={some} />
            </div>
          ),
        }}
      />
    </>
  );
}

function Working() {
  const [at, setAt] = useState({ page: 1, pageSize: 100 });
  const [order, setOrder] = useState<'asc' | 'desc'>('desc');
  const [peek, setPreview] = useState<number>();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string[]>(['high']);
  const [newRows, setNewRows] = useState(12);
  const rows = useMemo(
    () => Array.from({ length: at.pageSize }, (_, index) => rowAt((at.page - 1) * at.pageSize + index + 1)),
    [at],
  );
  const selection = useRowSelection({ subject: 'kit', filter: text, rows, rowId: (row) => row.id });
  const peeked = rows.find((row) => row.id === peek);
  const chips = chosen.map((value) => ({
    key: value,
    name: 'Severity',
    value,
    onRemove: () => setChosen(chosen.filter((each) => each !== value)),
  }));
  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5, mb: 3 }}>
      <Box sx={{ width: 220, flex: 'none', display: { xs: 'none', lg: 'block' } }}>
        <FacetList
          title="Severity"
          options={severityNames.map((value, index) => ({
            value,
            count: 10 ** index,
            label: severityLabel[value],
            icon: <SeverityIcon severity={value} />,
          }))}
          selected={chosen}
          onChange={setChosen}
        />
        <FacetList title="Still loading" options={undefined} selected={[]} onChange={() => {}} />
      </Box>
      <DataTable
        {...fixed}
        id="kit"
        rows={rows}
        paging={{ ...at, total, onChange: (page, pageSize) => setAt({ page, pageSize }) }}
        sorting={{ sort: 'count', order, onChange: (_, next) => setOrder(next) }}
        selection={selection}
        detail={{
          preview: peek,
          onPreview: (row) => setPreview(row.id),
          onOpen: (row) => toast.info(`Opened ${row.id}`),
        }}
        isFresh={(row) => row.id === 2}
        toolbar={
          <>
            <SearchField value={text} onChange={setText} label="Search items" hasShortcut width={220} />
            <FilterMenu
              label="Severity"
              none="None"
              options={severityNames.map((value) => ({ value, label: <SeverityLabel severity={value} /> }))}
              chosen={chosen}
              onChange={setChosen}
            />
            <FilterChips chips={chips} onClear={() => setChosen([])} />
          </>
        }
        news={
          <>
            <SelectionBar
              count={selection.rows.length}
              isAll={selection.isAll}
              total={total}
              onAll={selection.chooseAll}
              onClear={selection.clear}
            >
              <Button
                size="small"
                variant="contained"
                sx={{ height: 32 }}
                onClick={() => toast.info(selection.isAll ? 'Applied to the filter' : `Applied to ${selection.rows.length} rows`)}
              >
                Apply
              </Button>
            </SelectionBar>
            <NewRows count={newRows} what="item" onShow={() => setNewRows(0)} />
            <ExportButton
              total={total}
              onExport={async (onProgress, signal) => {
                for (let done = 0; done < total && !signal.aborted; done += 2500) {
                  onProgress(done);
                  await new Promise((resolve) => setTimeout(resolve, 100));
                }
                toast.info(signal.aborted ? 'The export was stopped' : 'Exported');
              }}
            />
          </>
        }
      />
      <SidePanel isOpen={peek !== undefined} title="Preview" onClose={() => setPreview(undefined)}>
        <VisibleText text={peeked?.name ?? 'This row is not on this page.'} />
      </SidePanel>
    </Box>
  );
}
