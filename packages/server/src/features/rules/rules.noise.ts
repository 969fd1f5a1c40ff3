/** Ends shadows whose matches of a day reached their noise budget. */
import { publish } from '../../core/bus.ts';
import { scoped } from '../../core/db/scope.ts';
import type { RulesDeps } from './rules.sight.ts';
import { addHistory, listOverBudget, stopShadow } from './rules.store.ts';

export async function stopNoisyShadows({ db, clock }: Pick<RulesDeps, 'db' | 'clock'>): Promise<void> {
  await scoped(db, 'system', async (tx) => {
    const noisy = await listOverBudget(tx);
    for (const { id, organisationId, key, version, count } of noisy) {
      await stopShadow(tx, id, new Date(clock.now()));
      await addHistory(tx, {
        organisation_id: organisationId,
        rule_key: key,
        actor_id: null,
        actor_name: '',
        action: 'Shadow ended by its noise budget',
        version,
        why: `${count} matches within a day.`,
      });
    }
    if (noisy.length > 0) await publish(tx, 'rules.changed', {});
  });
}
