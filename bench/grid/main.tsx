/** Baseline of G15: MUI's DataGrid with fifty fetched rows. */
import { DataGrid } from '@mui/x-data-grid';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

interface Row {
  id: number;
  [column: string]: unknown;
}
const columns = ['severity', 'time', 'rule', 'device', 'user', 'client', 'count'].map((field) => ({ field, flex: 1 }));

function Page() {
  const [rows, setRows] = useState<Row[]>([]);
  useEffect(() => {
    void fetch('/rows.json').then(async (answer) => setRows((await answer.json()) as Row[]));
  }, []);
  return (
    <div style={{ height: 800 }}>
      <DataGrid rows={rows} columns={columns} />
    </div>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(<Page />);
