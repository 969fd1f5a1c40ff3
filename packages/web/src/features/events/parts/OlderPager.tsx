/** Pager of cursor-based lists, which have no page numbers. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';

interface Props {
  /** Plural noun of the rows, for example "events". */
  what: string;
  hasNewer: boolean;
  onNewest: () => void;
  onAgain: () => void;
  /** Undefined on the last page. */
  onOlder: (() => void) | undefined;
}

export function OlderPager({ what, hasNewer, onNewest, onAgain, onOlder }: Props) {
  return (
    // Leaves room for floating buttons in the corner of the window.
    <Box sx={{ display: 'flex', justifyContent: 'flex-end', alignItems: 'center', gap: 1, pt: 1, pr: 6 }}>
      <Button size="small" onClick={hasNewer ? onNewest : onAgain}>
        {hasNewer ? 'To the newest' : 'Search again'}
      </Button>
      <Button
        size="small"
        variant="outlined"
        disabled={!onOlder}
        title={onOlder ? undefined : 'No older rows in this timeframe'}
        onClick={onOlder}
      >
        Older {what}
      </Button>
    </Box>
  );
}
