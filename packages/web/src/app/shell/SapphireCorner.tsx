/**
 * Sapphire’s button on every page except the sign-in and /emailCaseAction (spec §2.2): in the toolbar, where it covers nothing, and at the lower
 * right of pages without one. The panel is loaded on first use.
 */
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import { type ComponentProps, type ComponentType, type CSSProperties, useCallback, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { SapphirePanel } from '../../features/sapphire/SapphirePanel.tsx';
import { Hidden } from '../../kit/Announced.tsx';
import { AutoAwesomeRounded } from '../../kit/icons/AutoAwesomeRounded.tsx';
import { KeyboardArrowDownRounded } from '../../kit/icons/KeyboardArrowDownRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { toast } from '../../lib/toast.ts';

type PanelProps = ComponentProps<typeof SapphirePanel>;
const load = () => import('../../features/sapphire/SapphirePanel.tsx').then((module) => module.SapphirePanel);

const Floating = styled('button')({
  position: 'fixed',
  zIndex: 1100,
  right: 16,
  bottom: 'calc(var(--bottom-height) + 16px)',
  display: 'grid',
  placeItems: 'center',
  width: 48,
  height: 48,
  padding: 0,
  color: palette.primary.contrastText,
  backgroundColor: palette.primary.main,
  border: 0,
  borderRadius: 24,
  boxShadow: '0 4px 16px rgb(10 14 22 / 0.24)',
  cursor: 'pointer',
  '&:hover': { backgroundColor: palette.primary.dark },
  '& svg': { fontSize: 24 },
  '@media (max-width: 599.95px)': { right: 8, bottom: 'calc(var(--bottom-height) + 12px)' },
});

const Unseen = styled('span')({
  position: 'absolute',
  top: 1,
  right: 1,
  width: 12,
  height: 12,
  borderRadius: 6,
  border: `2px solid ${palette.background.paper}`,
  backgroundColor: palette.warning.main,
});

interface Props extends Partial<Pick<PanelProps, 'shown'>> {
  /** Place in the toolbar, null until it is rendered; undefined on pages without a toolbar. */
  dock?: HTMLElement | null;
}

export function SapphireCorner({ shown, dock }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [Panel, setPanel] = useState<ComponentType<PanelProps>>();
  const [isOpen, setOpen] = useState(false);
  const [hasUnseenAnswer, setUnseenAnswer] = useState(false);
  const close = useCallback(() => {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  }, []);
  const toggle = async () => {
    if (isOpen) return close();
    setOpen(true);
    if (Panel) return;
    try {
      const Loaded = await load();
      setPanel(() => Loaded);
    } catch {
      setOpen(false);
      toast.error('Couldn’t load Sapphire. Check your connection and try again.');
    }
  };
  const isDocked = dock !== undefined;
  const Button = isDocked ? IconButton : Floating;
  const control = (
    <Button
      ref={button}
      type="button"
      color="primary"
      aria-label="Ask Sapphire"
      title="Ask Sapphire"
      aria-expanded={isOpen}
      aria-controls={Panel && id}
      onClick={() => void toggle()}
    >
      {isOpen && !isDocked ? <KeyboardArrowDownRounded aria-hidden /> : <AutoAwesomeRounded aria-hidden />}
      {hasUnseenAnswer && <Unseen />}
    </Button>
  );
  return (
    <aside aria-label="Sapphire" className="no-print" style={{ '--sapphire-button': isDocked ? '0px' : '60px' } as CSSProperties}>
      {Panel && <Panel id={id} isOpen={isOpen} onClose={close} shown={shown} onUnseenAnswer={setUnseenAnswer} />}
      {isDocked ? dock && createPortal(control, dock) : control}
      <Hidden role="status">{hasUnseenAnswer && 'Sapphire has answered'}</Hidden>
    </aside>
  );
}
