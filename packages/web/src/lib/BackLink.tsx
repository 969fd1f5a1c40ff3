/** Link to the list that a page belongs to, above its title. */
import Button from '@mui/material/Button';
import { ArrowBackRounded } from '../kit/icons/ArrowBackRounded.tsx';
import { AppLink } from './AppLink.tsx';

export function BackLink({ children, ...link }: { href: string; className?: string; children: string }) {
  return (
    <Button
      {...link}
      component={AppLink}
      size="small"
      color="inherit"
      startIcon={<ArrowBackRounded />}
      sx={{ ml: -1, color: 'text.secondary', alignSelf: 'flex-start' }}
    >
      {children}
    </Button>
  );
}
