/** Problems of a text that know their fix. */
import type { ConfigProblem } from '@parapet/contract/collectors.ts';
import type { RuleFault } from '@parapet/contract/detectionRules.ts';

/** `checked`: the text that the fix belongs to. */
export interface FixableProblem extends ConfigProblem {
  fix?: RuleFault['fix'];
  checked?: string;
}

/** Text with the fix; the text itself if it was edited since its check, whose successor has fixes of its own. */
export const fixedText = ({ fix, checked }: FixableProblem, text: string): string =>
  fix && text === checked ? text.slice(0, fix.from) + fix.insert + text.slice(fix.to) : text;
