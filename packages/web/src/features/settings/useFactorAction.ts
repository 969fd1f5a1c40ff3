/** One change of one's own second factor at a time; a failure is shown as a toast. */
import { useState } from 'react';
import { toast } from '../../lib/toast.ts';
import { useAccountChanged } from './account.queries.ts';

export function useFactorAction(): { isBusy: boolean; run: (work: () => Promise<void>) => Promise<void> } {
  const changed = useAccountChanged();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (failure) {
      toast.error(failure instanceof Error ? failure.message : 'Couldn’t change your second factor.', 'user');
    }
    await Promise.all([changed('secondFactor'), changed('user')]);
    setBusy(false);
  };
  return { isBusy, run };
}
