/** Phrasings that the grammar holds in another form: recipients of a report, actions of a person, durations of a state. */
import { of, type Rewriting } from './idioms.data.ts';

/** A subject of one or two words: no auxiliary, and no quantity. */
const subject =
  "(?!(?:have|has|had|get|got|see|any|all|some|those|these|more|most|no|not|still)\\b)(?:(?:the|our|your|my) )?[a-z][\\w'.-]*";
const everyone = '(?:everyone|everybody|every one|every person|each person|all (?:of )?(?:us|them|people|users|accounts))';
const setUp = '(?: (?:turned|switched) on| set up| enabled| activated| in place)?';
const client =
  "((?!(?:we|they|it|things|everything|our|the|my|a)\\b)[a-z][\\w'-]*(?: (?!doing|going|looking|any|better|worse|safer|do|look|compare)[\\w'-]+){0,2})";
const cutOff = { isolated: 'isolation', quarantined: 'isolation', blocked: 'block', unblocked: 'unblock', released: 'release' };

/** Before greetings are left out. */
export const askFrames: readonly Rewriting[] = [
  of('\\bw/o(?:ut)?\\b', 'without'),
  of('\\bhi[- ]sev(?:erity)?\\b', 'high severity'),
  // "More alerts this week then last week", "older then 3 days".
  of(
    '\\b(more|less|fewer|better|worse|higher|lower|older|newer|younger|longer|shorter|greater|bigger|smaller|larger) ((?:[^\\s,;.?!]+ ){0,5}?)then(?= [a-z0-9])',
    '$1 $2than',
  ),
];

