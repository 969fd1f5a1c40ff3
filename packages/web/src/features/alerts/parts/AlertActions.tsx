/** Where an alert leads and what can be done with it: its case, its state, the events around it, a suppression of its like. */
import Button from '@mui/material/Button';
import type { AlertDetail } from '@parapet/contract/alerts.ts';
import { lazy, Suspense, useState } from 'react';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { eventsAround, suppressionOf } from '../alertActions.ts';
import { useMarkAlert } from '../useMarkAlerts.ts';

// Forms are much code, and few alerts are put into a case by hand.
const AddToCase = lazy(() => import('./AddToCase.tsx').then((module) => ({ default: module.AddToCase })));

export function AlertActions({ alert, size = 'medium' }: { alert: AlertDetail; size?: 'small' | 'medium' }) {
  const { may } = useScope();
  const mark = useMarkAlert(alert.id);
  const [isAdding, setAdding] = useState(false);
  const look = { size, variant: 'outlined' } as const;
  const next = alert.status === 'new' ? 'seen' : 'unseen';
  return (
    <>
      {alert.caseID !== null && may('cases:read') && (
        <Button component={AppLink} href={paths.case(alert.caseID)} size={size} variant="contained">
          Case {alert.caseID}
        </Button>
      )}
      {may('alerts:mark') && (
        <Button {...look} loading={mark.isPending} onClick={() => mark.mutate(next)}>
          Mark as {next}
        </Button>
      )}
      {may('cases:write') && (
        <Button {...look} onClick={() => setAdding(true)}>
          {alert.caseID === null ? 'Add to case…' : 'Move to case…'}
        </Button>
      )}
      {may('suppressions:write') && alert.suppressedBy === null && (
        <Button {...look} component={AppLink} href={suppressionOf(alert)}>
          Suppress…
        </Button>
      )}
      {may('events:read') && (
        <Button {...look} component={AppLink} href={eventsAround(alert)} title="Raw events an hour before and after">
          Events around it
        </Button>
      )}
      {isAdding && (
        <Suspense>
          <AddToCase alert={alert} onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </>
  );
}
