/** Selected devices, kept while pages are turned and filters change; another client starts anew. */
import type { Device } from '@parapet/contract/devices.ts';
import { useEffect, useMemo, useState } from 'react';
import type { RowId } from '../../kit/DataTable.tsx';

/** The contract's limit for one change of tags. */
export const mostSelected = 1000;
const nobody: ReadonlyMap<string, Device> = new Map();

/** What was chosen on this page beside what is chosen on others. Beyond the limit nothing is added. */
export function selectionOf(
  old: ReadonlyMap<string, Device>,
  chosen: ReadonlySet<RowId>,
  rows: readonly Device[],
): ReadonlyMap<string, Device> {
  const next = new Map([...old].filter(([uuid]) => chosen.has(uuid)));
  for (const row of rows) if (chosen.has(row.uuid) && next.size < mostSelected) next.set(row.uuid, row);
  return next;
}

export function useSelection(client: number, rows: readonly Device[] | undefined) {
  const [selected, setSelected] = useState({ client, devices: nobody });
  const devices = selected.client === client ? selected.devices : nobody;
  useEffect(() => {
    // Rows that were loaded anew bring their tags along.
    if (!rows) return;
    setSelected((old) => {
      const renewed = rows.filter((row) => old.devices.has(row.uuid) && old.devices.get(row.uuid) !== row);
      return renewed.length === 0
        ? old
        : { ...old, devices: new Map([...old.devices, ...renewed.map((row) => [row.uuid, row] as const)]) };
    });
  }, [rows]);
  return {
    ids: useMemo(() => new Set(devices.keys()), [devices]),
    devices: useMemo(() => [...devices.values()], [devices]),
    choose: (chosen: ReadonlySet<RowId>) => setSelected({ client, devices: selectionOf(devices, chosen, rows ?? []) }),
    clear: () => setSelected({ client, devices: nobody }),
  };
}
