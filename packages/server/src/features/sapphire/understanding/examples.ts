/**
 * What people ask, skill by skill. Marks stand for what the grammar finds: {device}, {user}, {rule}, {client}, {technique}, {cve}, {case} and
 * {alert} (with their numbers). Times, severities and states are written out. More than a dozen ways each; variety counts, not number.
 */
import type { SapphireSkill } from '@parapet/contract/rules/sapphire.ts';
import { examplesOfEvents } from './examples.events.ts';
import { examplesOfPosture } from './examples.posture.ts';

export const examples: Record<SapphireSkill, readonly string[]> = { ...examplesOfEvents, ...examplesOfPosture };
