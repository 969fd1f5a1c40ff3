/** Turns of phrase of people who talk about the portal rather than in its words; put before those of `idioms.data.ts`. */
import { of, type Rewriting } from './idioms.data.ts';

const month =
  '(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?: 20\\d\\d)?';
const occasion = '(?:review|meeting|call|catch-?up|qbr|visit|audit|report|workshop|briefing|presentation|session|check-?in|sync)';
/** Recipients and subjects of a report. */
const background =
  '(?: (?:my|our|the|a|an|to|it|them|him|her|this|that|boss|manager|board|auditors?|ceo|ciso|cfo|cio|cto|team|management|customer|insurer|insurance|report|meeting|presentation|slides?|deck|something|about|and|with|when|if|they|he|she|ask|asks|know|numbers?|figures?|summary|update|paper|company|director|regulator|colleagues?))*[ .!]*$';

/** Reason or audience of a question; no condition of the records. */
export const talkFrames: readonly Rewriting[] = [
  // Misspelt denials.
  of("\\bhavn'?t\\b", "haven't"),
  of("\\b(?:dosn'?t|dosent|doesent|doesnot)\\b", "doesn't"),
  of("\\b(?:didint|didnot|did'nt)\\b", "didn't"),
  of("\\b(are|were|was|is)(?:'nt|ent|int)\\b", "$1n't"),
  of(
    `^(?:so |ok |hi[ ,]+|hello[ ,]+)*(?:for|before|ahead of|in preparation for|preparing for|prepping for) (?:my|our|the|a|an|tomorrow's|today's|next week's|this week's) (?:\\w+ )?${occasion} (?:with|at|for|of) (?=[\\w .']+[:,])`,
    '',
  ),
  of(
    `^(?:so |ok |hi[ ,]+|hello[ ,]+)*(?:for|before|ahead of|in preparation for|preparing for|prepping for) (?:my|our|the|a|an|tomorrow's|today's|next week's|this week's) (?:\\w+ )?${occasion}(?: (?:tomorrow|today|later|on \\w+day))? ?[:,–-]+ ?`,
    '',
  ),
  of(
    '(?<=[.?!;]|,| -) *(?:and )?(?:that|this|it|which) (?:usually|normally|generally|often|typically|probably|always) (?:means?|suggests?|indicates?|implies|points to|tells)\\b(?![^.?!;]*\\b(?:not|except|only|without|exclud\\w*|leav\\w+|ignor\\w*|skip\\w*|other)\\b)[^.?!;]*',
    '',
  ),
  of(
    `[,;.] *(?:i|we)(?: (?:have to|must|need to|want to|would like to|should)|'d like to|'ve got to|'ll| will) (?:tell|report|brief|inform|update|answer|explain|present|show|convince|prepare|plan|put|write|send)\\b${background}`,
    '',
  ),
  of(
    `[,;]? *\\b(?:because|cause|cos|coz) (?:i|we|my|our|the) (?:boss|manager|board|auditors?|ceo|ciso|insurer|customer|have to|need to|must|want to|got asked)(?: (?:tell|report|brief|inform|update|explain|present|show|prepare|plan|put|write|send|wants?|needs?|is asking|asked|asks))*\\b${background}`,
    '',
  ),
];

