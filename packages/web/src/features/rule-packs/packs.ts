/** Texts of imports and packs. */
import type { ImportState, PackDecision, PackImport, PackItemStatus, RulePack, TakenState } from '@parapet/contract/rulePacks.ts';
import { exact } from '../../kit/numbers.ts';
import { stateLabel } from '../rules/rules.ts';

export const statusLabel: Record<PackItemStatus, string> = {
  new: 'New',
  changed: 'Changed',
  edited: 'Edited here',
  same: 'Unchanged',
  removed: 'Removed',
  duplicate: 'Duplicate',
  inUse: 'ID in use',
  refused: 'Not valid',
};
/** Statuses that an acceptance takes over. */
export const takenStatuses: readonly PackItemStatus[] = ['new', 'changed', 'edited'];

export const decisionLabel = (decision: PackDecision, status: PackItemStatus): string =>
  status === 'removed' && decision === 'accept'
    ? 'Retire'
    : { accept: 'Use pack’s text', keep: 'Keep ours', merge: 'Merge' }[decision];

export const importLabel: Record<ImportState, string> = {
  waiting: 'Waiting',
  running: 'Reading rules',
  ready: 'Ready for review',
  accepted: 'Accepted',
  discarded: 'Discarded',
  failed: 'Failed',
};
export const isUnderWay = ({ state }: Pick<PackImport, 'state'>): boolean => state === 'waiting' || state === 'running';

export const takenChoices: readonly { value: TakenState; label: string }[] = [
  { value: 'shadow', label: 'Shadow: count matches, raise no alerts' },
  { value: 'draft', label: 'Draft: for review one by one' },
  { value: 'live', label: 'Live: raise alerts' },
];

/** "3,210 live, 14 draft". */
export const statesText = ({ states }: Pick<RulePack, 'states'>): string =>
  (['live', 'shadow', 'tested', 'draft', 'retired'] as const)
    .flatMap((state) => ((states[state] ?? 0) > 0 ? [`${exact(states[state] ?? 0)} ${stateLabel[state].toLowerCase()}`] : []))
    .join(', ') || 'None';

/** Name of a pack, from that of a file: "sigma-r2026-11.zip" → "sigma-r2026-11". */
export const nameOfFile = (file: string): string => file.replace(/\.(zip|tar|tgz|tar\.gz|gz)$/i, '').replace(/\.tar$/i, '');
