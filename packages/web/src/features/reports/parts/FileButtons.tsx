/** Buttons that download the report as PDF, CSV or XLSX. */
import Button from '@mui/material/Button';
import { reportsApi } from '@parapet/contract/reports.ts';
import { useState } from 'react';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { download } from '../../../lib/download.ts';
import { toast } from '../../../lib/toast.ts';
import type { Which } from '../reports.queries.ts';
import { reportFileName } from '../reportText.ts';

const kinds = { pdf: reportsApi.pdf, csv: reportsApi.csv, xlsx: reportsApi.xlsx } as const;
type Kind = keyof typeof kinds;

export function FileButtons({ which, clientName }: { which: Which; clientName: string }) {
  const [making, setMaking] = useState<Kind>();
  const save = async (kind: Kind) => {
    setMaking(kind);
    try {
      await download(kinds[kind], { params: which }, reportFileName(clientName, which.year, which.month, kind));
      toast.success(`Report downloaded as ${kind.toUpperCase()}`);
    } catch (error) {
      toast.error(`Couldn’t generate the ${kind.toUpperCase()}. ${error instanceof Error ? error.message : ''}`, 'case');
    }
    setMaking(undefined);
  };
  return (Object.keys(kinds) as Kind[]).map((kind) => (
    <Button
      key={kind}
      variant={kind === 'pdf' ? 'contained' : 'outlined'}
      startIcon={<DownloadRounded />}
      loading={making === kind}
      disabled={making !== undefined && making !== kind}
      onClick={() => void save(kind)}
    >
      {kind.toUpperCase()}
    </Button>
  ));
}
