/** Drafts of the closing dialogs in this tab, as text. They end with the session, which forgets them without their code. */
import { createTabMemory } from './tabMemory.ts';

export const closingMemory = createTabMemory('closing-drafts');
