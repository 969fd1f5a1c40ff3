import { counted } from '../../kit/numbers.ts';

/** State of a client’s agents during its offboarding. */
export function agentsText({ working, told, left }: { working: number; told: number; left: number }): string {
  if (working + told + left === 0) return 'No agents are enrolled.';
  return [
    working > 0 && `${counted(working, 'agent')} not notified yet`,
    told > 0 && `${counted(told, 'agent')} notified, removal pending`,
    left > 0 && `${counted(left, 'agent')} removed`,
  ]
    .filter(Boolean)
    .join(', ')
    .concat('.');
}
