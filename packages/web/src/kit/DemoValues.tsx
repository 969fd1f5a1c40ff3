import Button from '@mui/material/Button';
import { Note } from './Note.tsx';

/** Offers the values of a simulated product. */
export function DemoValues({
  title,
  noun,
  onFill,
}: {
  title: string;
  noun: 'connection' | 'feed' | 'target';
  onFill: () => void;
}) {
  return (
    <Note
      actions={
        <Button size="small" onClick={onFill}>
          Fill in
        </Button>
      }
    >
      This demo simulates {title}: fill in its values to try the {noun}.
    </Note>
  );
}