/** One meaning, one wording. */
export const talkRewritings: readonly Rewriting[] = [
  // Arrivals.
  of(
    "^(?:so |ok |morning[ ,]+|hi[ ,]+)*(?:what(?:'s| has|s| have| all)?|anything|has anything|did anything|have we had anything|what new|anything new|what stuff) (?:new )?(?:has |have )?(?:come|came|rolled|roll|landed|dropped|popped|piled|trickled|poured|flooded) in(?: for us)?\\b(?!.*\\b(?:except|excluding|not|no|without|only|but|apart|other than|minus|bar|besides)\\b)(?=.*\\b(?:since|overnight|today|yesterday|night|morning|afternoon|evening|week|weekend|hours?|days?|month|midnight)\\b)",
    'alerts and cases',
  ),
  // Actions of a machine or a person.
  of(
    "\\b(?:what|whats|what's)(?:'s| has| have| is| was)? (?:been )?(?:it|he|she|that|they|this) (?:been )?up to\\b",
    'what is going on with it',
  ),
  of("\\bwhat(?:'s| has|s| is| was) ([\\w.\\\\@-]+) (?:been )?(?:up to|doing)\\b", 'what is going on with $1'),
  of("[ -]+(?:whats|what's|what has|what is) (?:it|he|she) (?:been )?(?:up to|doing)\\b", ' what is going on'),
  of(
    '\\b(who) (?:was|is|were|has been|had been) (?:logged|signed) (?:on|in)(?:to)? (?:to |on |at )?(?=there|it|that|this|\\w+-\\w+)',
    'which users have alerts on ',
  ),
  // Rules.
  of(
    '\\b(noisiest|loudest|chattiest|busiest|most frequent|most common|commonest) (?:detections?|alarms?|signatures?)\\b',
    '$1 rules',
  ),
  of(
    `\\b((?:rules?|detections?|signatures?)(?: that| which)?)(?: have| has|'ve)?(?: been| gone| went| are| is| stayed| remained| lain| kept)? (?:silent|quiet|dead|asleep|idle|dormant|inactive|unused|mute) (?:for|since|in|over|during) (?=(?:the )?(?:last |past )?(?:a |an |one |two |three |four |five |six |\\d+ )?(?:hours?|days?|weeks?|months?|quarter|year|january|february|march|april|may|june|july|august|september|october|november|december))`,
    'rules without alerts in the last ',
  ),
  of('\\bin the last (?:the )?(last|past) ', 'in the last '),
  of(
    "\\brules? (?:that |which )?(?:did|have|has|do) (?:not|never|n't) (?:fired?|triggered?|matche?d?|gone off|go off) (?=in|during|since|over|for|this|last)",
    'rules without alerts ',
  ),
  // Priorities.
  of(
    `\\b(?:which|what) (?:patch(?:es)?|updates?|fix(?:es)?|vulnerabilit(?:y|ies)|vulns?|findings?|cves?|holes?|weaknesses) (?:should|must|ought|does|do|needs?) (?:(?:we|i|they|you)|([\\w' ]+?)) (?:to )?(?:do|fix|patch|install|apply|tackle|address|deal with|look at|close|handle|take on|start with|go for|roll out|push)(?: out)? first\\b`,
    'highest priority findings at <$1>',
  ),
  of(' at <>', ''),
  of("<([\\w' ]+)>", '$1'),
  // By which part of a time.
  of(
    '^(?:and )?(?:on|in|at|during) (?:which|what) (week ?days?|days of the week|hours?(?: of the day)?|months?|weeks?) (?:do|did|are|were|does|is|was) (?!.*\\b(?:most|least|fewest|more|fewer|no|not|never|without|zero)\\b)(.*?)(?: (?:crop|pop|turn|show|come|build) up| happen(?:ed)?| occur(?:red)?| arise| arose| fall| fell| raised| opened| created)?[ ?.]*$',
    '$2 by $1',
  ),
  // Again and again.
  of(
    `\\b(?:that|which|who)? ?(?:keeps? (?:turning|popping|cropping|showing|coming) (?:up|back)|(?:turns|turn|pops|pop|crops|crop|shows|show|comes|come) (?:up|back) (?:again and again|over and over(?: again)?|time and again|all the time|repeatedly|constantly)|keeps? (?:causing|giving us|making) (?:trouble|problems|grief)|(?:is|are) (?:a )?repeat offenders?)\\b`,
    ' with the most alerts',
  ),
  of(
    '\\b(?:is|are) there (?:an?|any) (device|machine|computer|user|client|rule|host|server|customer|pc)s? +with the most alerts\\b',
    'which $1 has the most alerts',
  ),
  of('\\brepeat offenders?\\b(?! (?:with|by))', 'devices with the most alerts'),
  // Ends.
  of(
    '\\b(?:about to|soon to|due to|going to|set to|that will soon|that soon|shortly to|close to) (?:run out|expire|expiring|end|ending|lapse|lapsing|finish|stop)\\b',
    'ending in the next 7 days',
  ),
  of(
    '\\b(?:expiring|ending|running out|lapsing|finishing|expire|end|run out|lapse|due to expire) (?:soon|shortly|before long|imminently|any day now)\\b',
    'ending in the next 7 days',
  ),
  of('\\bsoon[- ]to[- ](?:expire|end|be expired)\\b', 'ending in the next 7 days'),
  // Numbers and lengths.
  of('\\b(?:in|for|since|over|within) (\\d+)\\+ ?(hours?|hrs?|h|days?|d|weeks?|w|months?)\\b', 'for at least $1 $2'),
  of('\\b(\\d+)\\+ ?(hours?|hrs?|days?|weeks?|months?)\\b', 'at least $1 $2'),
  of(
    '\\bfor (?:at least |more than |over )?(a|one|two|three|four|five|six|\\d+) (day|week|month|hour)s? or (?:so|longer|more)\\b',
    'for at least $1 $2s',
  ),
  of('\\b(last|past|previous) (few|several|handful) of (hours|days|weeks|months)\\b', '$1 few $3'),
  // Divides and orders.
  of('\\bhits (by|per|for each) (?=\\w)', 'alerts $1 '),
  of(
    '^((?:please |pls |can you |could you )*(?:rank|list|show(?: me)?|sort|order|give me|name|get me)? ?(?:all )?)(?:(?:of )?(?:our|my|the) )(clients|customers|tenants)\\b(?= (?:by|with|without|that|who|whose|sorted|ranked|ordered|in|having|most|,))',
    '$1$2',
  ),
  of(
    `\\b(?:break|split|divide|slice|group|sort|chop|cut|separate|carve|spread) (?:that|it|this|those|them|these|the same|the lot|all of (?:that|them|it))(?: all)?(?: down| up| out| apart)? ?(?=(?:by|per|for each|into|across|along)\\b)`,
    '',
  ),
  of(
    '\\b(?:from )?(?:the )?(?:highest|biggest|largest|busiest|noisiest|most) to (?:the )?(?:lowest|smallest|quietest|calmest|least|fewest)(?= *(?:$|[?.,]))',
    'most first',
  ),
  of(
    '\\b(?:from )?(?:the )?(?:worst|shakiest|riskiest|weakest) to (?:the )?(?:best|safest|strongest|most (?:solid|secure|stable))(?= *(?:$|[?.,]|without|except|excluding|not|at|in|for|of|but))',
    'by risk score, most first',
  ),
  of(
    '\\b(?:from )?(?:the )?(?:lowest|smallest|quietest|least|fewest) to (?:the )?(?:highest|biggest|largest|busiest|most)(?= *(?:$|[?.,]))',
    'fewest first',
  ),
  of(
    '\\b(?:from )?(?:the )?(?:best|safest|strongest) to (?:the )?(?:worst|riskiest|weakest|shakiest)(?= *(?:$|[?.,]|without|except|excluding|not|at|in|for|of|but))',
    'by risk score, fewest first',
  ),
  of('\\b(?:from )?(?:the )?oldest to (?:the )?(?:newest|latest|youngest)\\b', 'oldest first'),
  of('\\b(?:from )?(?:the )?(?:newest|latest) to (?:the )?oldest\\b', 'newest first'),
  of(
    "^(?:and )?(?:what is |what's |whats )?(?:the )?bottom (?:of (?:that|the|this) (?:list|ranking|table|pile)|end(?: of (?:it|that))?|of it)",
    'and the fewest',
  ),
  of("^(?:and )?(?:what is |what's |whats )?(?:the )?top of (?:that|the|this) (?:list|ranking|table)", 'and the most'),
  // Compared months.
  of(
    `\\b((?:drop|fall|fell|rise|rose|grow|grew|change|increase|decrease|go up|go down|went up|went down|differ|shrink|move|jump|dropped|fallen|risen|grown|changed|increased|decreased|climb|climbed)(?: by how much)?) (?:from|between) (${month}) (?:to|and|into) (${month})\\b`,
    '$3 versus $2',
  ),
  of(
    `\\bsince (?:our|my|the|your) (?:last|previous|prior) (?:\\w+ )?${occasion} (?:on|of|in|from) (?=the \\d|\\d|${month})`,
    'since ',
  ),
  // Parts of time as everyday words.
  of('\\bbetween 10 ?pm and 6 ?am (?=last night)', ''),
  // Numbers of alerts.
  of(
    '\\b(?:(?:that |which )?(?:have |has |had |was |were |got |been )*(?:seen|fired|triggered|hit|occurred|happened|raised|went off|gone off|observed|spotted|tripped|appeared|came up|showed up|matched|alerted)) (more than|over|at least|exactly|less than|fewer than|under) (\\d+|two|three|four|five|ten|twenty|fifty|a hundred|once|twice) times?\\b',
    'with $1 $2 alerts',
  ),
  of(
    '\\b(?:(?:that|which|who) )?(?:(?:have|has|had) )?alerted\\b(?= *(?:[?.!,]|$|(?:the )?(?:most|least)|today|yesterday|last|this|in|on|over|during|since|at))',
    'had alerts',
  ),
  of('\\b(takes?|took|taking) on average\\b', 'on average $1'),
  // In common.
  of(
    '\\b(?:do |does |did )?([\\w-]+) (?:and|with|&) ([\\w-]+) (?:both )?(?:share|have in common|has in common)\\b',
    'at both $1 and $2',
  ),
  of('\\b(?:do |does |did )?([\\w-]+) (?:have|has|share)s? in common with ([\\w-]+)', 'at both $1 and $2'),
  of(
    '\\b(?:(?:that|which) )?(?:(?:are|is) )?(?:common to|shared (?:by|between|among)|in common (?:to|between|at)) (?:both )?([\\w-]+) and (?=[\\w-])',
    'at both $1 and ',
  ),
  of('\\b(?:the )?(day|week|month|quarter|year) before that\\b', 'the $1 before'),
  of('\\bwhere nothing (?:has |had |at all )?(?:happened|occurred|fired)(?: at all)?\\b', 'without alerts'),
  of(
    "\\b(waiting|pending|stuck) (on|for) (?:an? |the )?(client|customer)(?:'?s)? (?:reply|replies|answers?|response|feedback|input|reaction)\\b",
    'waiting on $3',
  ),
  // A backlog of a time.
  of(
    '\\b(?:what was|how (?:big|large|high|long|deep) was|what did) (?:our|the|your|their) (?:open )?(?:case |ticket |incident )?(?:backlog|queue|pile)(?: of (?:cases|tickets|incidents))?(?: look like| stand at| at)?\\b',
    'how many cases were open',
  ),
  of(
    "\\b(?:what was|how (?:big|large|high|long|deep) was) ([\\w]+)'s? (?:open )?(?:case |ticket |incident )?(?:backlog|queue|pile)\\b",
    'how many cases of $1 were open',
  ),
  of('\\b(open|unresolved|outstanding|unclosed) as (?:of|at) (?!now|today)', 'that were $1 on '),
  of(
    '\\b(share|percentage|percent|proportion|fraction|%)\\b([^?]*?)\\b(?:is|are|was|were|does|do|comes? from|falls? (?:on|to|under|into)|goes to|belongs? to|lies? with)(?: in| on| to)? (?:each|every|per)\\b(?= (?:severity|client|customer|tenant|partner|rule|device|host|user|type|verdict|month|week|day|weekday|hour|analyst|tactic|technique|category|action|status|state|kind))',
    '$1$2 by',
  ),
  of('\\bwhat (share|percentage|percent|proportion|fraction|%) by (\\w+) of ([^?]+)', 'what $1 of $3 by $2'),
  // A length without a comparison.
  of(
    '\\b(unpatched|unfixed|unresolved|unassigned|pending|open|waiting|sitting(?: there| around)?) for (?:over )?(\\d+) ?\\+? (days?|weeks?|months?)(?: plus| or more| and more)\\b',
    '$1 older than $2 $3',
  ),
  of(
    "\\b(?:which is the |what is the |what's the |whats the )?(?:busiest|noisiest) weekday (?:for|of|in|by) ",
    'weekday with the most ',
  ),
  of("\\b(?:which is the |what is the |what's the |whats the )?quietest weekday (?:for|of|in|by) ", 'weekday with the fewest '),
  of(
    "(?<=older than [\\w ]{1,20}) (?:that |which )?(?:are not|arent|aren't|have not been|haven't been) (?:yet )?closed\\b",
    ' that are open',
  ),
  // An exclusion as a sentence of its own.
  of('[?.!] (?:please )?(?:leave out|leave off|exclude|skip|ignore) (?:the )?', ' without '),
  // Work that waits is open.
  of('\\bwork ?load (?:per|by|for each|of each) (analyst|person|client)\\b', 'open cases by $1'),
  of(
    '\\b(cases|tickets|incidents) (?:that )?(?:nobody|no one|noone) (?:is |has been |is currently )?(?:working on|looking at|handling|on)\\b',
    'unassigned open cases',
  ),
  of(
    '\\be?-?mails? (?:that )?(?:you|they) (?:have |had )?sent (?:to )?us about (?:our )?(?:cases|tickets|incidents)\\b',
    'case emails sent',
  ),
  // Denies the possession, not the value: "devices that don't have an open case".
  of(
    "\\b(?:that |which |wich |who )?(?:(?:do|does|did)(?: not|n'?t) have|(?:have|has)(?: not|n'?t) (?:got|had)|lacks?|lacking)(?: (?:any|an?|some|one))? (?!(?:more|over|at least|less|fewer|enough|been|to|the same|all|two|three)\\b|\\d)",
    'without ',
  ),
  // Waiting still.
  of(
    "\\b(?:that |which |who )?(?:(?:have|has|are|is|were|was) ?)?(?:not|n'?t|never) (?:been |yet |been yet )*acknowledged (?:in|within|for|after) (?:the (?:first|last) )?(an?|one|\\d+) (hour|day|week|minute)s?\\b(?! or )",
    ' unacknowledged and older than $1 $2',
  ),
  of(
    '(?<!\\b(?:not|never) (?:been |yet )?|n.?t (?:been |yet )?)\\b(?:were |was |are |is |got )?(acknowledge|contain)e?d in (?:at most |max )?(an?|one|\\d+) (hour|day|week|minute)s?(?: or (?:less|under|faster|quicker))?\\b(?! or )',
    'with time to $1 at most $2 $3',
  ),
  of(
    '\\b(?:with |have |has |had |got )?(less than|under|at most|below) (an?|one|\\d+) (hour|day|minute)s? (?:to go|left|remaining)(?: (?:on|before|until|to|till) (?:the |their |its )?(?:sla|clock|timer|breach|deadline))?\\b',
    'with time left $1 $2 $3',
  ),
  of(
    '(?<=\\b(?:cases?|tickets?|incidents?)\\b.*)(?:\\b(?:got|had|have|has|having|with) (?:(?:its|their|the|a) )?last alert|\\bwhose last alert (?:was|is|came)) (?=today|yesterday|this|last|since|in |on |over)',
    'updated ',
  ),
  of('\\b(high|medium|low|critical)\\+(?! ?\\d)', '$1 or higher'),
  of('\\b(?:sorted|ordered) from (?:the )?(?:most old|oldest)(?: (?:first|on top))?', ', oldest first'),
];
