/** A user’s picture, or the initials. Hidden from screen readers, as the name stands beside it. */
import Avatar from '@mui/material/Avatar';
import { initialsOf } from './names.ts';

export function PersonAvatar({ displayName, profileURL, size = 32 }: { displayName: string; profileURL: string; size?: number }) {
  return (
    <Avatar
      src={profileURL || undefined}
      alt=""
      sx={{
        width: size,
        height: size,
        fontSize: Math.round(size * 0.4),
        fontWeight: 600,
        bgcolor: 'primary.main',
        color: 'primary.contrastText',
      }}
    >
      <span aria-hidden>{initialsOf(displayName)}</span>
    </Avatar>
  );
}
