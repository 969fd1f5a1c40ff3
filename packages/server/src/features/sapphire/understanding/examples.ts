/**
 * Example questions by skill. Marks stand for grammar finds: {device}, {user}, {rule}, {client}, {technique}, {cve}, {case}
 * and {alert} (with their numbers). Times, severities and states are written out. More than a dozen phrasings each; variety
 * counts, not number.
 */
import type { SapphireSkill } from '@parapet/contract/rules/sapphire.ts';
import { examplesOfEvents } from './examples.events.ts';
import { examplesOfPosture } from './examples.posture.ts';

export const examples: Record<SapphireSkill, readonly string[]> = { ...examplesOfEvents, ...examplesOfPosture };
