/** Readers of a note. */
import { styled } from '@mui/material/styles';
import { GroupsOutlined } from '../../../kit/icons/GroupsOutlined.tsx';
import { LockOutlined } from '../../../kit/icons/LockOutlined.tsx';
import { palette } from '../../../kit/palette.ts';

const Visibility = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  height: 20,
  padding: '0 6px',
  borderRadius: 6,
  fontSize: 12,
  fontWeight: 600,
  color: palette.text.primary,
  border: `1px solid ${palette.divider}`,
  '&[data-shared]': { borderColor: palette.primary.main },
  '& svg': { fontSize: 14 },
});

export function NoteVisibility({ isInternal }: { isInternal: boolean }) {
  return isInternal ? (
    <Visibility title="Not visible to the client">
      <LockOutlined aria-hidden /> Internal
    </Visibility>
  ) : (
    <Visibility data-shared title="Visible to the client">
      <GroupsOutlined aria-hidden /> Shared with the client
    </Visibility>
  );
}
