/** Empty and failed states in place of a list or a panel: reason and next step. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { ErrorOutlineRounded } from './icons/ErrorOutlineRounded.tsx';
import { InboxRounded } from './icons/InboxRounded.tsx';

interface StateProps {
  title: string;
  text?: ReactNode;
  icon?: ReactNode;
  actions?: ReactNode;
  role?: 'status' | 'alert';
}

function State({ title, text, icon, actions, role }: StateProps) {
  return (
    <Box
      role={role}
      sx={{
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        justifyContent: 'center',
        textAlign: 'center',
        gap: 1,
        px: 3,
        py: 6,
        minHeight: 200,
      }}
    >
      <Box aria-hidden sx={{ display: 'flex', color: 'text.secondary', '& svg': { fontSize: 28 } }}>
        {icon}
      </Box>
      <Typography component="p" sx={{ fontSize: 16, fontWeight: 600 }}>
        {title}
      </Typography>
      {text && (
        <Typography sx={{ fontSize: 14, color: 'text.secondary', maxWidth: 480, overflowWrap: 'anywhere' }}>{text}</Typography>
      )}
      {actions && <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'center', gap: 1, mt: 1 }}>{actions}</Box>}
    </Box>
  );
}

export function EmptyState(props: Omit<StateProps, 'role'>) {
  return <State role="status" icon={<InboxRounded />} {...props} />;
}

/** A page behind the last of a list. */
export function PageNotFound({ page, onFirst }: { page: number; onFirst: () => void }) {
  return (
    <EmptyState
      title="Page not found"
      text={`The list has fewer than ${page} pages.`}
      actions={
        <Button variant="outlined" size="small" onClick={onFirst}>
          Go to first page
        </Button>
      }
    />
  );
}

interface FailedProps {
  /** Plural noun, or a singular one with its article, as it stands within a sentence: "alerts", "the case". */
  what: string;
  error: unknown;
  onRetry?: () => void;
  /** "Retry" unless stated. */
  retryText?: string;
}

export function FailedState({ what, error, onRetry, retryText = 'Retry' }: FailedProps) {
  return (
    <State
      role="alert"
      icon={<ErrorOutlineRounded />}
      title={`Couldn’t load ${what}.`}
      text={messageOf(error)}
      actions={
        onRetry && (
          <Button variant="outlined" size="small" onClick={onRetry}>
            {retryText}
          </Button>
        )
      }
    />
  );
}

/** One-line failure for small panels. */
export function FailedLine({ what, error, onRetry }: Omit<FailedProps, 'retryText'>) {
  return (
    <Box
      role="alert"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '2px 8px', fontSize: 13, color: 'text.secondary' }}
    >
      <Box component="span" title={messageOf(error)} sx={{ display: 'inline-flex', gap: 0.75 }}>
        <ErrorOutlineRounded aria-hidden sx={{ fontSize: 16, mt: '2px' }} />
        Couldn’t load {what}.
      </Box>
      {onRetry && (
        <Button size="small" onClick={onRetry} sx={{ minWidth: 0 }}>
          Retry
        </Button>
      )}
    </Box>
  );
}

const messageOf = (error: unknown) =>
  error instanceof Error && error.message ? error.message : 'Something went wrong. Try again.';
