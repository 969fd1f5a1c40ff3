/** One saved view. Its name applies it; the owner can update, share and delete it. */
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import type { SavedView } from '@parapet/contract/views.ts';
import { CheckRounded } from '../../../kit/icons/CheckRounded.tsx';
import { DeleteOutlineRounded } from '../../../kit/icons/DeleteOutlineRounded.tsx';
import { GroupOutlined } from '../../../kit/icons/GroupOutlined.tsx';
import { SaveOutlined } from '../../../kit/icons/SaveOutlined.tsx';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';

const Line = styled('li')({
  display: 'flex',
  alignItems: 'center',
  minHeight: 32,
  borderRadius: 6,
  '&:hover': { backgroundColor: palette.action.hover },
  '& > .apply': {
    flex: 1,
    minWidth: 0,
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 32,
    padding: '2px 8px',
    border: 0,
    borderRadius: 6,
    background: 'none',
    font: 'inherit',
    textAlign: 'left',
    color: palette.text.primary,
    cursor: 'pointer',
  },
  '& > .apply:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& .mark': { flex: '0 0 16px', display: 'inline-flex', color: palette.primary.main },
  '& .name': { flex: '0 1 auto', minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .of': {
    flex: '0 1 auto',
    minWidth: 0,
    fontSize: 12,
    color: palette.text.secondary,
    whiteSpace: 'nowrap',
    overflow: 'hidden',
  },
});
const icon = { fontSize: 16 };

interface Props {
  view: SavedView;
  isShown: boolean;
  onApply: () => void;
  /** Replaces the view with the current filters; undefined when they are equal or too long. */
  onUpdate?: () => void;
  onShare: () => void;
  onRemove: () => void;
}

export function ViewLine({ view, isShown, onApply, onUpdate, onShare, onRemove }: Props) {
  const name = visibleText(view.name);
  return (
    <Line>
      <button type="button" className="apply" aria-current={isShown || undefined} onClick={onApply}>
        <span className="mark" aria-hidden>
          {isShown && <CheckRounded sx={icon} />}
        </span>
        <span className="name" title={name}>
          <VisibleText text={view.name} />
        </span>
        {!view.isMine && <span className="of">{visibleText(view.ownerName) || 'your provider'}</span>}
        {view.isMine && view.isShared && <span className="of">{view.isSharedBelow ? 'shared with clients' : 'shared'}</span>}
      </button>
      {view.isMine && (
        <>
          {onUpdate && (
            <IconButton size="small" aria-label={`Save current view as ${name}`} title="Save current view" onClick={onUpdate}>
              <SaveOutlined sx={icon} />
            </IconButton>
          )}
          <IconButton
            size="small"
            aria-label={`Share ${name}`}
            aria-pressed={view.isShared}
            title={view.isShared ? 'Stop sharing within your organisation' : 'Share within your organisation'}
            onClick={onShare}
            sx={view.isShared ? { color: 'primary.main' } : undefined}
          >
            <GroupOutlined sx={icon} />
          </IconButton>
          <IconButton size="small" aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
            <DeleteOutlineRounded sx={icon} />
          </IconButton>
        </>
      )}
    </Line>
  );
}
