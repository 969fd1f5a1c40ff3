/** Icon of an isolated or blocked device or user, with a tooltip and a screen-reader label. */
import { BlockRounded } from './icons/BlockRounded.tsx';
import { LinkOffRounded } from './icons/LinkOffRounded.tsx';
import { PersonOffRounded } from './icons/PersonOffRounded.tsx';

const marks = {
  isolated: [LinkOffRounded, 'Device is isolated'],
  blocked: [BlockRounded, 'Device is blocked'],
  disabled: [PersonOffRounded, 'User is blocked'],
} as const;

export function StateMark({ state }: { state: keyof typeof marks }) {
  const [Icon, title] = marks[state];
  return <Icon titleAccess={title} sx={{ fontSize: 15, ml: 0.75, color: 'text.secondary', flex: 'none' }} />;
}
