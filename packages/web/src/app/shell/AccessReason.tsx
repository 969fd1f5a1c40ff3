/** Reason for access of the user’s shift, for staff: a button of the toolbar, on phones an entry of the user menu. */
import Badge from '@mui/material/Badge';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Popover from '@mui/material/Popover';
import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import { reasonText } from '@parapet/contract/rules/client-access-log.ts';
import { useQuery } from '@tanstack/react-query';
import { VisibilityOutlined } from '../../kit/icons/VisibilityOutlined.tsx';
import { palette } from '../../kit/palette.ts';
import { AbsoluteTime } from '../../kit/RelativeTime.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { useScope } from '../../lib/scope.ts';
import { ReasonForm } from './ReasonForm.tsx';
import { reasonQuery } from './reasons.ts';

const Body = styled('div')({
  display: 'grid',
  gap: 12,
  width: 'min(440px, calc(100vw - 32px))',
  padding: 16,
  fontSize: 13,
  '& > h2': { margin: 0, fontSize: 14, fontWeight: 600 },
  '& > p': { margin: 0, color: palette.text.secondary },
});
const Ellipsis = styled('span')({ maxWidth: 160, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' });

export const missingReasonText = 'No access reason';

interface Props {
  look: 'text' | 'icon' | 'menu';
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
  /** Below which it opens. */
  anchor: HTMLElement | null;
}

export function AccessReason({ look, isOpen, onOpen, onClose, anchor }: Props) {
  const { may, timeZone } = useScope();
  const { data } = useQuery({ ...reasonQuery, enabled: may('organisations:read') });
  if (!data) return null;
  const isMissing = data.reason === null;
  const text = isMissing ? missingReasonText : reasonText(data.reason, data.reasonText);
  const label = isMissing ? text : `Access reason: ${text}`;
  const opens = { onClick: onOpen, 'aria-haspopup': 'dialog', 'aria-expanded': isOpen, 'aria-label': label } as const;
  return (
    <>
      {look === 'text' && (
        <Button
          {...opens}
          size="small"
          color="inherit"
          startIcon={<VisibilityOutlined />}
          sx={{ height: 36, color: 'text.secondary' }}
        >
          <Ellipsis>
            <VisibleText text={text} />
          </Ellipsis>
        </Button>
      )}
      {look === 'icon' && (
        <Tooltip title={label}>
          <IconButton {...opens}>
            <Badge variant="dot" color="warning" invisible={!isMissing}>
              <VisibilityOutlined />
            </Badge>
          </IconButton>
        </Tooltip>
      )}
      {isOpen && anchor && (
        <Popover
          open
          anchorEl={anchor}
          onClose={onClose}
          anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
          transformOrigin={{ vertical: 'top', horizontal: 'right' }}
          slotProps={{ paper: { role: 'dialog', 'aria-label': 'Access reason' } }}
        >
          <Body>
            <h2>Access reason</h2>
            <ReasonForm given={data} onDone={onClose} />
            <p>
              Shown to clients in their access log.{' '}
              {data.until !== null && (
                <>
                  Valid for this shift, until <AbsoluteTime at={data.until} timeZone={timeZone} />.
                </>
              )}
            </p>
          </Body>
        </Popover>
      )}
    </>
  );
}
