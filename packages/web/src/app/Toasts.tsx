/** Renders toasts with notistack in the product’s style: surface colours, a coloured edge, icon and text. */
import { palette } from '../kit/palette.ts';
import './goober.ts';
import GlobalStyles from '@mui/material/GlobalStyles';
import { styled } from '@mui/material/styles';
import { type CustomContentProps, SnackbarContent, SnackbarProvider, useSnackbar } from 'notistack';
import { type Ref, useEffect } from 'react';
import { CheckCircleRounded } from '../kit/icons/CheckCircleRounded.tsx';
import { ErrorRounded } from '../kit/icons/ErrorRounded.tsx';
import { InfoRounded } from '../kit/icons/InfoRounded.tsx';
import { WarningRounded } from '../kit/icons/WarningRounded.tsx';
import { drawToasts, type ToastVariant } from '../lib/toast.ts';
import { toastRoot } from './toastRoot.ts';

const icons = { success: CheckCircleRounded, error: ErrorRounded, warning: WarningRounded, info: InfoRounded };

const Frame = styled(SnackbarContent)({
  display: 'flex',
  // notistack places a long text below the icon.
  flexWrap: 'nowrap',
  alignItems: 'flex-start',
  gap: 10,
  minWidth: 'min(280px, 100%)',
  maxWidth: 'min(480px, calc(100vw - 32px))',
  padding: '10px 14px',
  fontSize: 14,
  lineHeight: '20px',
  fontWeight: 500,
  color: palette.text.primary,
  backgroundColor: palette.background.paper,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  boxShadow: '0 8px 24px rgb(10 14 22 / 0.16)',
  '& svg': { flex: 'none', fontSize: 20 },
  '& > span': { minWidth: 0, maxHeight: '40vh', overflow: 'hidden', overflowWrap: 'break-word', textWrap: 'pretty' },
});

function Drawn({ variant, message, ref }: CustomContentProps & { ref?: Ref<HTMLDivElement> }) {
  const kind = (variant in icons ? variant : 'info') as ToastVariant;
  const Icon = icons[kind];
  return (
    <Frame ref={ref} role="alert">
      <Icon color={kind} aria-hidden />
      <span>{message}</span>
    </Frame>
  );
}

function Drawer() {
  const { enqueueSnackbar, closeSnackbar } = useSnackbar();
  useEffect(
    () =>
      drawToasts({
        show: ({ text, variant, durationMs, position }) => {
          enqueueSnackbar(text, { key: text, variant, autoHideDuration: durationMs, anchorOrigin: position });
        },
        end: closeSnackbar,
      }),
    [enqueueSnackbar, closeSnackbar],
  );
  return null;
}

/** Toasts have no controls: pointer events pass through to the page below, and hovering does not keep them open. */
const letsThrough = <GlobalStyles styles={{ '.notistack-SnackbarContainer *': { pointerEvents: 'none !important' } }} />;

export function Toasts() {
  return (
    <SnackbarProvider
      domRoot={toastRoot}
      maxSnack={4}
      preventDuplicate
      Components={{ success: Drawn, error: Drawn, warning: Drawn, info: Drawn, default: Drawn }}
    >
      {letsThrough}
      <Drawer />
    </SnackbarProvider>
  );
}
