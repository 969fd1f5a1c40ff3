/**
 * Clauses that say why or for whom something is asked: "We had an audit last week, can you tell me …". One that narrows nothing is left out; one with
 * a time or a number is asked back without it; one that names a client, denies or compares stays.
 */
export interface Aside {
  /** The question without it. */
  main: string;
  /** Nothing of it can narrow a question. */
  isPlain: boolean;
}

const greeting = '(?:(?:hi|hello|hey|hiya|morning|good (?:morning|afternoon|evening)|dear)(?: \\w+)?[ ,.!]+)?';
const speaker =
  "(?:i(?:'m|'ve|'d|'ll)?|im|ive|we(?:'re|'ve|'d|'ll)?|weve|my \\w+(?: \\w+)?|our \\w+(?: \\w+)?|there(?:'s| is| was| were|'ll be))";
const asks =
  "(?:(?:can|could|would|will) (?:you|i|we|u)\\b|please|pls|tell me|show|list|give me|how (?:many|much|often|long|fast|quickly|old|big|is|are|did|do|does)|which|what(?:'s| is| are| did| was| were| has| have)?\\b|whats|who|whose|when|are there|is there|do we|did we|have we|has any|any )";
const wishes =
  "(?:(?:and|so|but) )?(?:i |we )?(?:(?:would|'d) (?:like|love) to|want to|need to|wanted to|have to|wish to|am (?:trying|keen) to|was wondering|wonder|am wondering)(?: (?:know|see|understand|find out|check|hear|ask|get))?(?: (?:if|whether))?[ ,:]*";

const patterns = [
  new RegExp(`^${greeting}${speaker}\\b([^,.;:?!]{3,90})(?:[,.;:!]| [-–])+ ?(?:so |and |but )?(?:${wishes})?(?=${asks})`, 'i'),
  new RegExp(
    `^${greeting}${speaker}\\b([^,.;:?!]{3,90}?) ${wishes}(?=how|which|what|who|when|whether|if|are|is|any|do|did|has|have)`,
    'i',
  ),
];

/** Words that narrow: a clause with one of them belongs to the question. */
const narrows =
  /\b(?:not|never|no|none|nothing|nobody|without|except|excluding|ignor\w+|only|just the|but|more|less|fewer|than|above|below|over|under|most|least|criticals?|highs?|mediums?|lows?|malicious|open|closed|unassigned|servers?|workstations?)\b|n't/i;
/** Times and numbers may be of the question or not. */
const mayNarrow =
  /\b(?:today|yesterday|tomorrow|weeks?|months?|years?|quarters?|days?|hours?|january|february|march|april|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|one|two|three|four|five|six|seven|eight|nine|ten|new)\b|\d/i;

/** The first clause that is none of the question; `names`: words of names, in lower case. */
export function asideOf(text: string, names: readonly string[]): Aside | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (!found) continue;
    const said = found[0].toLowerCase();
    const main = text.slice(found[0].length);
    // "We have 3 cases, which are …" is about these.
    if (
      /^(?:which|who|whose|what) (?:are|is|were|was|have|has|of (?:them|those|these))\b/i.test(main) &&
      !/\b(?:meeting|call|audit|review|report)\b/.test(said)
    )
      continue;
    const hasName = names.some((name) => new RegExp(`\\b${name.replace(/[^\p{L}\p{N}]/gu, '.')}\\b`, 'iu').test(said));
    return hasName || narrows.test(said) ? undefined : { main, isPlain: !mayNarrow.test(said) };
  }
  return undefined;
}
