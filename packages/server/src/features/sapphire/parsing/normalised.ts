/** The text of a question with its spelling corrected and turns of phrase put where the grammar reads them. */
import type { ParserInput } from './parsed.ts';
import { correctedText, spelledOut } from './spelling.ts';
import { nameWords, tradeWords } from './vocabulary.ts';

/** "Severity breakdown", "client-wise": what is divided by comes first. */
const divided =
  /\b(reason|severity|status|state|client|customer|tenant|partner|rule|device|host|user|type|verdict|role|month|week|day|weekday|hour|analyst|owner|tactic|technique|category|action|kind)(?:[ -]wise| breakdown| split| distribution)\b/gi;
/** "…, admins excluded", "with Dogwood left out". */
const excludedAfter =
  /(^|[,;(]|\bwith\b)\s*((?:[\w'-]+ ){0,3}[\w'-]+) (?:excluded|aside|apart|left out|not included|omitted|not counted|taken out|(?:do|does)(?:n't|nt| not) count)(?=\s*(?:[,;.)?]|$))/gi;

/** "Alerts/day", "tickets a week". */
const each = /(?<=[a-z]s)(?:\/| an? )(hour|day|week|month)\b(?! (?:ago|old|or|later|after|before|earlier|or so|long))/gi;

/** Misspelt words corrected, and turns of phrase that embrace what they concern put before it: "take Alder out". */
export function normalised(text: string, { lexicon, vocabulary }: ParserInput): string {
  return (
    correctedText(spelledOut(text), lexicon, tradeWords(vocabulary), nameWords(vocabulary))
      // "Morning! Which …"
      .replace(/!+(?=\s|$)/g, ',')
      .replace(divided, 'by $1')
      .replace(each, ' per $1')
      // "High-or-critical"
      .replace(/-(or|and)-/gi, ' $1 ')
      .replace(excludedAfter, '$1 excluding $2')
      .replace(/\b(?:take|leave|filter|cut|keep) ((?:\S+ ){0,5}?\S+) out\b/gi, 'excluding $1')
      .replace(/\bnot (?:assigned to|owned by)(?! me\b)/gi, 'not of')
  );
}
