/** Commands: nothing is changed by them. */
import type { Parsed, ParserInput } from './parsed.ts';
import { commands, courtesy, nominal } from './refusals.data.ts';

export function commandIn(text: string, { previous }: ParserInput): Parsed['command'] {
  const bare = text.replace(courtesy, '');
  if (nominal.test(bare)) return undefined;
  for (const [pattern, what, page] of commands) {
    const verb = pattern.exec(bare)?.[0];
    // "Close" of "close calls", "release notes" are no commands: something must follow the verb.
    if (
      verb !== undefined &&
      /\s\S/.test(bare) &&
      !(
        previous.length > 0 &&
        ((/^(?:set|change|drop|remove|add)\b/i.test(verb) && bare.split(/\s+/).length <= 4) ||
          /^add (?:the|their|its|a column)\b/i.test(bare))
      )
    )
      return { verb: verb.toLowerCase(), text: what, page };
  }
  return undefined;
}
