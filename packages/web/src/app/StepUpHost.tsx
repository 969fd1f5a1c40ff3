/** Shows the dialog that confirms an identity. Loaded with the first request; if loading fails, the call stays refused. */
import { type ComponentType, useEffect, useState } from 'react';
import { type StepUpRequest, stepUp } from '../lib/stepUp.ts';
import { useStore } from '../lib/store.ts';
import { useSession } from '../lib/useSession.ts';

export function StepUpHost() {
  const request = useStore({ subscribe: stepUp.subscribe, get: stepUp.current });
  const { status } = useSession();
  const [Dialog, setDialog] = useState<ComponentType<{ request: StepUpRequest }>>();
  useEffect(() => {
    if (!request || Dialog) return;
    import('../features/auth/parts/SignInAgain.tsx').then(
      (module) => setDialog(() => module.SignInAgain),
      () => stepUp.settle(false),
    );
  }, [request, Dialog]);
  // Signed out in this tab or another.
  useEffect(() => {
    if (status !== 'signedIn') stepUp.settle(false);
  }, [status]);
  return request && Dialog ? <Dialog request={request} /> : null;
}
