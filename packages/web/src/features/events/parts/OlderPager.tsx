/** Lists whose rows are read on from the last one that was seen: there are no numbers of pages. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';

interface Props {
  /** "events". */
  what: string;
  hasNewer: boolean;
  onNewest: () => void;
  onAgain: () => void;
  /** Undefined where there is nothing older. */
  onOlder: (() => void) | undefined;
}

export function OlderPager({ what, hasNewer, onNewest, onAgain, onOlder }: Props) {
  return (
    // The window’s corner, to which long lists reach, may hold something that floats over the page.
    <Box sx={{ display: 'flex', justifyContent: 'flex-end', alignItems: 'center', gap: 1, pt: 1, pr: 6 }}>
      <Button size="small" onClick={hasNewer ? onNewest : onAgain}>
        {hasNewer ? 'To the newest' : 'Search again'}
      </Button>
      <Button
        size="small"
        variant="outlined"
        disabled={!onOlder}
        title={onOlder ? undefined : 'There is nothing older in this time'}
        onClick={onOlder}
      >
        Older {what}
      </Button>
    </Box>
  );
}
