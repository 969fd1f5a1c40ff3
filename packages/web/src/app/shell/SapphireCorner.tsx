/** Sapphire’s button at the lower right of every page except the sign-in and /emailCaseAction (spec §2.2). The panel is loaded on first use. */
import { styled } from '@mui/material/styles';
import { type ComponentProps, type ComponentType, useCallback, useId, useRef, useState } from 'react';
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
  '& .unseen': {
    position: 'absolute',
    top: 1,
    right: 1,
    width: 12,
    height: 12,
    borderRadius: 6,
    border: `2px solid ${palette.background.paper}`,
    backgroundColor: palette.warning.main,
  },
  '@media (max-width: 599.95px)': { right: 8, bottom: 'calc(var(--bottom-height) + 12px)' },
});

export function SapphireCorner({ shown }: Partial<Pick<PanelProps, 'shown'>>) {
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
  return (
    <aside aria-label="Sapphire" className="no-print">
      {Panel && <Panel id={id} isOpen={isOpen} onClose={close} shown={shown} onUnseenAnswer={setUnseenAnswer} />}
      <Floating
        ref={button}
        type="button"
        aria-label="Ask Sapphire"
        title="Ask Sapphire"
        aria-expanded={isOpen}
        aria-controls={Panel && id}
        onClick={() => void toggle()}
      >
        {isOpen ? <KeyboardArrowDownRounded aria-hidden /> : <AutoAwesomeRounded aria-hidden />}
        {hasUnseenAnswer && <span className="unseen" />}
      </Floating>
      <Hidden role="status">{hasUnseenAnswer && 'Sapphire has answered'}</Hidden>
    </aside>
  );
}
