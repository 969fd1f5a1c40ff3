/** Button of a list's bar with a popover, whose content is created when first opened. */
import Button from '@mui/material/Button';
import Popover from '@mui/material/Popover';
import { type ReactNode, useState } from 'react';

interface Props {
  /** On the button. */
  text: string;
  icon: ReactNode;
  /** Names what opens. */
  label: string;
  children: (close: () => void) => ReactNode;
}

export function BarMenu({ text, icon, label, children }: Props) {
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button
        size="small"
        color="inherit"
        startIcon={icon}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={(event) => {
          setAnchor(event.currentTarget);
          setOpen(true);
        }}
        sx={{ height: 32, px: 1.25, textTransform: 'none', color: 'text.secondary', '& .MuiButton-startIcon': { mr: 0.5 } }}
      >
        {text}
      </Button>
      {anchor && (
        <Popover
          open={isOpen}
          anchorEl={anchor}
          onClose={close}
          anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
          transformOrigin={{ vertical: 'top', horizontal: 'right' }}
          slotProps={{ paper: { role: 'dialog', 'aria-label': label } }}
        >
          {children(close)}
        </Popover>
      )}
    </>
  );
}
