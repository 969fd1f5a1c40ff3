/** Actions of an alert: open or choose its case, mark it, suppress similar alerts, open surrounding events. */
import Button from '@mui/material/Button';
import type { AlertDetail } from '@parapet/contract/alerts.ts';
import { Suspense, useState } from 'react';
import { AppLink } from '../../../lib/AppLink.tsx';
import { lazyDialog } from '../../../lib/LazyDialog.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { eventsAround, suppressionOf } from '../alertActions.ts';
import { useMarkAlert } from '../useMarkAlerts.ts';

// Loaded on demand: the form library is large, and few alerts are added to a case manually.
const AddToCase = lazyDialog('the dialog', () => import('./AddToCase.tsx').then((module) => module.AddToCase));

export function AlertActions({ alert, size = 'medium' }: { alert: AlertDetail; size?: 'small' | 'medium' }) {
  const { may } = useScope();
  const mark = useMarkAlert(alert.id);
  const [isAdding, setAdding] = useState(false);
  const button = { size, variant: 'outlined' } as const;
  const next = alert.status === 'new' ? 'seen' : 'unseen';
  return (
    <>
      {alert.caseID !== null && may('cases:read') && (
        <Button component={AppLink} href={paths.case(alert.caseID)} size={size} variant="contained">
          Case {alert.caseID}
        </Button>
      )}
      {may('alerts:mark') && (
        <Button {...button} loading={mark.isPending} onClick={() => mark.run(next)}>
          Mark as {next}
        </Button>
      )}
      {may('cases:write') && (
        <Button {...button} onClick={() => setAdding(true)}>
          {alert.caseID === null ? 'Add to case…' : 'Move to case…'}
        </Button>
      )}
      {may('suppressions:write') && alert.suppressedBy === null && (
        <Button {...button} component={AppLink} href={suppressionOf(alert)}>
          Suppress…
        </Button>
      )}
      {may('events:read') && (
        <Button
          {...button}
          component={AppLink}
          href={eventsAround(alert)}
          title="Raw events from one hour before to one hour after"
        >
          Surrounding events
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
