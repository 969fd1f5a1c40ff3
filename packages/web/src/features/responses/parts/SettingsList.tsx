/** List of a client’s settings with a confirmed Remove action for permitted users. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { palette } from '../../../kit/palette.ts';

export const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });
const List = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  '& > li': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '4px 12px',
    minHeight: 44,
    padding: '8px 0',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& > li:first-of-type': { borderTop: 0 },
  '& .text': { flex: '1 1 260px', minWidth: 0, overflowWrap: 'anywhere' },
  '& .meta': { fontSize: 12, lineHeight: '18px', color: palette.text.secondary },
});

export interface Entry {
  id: number;
  /** Used in the confirmation and the button’s accessible name. */
  name: string;
  text: ReactNode;
}

interface Props {
  label: string;
  entries: readonly Entry[];
  /** Undefined without permission. */
  onRemove: ((id: number, settled: () => void) => void) | undefined;
  isBusy: boolean;
  /** Confirmation title, and effect after the entry’s name. */
  question: { title: string; text: string };
}

export function SettingsList({ label, entries, onRemove, isBusy, question }: Props) {
  const [removing, setRemoving] = useState<Entry>();
  const close = () => setRemoving(undefined);
  return (
    <>
      <List aria-label={label}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <div className="text">{entry.text}</div>
            {onRemove && (
              <Button size="small" aria-label={`Remove ${entry.name}`} onClick={() => setRemoving(entry)}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </List>
      <ConfirmDialog
        isOpen={removing !== undefined}
        title={question.title}
        isBusy={isBusy}
        onNo={close}
        onYes={() => removing && onRemove?.(removing.id, close)}
      >
        “{removing?.name}”: {question.text}
      </ConfirmDialog>
    </>
  );
}
