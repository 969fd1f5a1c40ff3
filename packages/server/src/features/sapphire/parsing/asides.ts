/**
 * Clauses with reason or audience of a question: "We had an audit last week, can you show me …". One of background words alone is left out; one that
 * names a client, denies, excludes or compares stays; a question without any other clause needs a clarification.
 */
export interface Aside {
  /** The question without it. */
  main: string;
  /** Each of its words is background. */
  isPlain: boolean;
}

const greeting = '(?:(?:hi|hello|hey|hiya|morning|good (?:morning|afternoon|evening)|dear)(?: \\w+)?[ ,.!]+)?';
const speaker =
  "(?:i(?:'m|'ve|'d|'ll)?|im|ive|we(?:'re|'ve|'d|'ll)?|weve|my \\w+(?: \\w+)?|our \\w+(?: \\w+)?|there(?:'s| is| was| were|'ll be))";
const requests =
  "(?:(?:can|could|would|will) (?:you|i|we|u)\\b|please|pls|tell me|show|list|give me|how (?:many|much|often|long|fast|quickly|old|big|is|are|did|do|does)|which|what(?:'s| is| are| did| was| were| has| have)?\\b|whats|who|whose|when|are there|is there|do we|did we|have we|has any|any )";
const requestWords =
  "(?:(?:and|so|but) )?(?:i |we )?(?:(?:would|'d) (?:like|love) to|want to|need to|wanted to|have to|wish to|am (?:trying|keen) to|was wondering|wonder|am wondering)(?: (?:know|see|understand|find out|check|hear|ask|get))?(?: (?:if|whether))?[ ,:]*";

const patterns = [
  new RegExp(
    `^${greeting}${speaker}\\b([^,.;:?!]{3,90})(?:[,.;:!]| [-–])+ ?(?:so |and |but )?(?:${requestWords})?(?=${requests})`,
    'i',
  ),
  new RegExp(
    `^${greeting}${speaker}\\b([^,.;:?!]{3,90}?) ${requestWords}(?=how|which|what|who|when|whether|if|are|is|any|do|did|has|have)`,
    'i',
  ),
];

/** Words that narrow: a clause with one of them belongs to the question. */
const narrows =
  /\b(?:not|never|no|none|nothing|nobody|without|except|exclud\w+|ignor\w+|leav\w+|left|skip\w*|drop\w*|minus|apart|besides|other|only|just the|but|more|less|fewer|than|above|below|over|under|most|least|criticals?|highs?|mediums?|lows?|malicious|open|closed|unassigned|servers?|workstations?)\b|n't/i;
/** Words that can be nothing of a question; any other, such as a time, a name or a kind of device, may be. */
const background = new Set(
  `a an the i i'm im i've ive i'd i'll we we're we've we'd we'll my our me us you your he she they this that it there there's and so but or if whether of to
  in on at for with about from by am is are was were be been being do did doing have has had having will would could can may might
  bit little rather quite very really just kind sort worried curious wondering wonder interested concerned nervous unsure confused sorry stuck busy
  want wanted wants need needed needs like love wish trying keen know see understand find out check hear ask asked asking get got give tell told
  hi hello hey hiya morning good afternoon evening dear please pls thanks quick quickly question questions
  meeting meetings call calls audit audits auditor auditors review reviews report reports reporting presentation slides deck paper board boss manager
  director ceo cio ciso cfo customer insurer insurance colleague colleagues team handover briefing update budget preparing prepare prepping writing
  write working planning looking after coming up soon shortly`.split(/\s+/),
);

/** The first clause that is none of the question; `names`: words of names, in lower case. */
export function asideOf(text: string, names: readonly string[]): Aside | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (!found) continue;
    const aside = found[0].toLowerCase();
    const main = text.slice(found[0].length);
    // "We have 3 cases, which are …" is about these.
    if (
      /^(?:which|who|whose|what) (?:are|is|were|was|have|has|of (?:them|those|these))\b/i.test(main) &&
      !/\b(?:meeting|call|audit|review|report)\b/.test(aside)
    )
      continue;
    const hasName = names.some((name) => new RegExp(`\\b${name.replace(/[^\p{L}\p{N}]/gu, '.')}\\b`, 'iu').test(aside));
    const words = aside.match(/[\p{L}\p{N}'’]+/gu) ?? [];
    return hasName || narrows.test(aside) ? undefined : { main, isPlain: words.every((word) => background.has(word)) };
  }
  return undefined;
}
