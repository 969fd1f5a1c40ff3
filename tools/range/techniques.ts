/** All techniques, in the order in which they are played. */
import type { Technique } from './technique.ts';
import { administration } from './techniques.benign.ts';
import { channels } from './techniques.channels.ts';
import { credentials } from './techniques.credentials.ts';
import { impact } from './techniques.impact.ts';
import { persistence } from './techniques.persistence.ts';

export const techniques: readonly Technique[] = [...credentials, ...persistence, ...channels, ...impact, ...administration];
