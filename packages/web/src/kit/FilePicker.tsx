/** File input by dialog or drop. Rejects other types and too large files before the upload. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ReactNode, useId, useRef, useState } from 'react';
import { bytesText } from './bytes.ts';
import { faultOfFile } from './files.ts';
import { palette } from './palette.ts';
import { VisibleText } from './VisibleText.tsx';

const Place = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 16px',
  padding: 12,
  border: `1px dashed ${palette.divider}`,
  borderRadius: 8,
  '&[data-over=true]': { borderColor: palette.primary.main, backgroundColor: palette.action.hover },
  '& .muted': { fontSize: 12, color: palette.text.secondary },
  '& .fault': { fontSize: 13, color: palette.error.main, flex: '1 1 100%' },
});

interface Props {
  /** The button, where it is not "Select file". */
  label?: string;
  /** The selected file, whose name and size stand before the button. */
  file?: File | undefined;
  types: readonly string[];
  maxBytes: number;
  onFile: (file: File) => void;
  /** Other content before the button: the current picture. */
  children?: ReactNode;
  actions?: ReactNode;
  /** Reason why the input is disabled. */
  refusal?: string | undefined;
  isBusy?: boolean;
}

export function FilePicker({
  file,
  label = file ? 'Select another file' : 'Select file',
  types,
  maxBytes,
  onFile,
  children,
  actions,
  refusal,
  isBusy = false,
}: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<string>();
  const take = (file: File | undefined) => {
    if (!file || refusal) return;
    const found = faultOfFile(file, types, maxBytes);
    setFault(found);
    if (!found) onFile(file);
  };
  return (
    <Place
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!refusal);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files[0]);
      }}
    >
      {children}
      {file && (
        <span style={{ overflowWrap: 'anywhere' }}>
          <VisibleText text={file.name} />, {bytesText(file.size)}
        </span>
      )}
      {/* Reached by its button; a file box of the browser's own looks like no other control. */}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={types.join(',')}
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <Button
        size="small"
        variant="outlined"
        onClick={() => input.current?.click()}
        disabled={refusal !== undefined}
        loading={isBusy}
        aria-describedby={`${id}hint`}
      >
        {label}
      </Button>
      {actions}
      <span id={`${id}hint`} className="muted">
        {refusal ?? 'Or drop a file here.'}
      </span>
      {fault && (
        <span role="alert" className="fault">
          {fault}
        </span>
      )}
    </Place>
  );
}
