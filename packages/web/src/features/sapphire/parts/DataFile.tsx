/** CSV file of an answer with preview and download. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { bytesText } from '../../../kit/bytes.ts';
import { DescriptionOutlined } from '../../../kit/icons/DescriptionOutlined.tsx';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { counted } from '../../../kit/numbers.ts';
import { saveFile } from '../../../kit/saveFile.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { firstRows, rowCount } from '../csv.ts';
import { AnswerTable } from './AnswerTable.tsx';
import { Small } from './sapphire.styles.tsx';

const previewed = 20;
const tight = { minWidth: 0, mx: -0.5, px: 0.75 } as const;

export function DataFile({ name, csv }: { name: string; csv?: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const file = (
    <>
      <DescriptionOutlined aria-hidden sx={{ fontSize: 16 }} />
      <strong style={{ overflowWrap: 'anywhere' }}>
        <VisibleText text={name} />
      </strong>
    </>
  );
  if (csv === undefined)
    return (
      <Small>
        {file} <span>is no longer stored. Ask again to get it.</span>
      </Small>
    );
  const [columns = [], ...rows] = firstRows(csv, previewed + 1);
  return (
    <>
      <Small>
        {file}
        <span>
          {counted(rowCount(csv), 'row')}, {bytesText(new Blob([csv]).size)}
        </span>
        {rows.length > 0 && (
          <Button
            size="small"
            aria-expanded={isOpen}
            sx={tight}
            aria-label={`Preview ${visibleText(name)}`}
            onClick={() => setOpen(!isOpen)}
          >
            Preview
          </Button>
        )}
        <Button
          size="small"
          startIcon={<DownloadRounded />}
          sx={tight}
          aria-label={`Download ${visibleText(name)}`}
          onClick={() => saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), fileName(name))}
        >
          Download
        </Button>
      </Small>
      {isOpen && (
        <AnswerTable label={`First rows of ${visibleText(name)}`} columns={columns} rows={rows.map((cells) => ({ cells }))} />
      )}
    </>
  );
}

/** File name that is valid on all operating systems. */
export const fileName = (name: string): string =>
  `${
    name
      .replace(/\.csv$/i, '')
      .replace(/[^\p{L}\p{N} ._-]+/gu, '-')
      .replace(/^[ .-]+|[ .-]+$/g, '')
      .slice(0, 80) || 'answer'
  }.csv`;