export const askRewritings: readonly Rewriting[] = [
  of(
    '\\bhow many (?:open )?(cases|tickets|incidents) (?:is|are) each (?:of (?:my|our|the|your) )?(analyst|person)s? (?:working on|handling|dealing with)\\b',
    'how many open $1 by analyst',
  ),
  of(
    '\\bhow many (.+?) (?:did|does|do|has|have) each (?:of (?:my|our|the|your) |single )?(client|customer|analyst|device|host|user|rule|partner)s?(?: have| had| got| get| see| saw| send| cause| caused)?(?! (?:close|open|working|handl))\\b',
    'how many $1 by $2',
  ),
  of(
    '\\b(?:how many )?(cases|tickets|incidents) (?:were |did (?:we|you) )?(?:opened|open|created) (?:vs\\.?|versus|and|compared (?:to|with)|against) (?:how many (?:were )?)?closed? ((?:last|this|in|yesterday|today|over|since|per) ?.*?)(?= *[?.]?$)',
    'how many $1 $2 and how many $1 closed $2',
  ),
  of(
    '\\bsla (?:compliance|adherence|attainment|performance|success)(?: rate| percentage)?\\b',
    'share of closed cases that met their sla',
  ),
  of('\\b(?:did|have) (?:we|you|they|the (?:soc|team)) escalated?\\b', 'escalated'),
  of('\\b(?:sort|order|rank)(?:ed)? (?:them|it|those|these|that|the list) by\\b', 'sorted by'),
  of('\\bin (?:the )?order of (?:their )?\\b', 'sorted by '),
  of('\\b(how much of .+), (?:in|as a) (?:percent|percentage|%)(?= *[?.]?$)', '$1'),
  of('\\b(dropping|losing|discarding) (?:any )?events\\b', 'with dropped events'),
  of("\\b(?:is|are|'s|s)? ?sitting on the (most|fewest) cases\\b", ' has the $1 open cases'),
  of(
    '\\b(?:needed|took|need|take|takes) ((?:more|longer|less) than [\\w ]+?) to (?:finish|complete|be done|run|execute)\\b',
    'took $1',
  ),
  of('\\bin each of (?:the |our )?((?:last|past) [\\w-]+ (day|week|month)s)\\b', 'in the $1 by $2'),
  of('\\b(?:in|on) each (?:single )?(day|week|month)\\b', 'by $1'),
  of('^((?:and|so|ok) )?(?:on|across|in|at) (how many .+ (?:is that|are they|are those|are these)(?= *[?.]?$))', '$1$2'),
  of(
    "\\baccounts? (?:that (?:are|were|have been|has been) )?(?:unused|inactive|dormant|(?:not|nobody|no one|noone)(?:'s|s| has| have| was| were| been| ever)* used) (?=(?:in|for|since|over|within)\\b)",
    'portal users not signed in ',
  ),
  of(
    '\\b(?:have|has|had|with) (?:nobody|no one|no-one|noone) (?:assigned )?(?:on|to|for|behind) (?:them|it)\\b',
    'are unassigned',
  ),
  of(
    '\\b(?:runs?|running|uses?|using|has|have|having|with|got) (?:our|your|the portal.?s) agents?\\b(?: installed| on (?:it|them))?',
    'with agent',
  ),
  of(
    '\\b(sign|signed|signs|log|logged|logs)[- ]on\\b(?= *(?:$|[?.,]|last|yesterday|today|this|in|since|lately|recently))',
    '$1 in',
  ),
  of('\\bof any (?:kind|sort|type|severity|level)(?: at all)?\\b', ''),
  of('\\bfalse pos\\b', 'false positive'),
  of(
    "\\b(?:(?:give|show) me )?(?:the )?(?:recent|latest|current) activity (?:for|at|on|of|in|from|with) ([\\w'-]+(?: [\\w'-]+){0,3})(?= *(?:$|[?.]))",
    'how is $1 doing',
  ),
  of(
    '^(?:is|are) (?:the|my|our) (server|device|machine|computer|laptop|workstation|firewall|switch|router|agent|host)(?:s|es)? (?:ok|okay|fine|all right|alright|healthy|good)(?= *[?.]?$)',
    'are all $1s reporting',
  ),
  of("\\b(?:that |which )(?:nobody|no one|noone)(?:'s| has| have| had| ever| yet)* (fixed|patched|remediated)\\b", 'not fixed'),
  // Of a negation, no choice: "and weren't suppressed either".
  of("\\b((?:\\w+n't|\\w+nt|not|never|no)\\b[^,;.?]*?) either(?= *(?:[,;.?]|$))", '$1'),
  of('\\bclosed as (?:an? )?(false positives?|fps?) or (benign)\\b', 'closed as $2 or false positive'),
  of('\\bold (?=(?:agent|collector|beat|software) versions?\\b)', 'outdated '),
  // Actions of people are no states.
  of(`\\bdid (${subject}) open\\b`, '$1 opened'),
  // "Last weeks alerts"
  of('\\b(this|last|previous) (day|week|month|quarter|year)s (?=[a-z])(?!and\\b|or\\b|to\\b|vs\\b|with\\b|we\\b|i\\b)', '$1 $2 '),
  of(
    '\\b(this|last|previous) (day|week|month|quarter|year)s(?= *(?:$|[?.,]|\\bvs\\b|\\band\\b|\\bwith\\b))(?<!\\bthe \\w+ \\w+)',
    '$1 $2',
  ),
  of('\\bbrute[- ]?forc(?:ing|ed|es)\\b', 'brute force'),
  of('\\bdefence (?=evasion)', 'defense '),
  // Recipients.
  of(
    "^who(?: all)? (?:gets?|receives?|is getting|is receiving|are getting|is sent|are sent|does get|has been getting) (?:the |our |their |a )?((?:monthly |weekly )?(?:[\\w'-]+ )?reports?)\\b",
    'recipients of the $1',
  ),
  of("^who (?:does|do|did) (?:the |our )?((?:monthly )?(?:[\\w'-]+ )?reports?) go (?:out )?to\\b", 'recipients of the $1'),
  of(
    "^when (?:was|did|is|has) ([a-z][\\w']*?)(?:'s|s)? (?:last|latest|most recent) (?:(?:monthly|weekly|pdf|security) )?report(?: been)?(?: sent| go out| made| done| created| generated| produced| delivered| written| issued)?(?: out)?(?= *[?.]?$)",
    'reports of $1 with last delivery',
  ),
  // All of the devices, and one that lacks nothing.
  of(
    '^(?:is|are) (?:everything|all of (?:it|them)|it all) (?=(?:still )?(?:checking in|reporting|online|connected|sending)\\b)',
    'are all devices ',
  ),
  of('^(?:is|was) (\\w[\\w.]*-[\\w.-]+) (?:fully |completely |all )?patched(?: up)?(?= *[?.]?$)', 'open findings on $1'),
  // All of them.
  of(
    `^(is|are) ${everyone} (?:(at|in|from|of) ([\\w' -]+?) )?(?:using|on|protected by|enrolled in|signed up for)\\b`,
    'do all accounts $2 $3 have',
  ),
  of(`^(?:does|do) ${everyone} (?:(at|in|from|of) ([\\w' -]+?) )?(?:use|have|got)\\b`, 'do all accounts $1 $2 have'),
  of(`^(?:has|have) ${everyone} (?=(?:at |in |from |of )?\\w)`, 'have all accounts '),
  of(
    `^(?:does|do|has|have|is|are) ([\\w' -]+?) (?:have |got |get |using |use )(.+?)${setUp} (?:for|by|with) ${everyone}(?= *[?.]?$)`,
    'do all accounts at $1 have $2',
  ),
  // The time of day.
  of(
    '^(?:at |around |about )?what times?(?: of (?:the )?day)? (?:do|did|are|were|does) (?:the )?most (?:of (?:the |our )?)?(\\w+)(?: come in| happen| occur| arrive| fire| start| raised| opened)*',
    'at what hour are the most $1',
  ),
  // For how long.
  of(
    '\\bhow (?:long|many (?:minutes|hours|days|weeks)) (?:has|have|is) (\\w[\\w.-]*-[\\w.-]+) (?:now )?(?:been )?(?:silent|quiet|offline|down|dark|gone|unreachable|mute)(?: for| now)?\\b',
    'when did $1 last report',
  ),
  of(
    '\\bhow (?:long|many (?:minutes|hours|days|weeks)) ago (?:did|was|has) (\\w[\\w.-]*-[\\w.-]+) (?:last )?(?:report|check in|send(?: anything| logs| data| events)?|heard from|seen)\\b',
    'when did $1 last report',
  ),
  // Requesters of an action.
  ...Object.entries(cutOff).map(([verb, noun]) =>
    of(`^(?:and )?who (?:has |had )?${verb} (?:the )?(?=\\w[\\w.]*-[\\w.-]+)`, `who requested the ${noun} of `),
  ),
  of(
    '^(?:and )?who (?:has )?(?:muted|suppressed|silenced) (?:what|which (?:rules|alerts))(?= *[?.]?$)',
    'suppressions with owner and rule',
  ),
  // A period as a whole.
  of(
    '^how (?:bad|good|busy|quiet|rough|was|did) (?:was |were |is |has |did we do |we do )?(?:it |things )?(?=(?:the )?(?:last|this|past|previous|yesterday|today|overnight)\\b)',
    'how are we doing ',
  ),
  // Better or worse.
  ...(['day', 'week', 'month', 'quarter', 'year'] as const).flatMap((unit) => {
    const before = unit === 'day' ? 'yesterday' : `(?:the )?last ${unit}|the ${unit} before`;
    const [now, then] = unit === 'day' ? ['today', 'yesterday'] : [`this ${unit}`, `last ${unit}`];
    const both = (at: string) => `how many alerts${at} ${now} vs ${then} and how many cases${at} ${now} vs ${then}`;
    const compared = '(?:compared (?:to|with)|in comparison (?:to|with)|versus|vs\\.?|against|relative to|than)';
    const doing = '(?: doing| going| looking)?(?: any)?(?: better| worse| safer)?(?: or (?:better|worse))?';
    return [
      of(
        `^how (?:are|is|were|was|do|did|does) (?:we|things|it|everything|they)${doing}(?: do| look| compare)? ${compared} (?:${before})\\b(?= *[?.]?$)`,
        both(''),
      ),
      of(`^(?:are|is|were|was|did) (?:we|things|it|everything|they)${doing} ${compared} (?:${before})\\b(?= *[?.]?$)`, both('')),
      of(
        `^(?:how (?:is|was|does|did) ${client}${doing}|(?:is|was) ${client}(?=(?: doing)?(?: better| worse| safer))${doing})(?: do| look| compare)? ${compared} (?:${before})\\b(?= *[?.]?$)`,
        both(' at $1$2'),
      ),
    ];
  }),
  // Mine to do.
  of(
    '\\breviews? (?:that are |that is |still |are )*(?:waiting|pending|outstanding|left|open|to do) (?:for|on|with|by) me\\b',
    'my undecided reviews',
  ),
  of('\\bcases? (?:that are |still |are )*(?:waiting|pending|outstanding) (?:for|on|with) me\\b', 'my open cases'),
  of(
    '^who(?: is|s| are| was)? (?:the )?(fastest|quickest|slowest) (?:at|in|with|to|when) (?:closing|close)(?: cases)?\\b',
    'which analyst closes cases the $1',
  ),
];
