/** Pager of cursor-based lists, which have no page numbers. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ListControl } from '../../../lib/useListState.ts';

interface Props<S> {
  /** "events". */
  what: string;
  list: ListControl<S>;
  /** Last row of a full page; undefined where nothing follows. */
  oldest: { id: string; at: string } | undefined;
  onRepeat: () => void;
  isOldestFirst?: boolean;
}

export function OlderPager<S extends { before: string | undefined }>({
  what,
  list: { state, set },
  oldest,
  onRepeat,
  isOldestFirst = false,
}: Props<S>) {
  const hasNewer = state.before !== undefined;
  return (
    // Leaves room for floating buttons in the corner of the window.
    <Box sx={{ display: 'flex', justifyContent: 'flex-end', alignItems: 'center', gap: 1, pt: 1, pr: 6 }}>
      <Button size="small" onClick={hasNewer ? () => set({ before: undefined, beforeID: undefined, peek: undefined }) : onRepeat}>
        {hasNewer ? `Go to ${isOldestFirst ? 'oldest' : 'newest'}` : 'Search again'}
      </Button>
      <Button
        size="small"
        variant="outlined"
        disabled={!oldest}
        title={oldest ? undefined : `Nothing ${isOldestFirst ? 'newer' : 'older'} in this timeframe`}
        onClick={() => oldest && set({ before: oldest.at, beforeID: oldest.id, peek: undefined })}
      >
        {isOldestFirst ? 'Newer' : 'Older'} {what}
      </Button>
    </Box>
  );
}
