/** First step of a connection or target: its product. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { Modal } from '../../../kit/Modal.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';

const Choices = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: '8px 0 0',
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 220px), 1fr))',
  gap: 8,
  '& button': { width: '100%', minHeight: 48, justifyContent: 'flex-start', textAlign: 'left' },
});
interface KindDialogProps {
  title: string;
  label: string;
  /** Plural noun, as it stands within a sentence. */
  what: string;
  query: {
    data?: { results: readonly { id: string; title: string; isAllowed?: boolean }[] } | undefined;
    error: unknown;
    refetch: () => unknown;
  };
  onChoose: (id: string) => void;
  onClose: () => void;
}

export function KindDialog({ title, label, what, query: { data, error, refetch }, onChoose, onClose }: KindDialogProps) {
  return (
    <Modal title={title} onClose={onClose} maxWidth="md" actions={<Button onClick={onClose}>Cancel</Button>}>
      {data ? (
        <Choices aria-label={label}>
          {data.results.map(({ id, title, isAllowed = true }) => (
            <li key={id} title={isAllowed ? undefined : 'Added by your provider. Contact them.'}>
              <Button variant="outlined" disabled={!isAllowed} onClick={() => onChoose(id)}>
                {title}
              </Button>
            </li>
          ))}
        </Choices>
      ) : error ? (
        <FailedState what={what} error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={2} lineHeight={48} />
      )}
    </Modal>
  );
}
