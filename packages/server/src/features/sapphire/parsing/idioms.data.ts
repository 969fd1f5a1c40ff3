/**
 * Turns of phrase of everyday English, put into words of the grammar before a question is read. `frames` embrace a question and narrow nothing;
 * a rewriting has the same meaning in other words, so that it keeps every negation, comparison and number.
 */

export type Rewriting = readonly [pattern: RegExp, words: string];
export const of = (pattern: string, words: string): Rewriting => [new RegExp(pattern, 'gi'), words];

const asker =
  '(?:(?:my|the|our|a|some|their|his|her) )?(?:boss|bosses|insurance company|regulator|headquarters|hq|legal|procurement|compliance(?: officer| team)?|finance(?: director)?|dpo|data protection officer|bank|parent company|investors?|manager|ciso|cio|ceo|cto|coo|cfo|auditors?|audit|management|board|director|team ?lead|lead|supervisor|colleague|customer|client|insurer|insurance|exec|execs|head of it|it head|guy|lady|somebody|someone|people|they|she|he)';
const occasion =
  '(?:monthly |weekly |quarterly |board |audit |management |client |customer |security |status |next )*(?:meeting|qbr|review|slides?|deck|presentation|call|boss|audit|auditors?|newsletter|stand-?up|handover|shift|records|notes|committee|management|board|colleague|team|summary|paper|email|mail|statistics|stats|spreadsheet|file|ticket|status)';

/** Person, purpose and precision of a question. */
export const frames: readonly Rewriting[] = [
  of(
    '^(?:hi|hello|hey|hiya|good morning|morning|good afternoon|good evening|dear sapphire|sapphire)(?: there| all| sapphire| team)?[ ,!.]+(?=\\S{2,} \\S|whats)',
    '',
  ),
  of(
    `^(?:(?:so|and|ok|okay|hi|hello|hey|good morning|morning)[ ,]+)*${asker} (?:just |really |now |always |keeps |is |are |has |have )*(?:wants?|needs?|would like|'d like|asks?|asked|asking|wondering|wonders?|demands?|curious)(?: me| us)?(?: (?:to (?:know|see|have|hear|get|understand|be told)|for|about))?(?: (?:if|whether|that))?\\b[ ,:]*`,
    '',
  ),
  of(
    `(?:^|[,;.] ?|\\bbut |\\band )(?:a |some |any |the )?(?:ballpark|rough|approximate|round)(?: (?:number|numbers|figure|figures|estimate|idea|count|guess))? (?:is|are|would be|will be|'s|will)? ?(?:fine|ok|okay|enough|good|do|great|sufficient|alright)\\b`,
    ' ',
  ),
  of(
    `[,;]? ?\\b(?:for|in|at|on|before|to put in|to put into|to use in|to show) (?:my|our|their|his|her|a|the|an|tomorrow's|today's|this) ${occasion}(?= *(?:$|[,;.?!]))`,
    ' ',
  ),
  of(
    `^(?:hi|hello|hey|hiya|good morning|morning|good afternoon|good evening)?[ ,]*(?:i|we)(?:'ve| have|ve)? (?:got )?an? (?:\\w+ )?(?:meeting|call|audit|review)(?: (?:at|in) (?:\\d|an? )[\\w ]{0,10}| (?:later )?(?:tomorrow|today|soon))? ?[,;:–-]+ ?`,
    '',
  ),
  of(
    "^(?:any idea|any clue|do you (?:happen to )?know|can you (?:tell|say)|no idea|not sure|tell me|i (?:want|need|would like|d like|'d like) to (?:know|see)|i (?:was|am|'m|m) wondering|wondering|curious)[ ,]*(?=how|what|which|who|whether|if|when|where)",
    '',
  ),
  of('\\b(?:in|with) (?:plain|simple|normal|easy) (?:english|words|terms|language)\\b', ' '),
  of(
    '[,;]? ?\\b(?:no rush|no hurry|when you have time|if you know|if you can tell|if that is possible|if thats possible|just curious|just so i know|so i know|so we know|to be sure|just to be sure|just checking|for fun|while you are at it|while youre at it|no more no less|you know|i mean|if any)\\b(?= *(?:$|[,;.?!]))',
    ' ',
  ),
  of('^(?:(?:right|so(?! far| many| much)|well|ok|okay|hmm+|um+|actually|sorry|hang on|wait|listen)[ ,]+)+', ''),
  of('[,;] ?(?:thanks|thx|ta|cheers|please|pls|plz)(?: a lot| so much)?(?= *(?:$|[.?!]))', ''),
];

/** One meaning, one wording. */
export const rewritings: readonly Rewriting[] = [
  // Contractions and shorthand.
  of("\\bhasn'?t|\\bhas not\\b", 'has not'),
  of("\\bhaven'?t\\b", 'have not'),
  of('\\b(\\d+) ?(?:h|hrs?|hours)\\+', 'more than $1 hours'),
  of('\\b(\\d+) ?d(?:ays)?\\+', 'more than $1 days'),
  of('\\bfire ?walls?\\b', 'firewall'),
  of('\\b(?:nite)\\b', 'night'),
  // Times.
  of('\\b(?:since|for) (more than|over|at least|less than) ', 'for $1 '),
  of(
    '(?<!\\b(?:most|least|more|very|signed in|logged in|seen|sent|added|fired|last) )\\b(?:lately|recently|of late|in recent days|(?:in|over|during) the (?:last|past) few days|nowadays|these days)(?! (?:signed|seen|fired|added|closed|sent))\\b',
    'in the last 7 days',
  ),
  of('\\b(?:in|over) recent weeks|(?:in|over) the (?:last|past) few weeks\\b', 'in the last 30 days'),
  of('\\b(?:in|over) recent months|(?:in|over) the (?:last|past) few months\\b', 'in the last 3 months'),
  of('\\b(?:this|the past|the last) week ?end\\b', 'last weekend'),
  of('\\bover ?night\\b', 'overnight'),
  of('\\b(?:the |this )?(?:last|past) (?:couple|pair) of (hours|days|weeks|months)\\b', 'last 2 $1'),
  of('\\b24 ?/ ?7|24 ?x ?7\\b', '24x7'),
  // Comparison with the time before.
  of(
    '\\b(?:(?:more|fewer|less)(?:,? or (?:more|fewer|less))|are there (?:more|fewer)|do we have (?:more|fewer)) ((?:[\\w-]+ ){1,4})than last (week|month|quarter|year)\\b',
    '$1 this $2 versus last $2',
  ),
  of(
    '\\b(?:did|have|has|are|is|were|was)((?: [\\w-]+){1,5}?)(?: (?:go|gone|going|went))? (?:up or down|down or up|up|down)(?: (?:compared (?:to|with)|since|from|against|vs\\.?|versus|over|on))? last (week|month|quarter|year)\\b',
    '$1 this $2 versus last $2',
  ),
  of(
    '\\b(?:are|were) we (?:any )?(?:busier|noisier|quieter|less busy)(?: or (?:busier|noisier|quieter))? (?:than|compared to) last (week|month|quarter|year)\\b',
    'alerts this $1 versus last $1',
  ),
  of('\\bmonth (?:over|on) month\\b', 'this month versus last month'),
  of('\\bweek (?:over|on) week\\b', 'this week versus last week'),
  of('\\bsat(?:urday)?s? ?(?:\\+|and|&|or|\\/) ?sun(?:day)?s?\\b', 'on weekends'),
  of(
    '\\b(?:school |opening |shop )?(?:hrs|hours) (?:of |from )?(\\d{1,2}) ?(?:-|–|to) ?(\\d{1,2})\\b',
    'between $1:00 and $2:00',
  ),
  // Since when nothing was heard.
  of(
    '\\b(?:last (?:check-?ed ?in|check-?in|seen|contact|heard from|report(?:ed)?|event|signal|online|log)|(?:not|no|never|hasn.?t|haven.?t)(?: been)? (?:check-?(?:ed )?in|phoned home|called home|pinged|seen|contact|heard from|reported|reporting|online|talk(?:ed|ing)?(?: to us)?|sent (?:us )?(?:anything|logs|events|data)))(?: is| was| were)? (?:for )?(?:more than|over|longer than|>|at least) (\\w+ ?\\w+?)(?: ago)?(?= *(?:$|[,.?!]))',
    'silent for more than $1',
  ),
  // Ways of happening.
  of(
    '\\b(?:gets?|got|getting|was|were|been|is|are|being) (?:attacked|targeted) (?:the )?(most|more|least)\\b',
    'had the $1 alerts',
  ),
  of('\\b(?:gets?|got|getting|was|were|been|is|are|being)(?: ever)? (?:attacked|targeted)\\b', 'with alerts'),
  of(
    '\\b(?:did|have|has|do) (?:we|you|anyone|anybody|somebody|someone|the soc|they)(?: ever)? (?:block|disable|lock)(?:ed)? (?:any |an? |some )?(?:accounts?|users?|people|person)\\b',
    'any block user responses',
  ),
  of(
    '\\b(?:did|have|has|do) (?:we|you|anyone|anybody|somebody|someone|the soc|they)(?: ever)? (?:isolate|quarantine)d? (?:any |an? |some )?(?:thing|devices?|machines?|hosts?|box(?:es)?|endpoints?|computers?|pcs?|servers?)\\b',
    'any isolate responses',
  ),
  of(
    "\\b(?:(?:what(?:'s| is|s)?|show(?: me)?) )?(?:on |in )?my (?:queue|plate|desk|backlog|workload|todo|to-do)(?: list)?\\b",
    'my open cases',
  ),
  of(
    '\\b(?:average|avg|mean) (?:number of |count of )?alerts (?:per|in each|for each|in a) case\\b',
    'average number of alerts of cases',
  ),
  of(
    '\\b(?:got |get |gets |getting )?(?:trip|trips|tripped|tripping|set off|sets off|setting off)(?: an?| any| the| many| more| most)? (alerts?|alarms?|rules?|detections?)\\b',
    'have $1',
  ),
  of('\\b(?:go|goes|went|gone|going) off\\b(?! (?:the )?(?:radar|air|network|map|grid|line))', 'fired'),
  of('\\balerting\\b(?! rules?)', 'with alerts'),
  of('\\balerted (?:the )?(most|least)\\b', 'had the $1 alerts'),
  of(
    '\\b(?:sat|sits?|sitting|stuck|lying around|lingering|hanging|parked|left|languishing) (?:there )?(waiting|untouched|unassigned|open|unseen|in|with|on)\\b',
    '$1',
  ),
  of(
    "\\b(?:no ?body|no ?one|none of us|no analyst|not anyone)(?: has| have| had|s|'s| is| was)?(?: even| yet| ever| actually)? (?:picked up|taken|claimed|grabbed|started on|assigned|working on|on it|owns|own|owned|took|on)(?: up| yet| so far)*\\b",
    'unassigned',
  ),
  of(
    "\\b(?:no ?body|no ?one)(?: has| have|'s|s)?(?: even| yet| ever| actually)? (?:looked at|looked into|touched|seen|opened|checked|viewed|read|reviewed|triaged)(?: yet| so far)*\\b",
    'unseen',
  ),
  of("\\b(?:i|we)(?: have| 've|'ve)? ?(?:not|never|haven'?t) (?:looked at|seen|read|opened)\\b", 'unseen'),
  of(
    '\\b(?:turned out|turns out|ended up|proved|proven|confirmed)(?: to be| being| as)? (?:real|true|genuine|actual|bad|an? (?:actual|real|true) (?:attack|incident|threat)s?|true positives?)\\b',
    'with verdict malicious',
  ),
  of('\\b(?:were|was|are|is) (?:actually |really )?(?:real|genuine|bad)(?= *(?:$|[?.,]))', 'with verdict malicious'),
  // Owners: those of a person are the organisation’s.
  of('\\bmy (people|users|staff|team|employees|folks)\\b', 'our $1'),
  // Owners of the records of the question before.
  of('\\b(?:who|whom|which (?:client|customer)s?) (?:do|does|did) (?:they|it|these|those|that) belong to\\b', 'which client'),
  of('\\bwhose (?:are they|is it|is that|are those|are these)\\b', 'which client'),
  of(
    "\\bwho(?:'s| is|s| are) (?:it|that|they|those|these) (?:assigned to|owned by|with)\\b|\\bwho(?:'s| is|s)? (?:on|got|has|owns?) (?:it|that|them|those|these)\\b|\\bwho owns (?:em|it|them)\\b",
    'who is the owner',
  ),
  // Measures.
  of(
    '\\bhow (?:fast|quick|quickly|long) (?:do|did|does|are|were) (?:you|you guys|your (?:guys|team|people|analysts|soc)|the soc|the analysts|we|they|your analysts)(?: take)?(?: to)? (?:answer|respond|react|reply|acknowledge|ack|pick (?:them|it|things|cases|alerts)? ?up)\\b',
    'mean time to acknowledge of cases',
  ),
  of('\\btime to ack\\b|\\back time\\b', 'time to acknowledge'),
  of('\\bhow (?:much|many) computers\\b', 'how many computers'),
  of('\\bwhat (?:fraction|share|proportion|part|portion|percent|percentage)\\b', 'what share'),
  of('\\b(?:once|only once|just once|one time|only one time)(?= *(?:$|[?.,]))', 'exactly one alert'),
  // Exposure.
  of('\\bare we (?:affected|exposed|vulnerable)(?: (?:by|to|from))?', 'any findings with'),
  of('\\b(?:ip|ips|ip address|ip addresses)\\b', 'address'),
  // Quality, frequency.
  of(
    '\\b(?:how good is|how is|whats|what.?s|what is)? ?(?:our |the )?(?:mitre|att&ck|detection|technique)(?: att&ck)? coverage\\b',
    'what share of techniques is covered',
  ),
  of(
    '\\b(?:ai|machine|robot|bot|algorithm|decisioning|portal|verdict|model|system)(?: has| have)? (?:got it|was|were|is|gets it|being) wrong\\b',
    'overturned',
  ),
  of(
    '\\bhow often (?:does|did|do) (?:the )?(?:ai|machine|decisioning|verdicts?|model|system) agree with (?:the )?(?:reviewers?|humans?|people|analysts?)\\b',
    'what share of reviews are in agreement',
  ),
  of(
    '\\bneed(?:s|ing)? (?:an? |the |their |its )?(?:agents? )?(?:to be )?(?:upgrade|update|updating|upgrading|upgraded|updated)s?\\b',
    'with outdated agents',
  ),
  of(
    '\\b(?:others|other companies|other firms|peers|competitors|similar companies|everyone else|companies) (?:in|of) (?:our|the|my|its) (?:industry|sector|branch)\\b',
    'the industry average',
  ),
  of(
    '\\b(?:the )?(?:average|mean|avg) (?:of|over|across|for) (?:all )?(?:of )?(?:my|our|the) ?(?:other )?(?:clients|customers)\\b',
    'the client average',
  ),
  of(
    '\\b(versus|vs\\.?|against|than|compared? (?:to|with)|to|with) (?:the |our )?(?:industry|sector|market)(?= *(?:$|[?.,!]))',
    '$1 the industry average',
  ),
  of('\\bmore recently than\\b', 'since'),
  of('\\blonger ago than\\b', 'before'),
  of('\\bof each(?: one| kind| type)?(?= *(?:$|[?.,]))', 'each'),
  of('\\b(?:the )?most times\\b', 'most often'),
  of('\\b(vuln|vulnerability|alert|case|incident|event)[ -]?wise\\b', 'with the most $1s'),
  of(
    '\\b(share|percentage|proportion|percent|%) of ([\\w-]+) (?:in|among|amongst|within|out of) (?:all )?((?:[\\w-]+ ){0,2}(?:cases|alerts|devices|findings|vulnerabilities|vulns|responses|reviews|incidents|tickets|servers))\\b',
    '$1 of $3 that are $2',
  ),
  of('\\b(alert|alarm|detection) types\\b|\\b(?:types|kinds|sorts) of (?:alerts|alarms|detections)\\b', 'rules'),
  of('\\bnew ((?:[\\w-]+ )?(?:rules|techniques|users|tactics)) (?=.*\\b(?:not|weren.?t|wasn.?t|didn.?t)\\b)', '$1 '),
  of(
    '\\b(?:have |has |had )?never ([a-z]+ed|seen|sent)(?= (?:this|last|in the|since|during|over the|today|yesterday)\\b)',
    'have not $1',
  ),
  of('\\blongest list of\\b', 'most'),
  of('\\b([a-z]+s) (?:that |which )?(?:have |are |has )?(?:been )?wait(?:ed|ing) (?:the )?longest\\b', 'oldest $1 waiting'),
  of('\\b(top (?:\\w+ )?[a-z]+s) by (?:the )?(?:number|count|amount|volume) of\\b(?! affected)', '$1 with the most'),
  of('\\bhow come\\b', 'why'),
  of(
    '\\btechniques? (?:without|with no|that have no|having no) (?:any )?(?:detections?|rules?|coverage)\\b',
    'uncovered techniques',
  ),
  of(
    '\\b(yesterday|today|morning|evening|afternoon|(?:mon|tues|wednes|thurs|fri|satur|sun)day) between (\\d{1,2}) and (\\d{1,2})(?= *(?:$|[?.,!]))',
    '$1 between $2:00 and $3:00',
  ),
  of('\\bwhere (?:is|are) (.+?) (?:located|based)\\b', 'city of $1'),
  of(
    '\\brank (?:the |our |all |my )?([a-z]+) by ((?:[a-z]+ ){0,2}(?:alerts|cases|incidents|tickets|devices|vulnerabilities|findings))\\b',
    '$2 per $1, most first',
  ),
  of(
    '\\b(?:any|some)thing (?:that )?(?:i|we) (?:still )?(?:need|have|ought|should) (?:to )?(?:answer|reply to|respond to|decide)\\b',
    'any cases waiting for the client',
  ),
  of(
    '\\b(?:the |our |their )?(?:client|customer)s? (?:has|have|did)(?:n.?t| not| never)(?: yet)? (?:answered|replied|responded|reacted|answer|reply|respond)(?: to)?(?: yet)?\\b',
    'without a client answer',
  ),
  of(
    '\\b(?:the |our |their )?(?:client|customer)s? (?:called|said|answered|says|marked|judged)(?: (?:is|was|were|as|them|it))* (benign|malicious)\\b',
    'answered $1',
  ),
  of(
    '\\b(?:machines?|devices?|hosts?|boxes|box|endpoints?|computers?|pcs?) (?:were|was|got|have been|has been|did we|did you) (?:isolated?|quarantined?)(?= (?:this|last|in|since|yesterday|today|during|over|on))',
    'isolate responses',
  ),
  of(
    '\\b(?:users?|accounts?|people) (?:were|was|got|have been|has been|did we|did you) (?:blocked?|disabled?|locked?)(?= (?:this|last|in|since|yesterday|today|during|over|on))',
    'block user responses',
  ),
  of('\\b(?:no ?body|no ?one) (?:has |have )?(?:did|done|touched|worked on) (?:anything|something|it|them)\\b', 'untouched'),
  of(
    '\\bhow long (do|did) ((?:[a-z]+ ){1,3}?)(?:usually |normally |typically )?(?:stay|remain) open\\b',
    'how long $1 $2take to close',
  ),
  of(
    '\\brules? (?:that |which )?(?:have |has )?never (?:ever )?(?:fired|triggered|matched|hit|went off)\\b(?! *(?:in|this|last|since|for|during|over|on|today|yesterday)\\b)',
    'rules without alerts ever',
  ),
  of('\\b(?:average|avg|mean) (?:number|count|amount) of ([a-z]+) per (?!case)', 'mean $1 per '),
  // Every, none and how many of a kind.
  of(
    '^(?:is |are )?every (?!.*\\b(?:in which|on which|that|which|where|who|whose)\\b)(.+?) (?:is|are|has|have|was|were) ',
    'are all $1 that are ',
  ),
  of(
    '^(?:none|not one|not a single one) of (?!(?:those|them|these)\\b)(?:the |our |my )?(.+?) (?:is|are|was|were|has|have) ',
    'are there any $1 that are ',
  ),
  of('\\b([a-z]{4,}s) ?\\/ ?(client|customer|device|host|user|rule|analyst|day|week|month|hour)\\b', '$1 per $2'),
  of(
    '\\b(?:the )?(?:max|maximum|highest|most|largest|biggest) (?:number of |count of )?([a-z]+s) (?:on|in|during|within) (?:a|one|any) (?:single )?(day|week|month|hour)\\b',
    'which $2 had the most $1',
  ),
  of(
    '\\b(?:up|down|increased?|decreased?|risen?|rose|drop(?:ped)?|fall|fallen|fell|grown|grew|grow|shr[iau]nk|climb(?:ed)?)(?: by (?:how much|how many|what))? (?:since|from|compared (?:to|with)|against|over|versus) last (week|month|quarter|year)\\b',
    'this $1 versus last $1',
  ),
  of(
    '\\bhow (?:often|many times) (?:did|has|have|does) (?:the )?(?:rule |detection )?(.+?) (?:ever )?(?:fired?|trigger(?:ed)?|hit|match(?:ed)?|go off|gone off)\\b',
    'how many alerts of $1',
  ),
  of('\\b(?:only )?(?:fired|triggered|matched|hit) (?:only |just )?once\\b', 'with exactly 1 alert'),
  of('\\b(?:has |have |had )?(?:sent|reported|logged|delivered) nothing since\\b', 'not seen since'),
  of(
    '\\b(?:whose |where (?:the )?|with )?(?:agents?|collectors?|versions?) (?:is|are) not (?:on )?(?:the )?(?:newest|latest|current)(?: versions?| one| release)?\\b',
    'with outdated agents',
  ),
  of('\\bcase ?loads?\\b', 'cases'),
  of(
    "\\b(?:is|are|has|have|did) ((?:our |the |my |their |\\w+'s |\\w+ )?risk(?: scores?)?)(?: been)? (?:going|go|gone|getting|moving|mov(?:e|ed)|ris(?:e|ing|en)|fall(?:ing|en)?|improv(?:e|ed|ing)|chang(?:e|ed|ing))(?: up or down| up| down| better or worse| better| worse)?(?= *(?:$|[?.,]))",
    '$1 and change in 7 days',
  ),
  of('\\blongest[ -](?:open|running|standing) (?!open)', 'longest running open '),
  of(
    '(?<!(?:between|from) )\\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)(,| and| or| &|, and) ((?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b(?=.*\\b(?:week|month|year|quarter|january|february|march|april|may|june|july|august|september|october|november|december)\\b)',
    '$1s$2 $3s',
  ),
  of(
    '\\bis (mfa|2fa|the second factor) (?:on|enabled|active|set(?: up)?|switched on|turned on) for (?:everyone|everybody|all|all users|all of us)\\b',
    'are all portal users with $1',
  ),
  of('\\blow confidence\\b', 'confidence under 65'),
  of('\\bhigh confidence\\b', 'confidence at least 80'),
  of('\\b(?<!not )(?<!without )(?:a single|only one|just one) (alert|case|device|user|finding|hit)\\b', 'exactly 1 $1'),
  of(
    '\\b(?:were |was |are |is |got )?(?:fixed|patched|remediated) (?:within|inside) (an?|one|\\d+) (hour|day|week|month)s?\\b',
    'with time to fix at most $1 $2',
  ),
  of('\\b(which|how many) of (?:my|our) (client|customer|tenant)s\\b', '$1 $2'),
  of('\\b(did|have) i (?=(?:close|resolve|acknowledge|escalate|reopen|assign|accept|isolate|block)(?:e?d)?\\b)', '$1 myself '),
  of('\\bi (?=(?:closed|resolved|acknowledged|escalated|reopened|accepted|isolated|blocked)\\b)', 'myself '),
  of('\\b(before|after|until|till) noon\\b', '$1 12:00'),
  of('\\b(?:answered|replied to|responded to) by (?:the |our |a )?(?:clients?|customers?)\\b', 'with a client answer'),
  // Lengths and replies.
  of('\\b(closed|resolved|solved|finished) (?:within|inside) (an?|one|\\d+) (hour|day|week)s?\\b', '$1 in at most $2 $3'),
  of(
    '\\b(?:were |was |are |is |got )?(acknowledge|contain)e?d (?:within|inside) (an?|one|\\d+) (hour|day|week|minute)s?\\b',
    'with time to $1 at most $2 $3',
  ),
  of(
    '\\b(?:but |with |and |that have |having )?(?:no|without an?|without any|without) (?:answer|reply)(?: yet| so far)?(?: (?:from|of|by) (?:the |our |their )?(?:clients?|customers?))?(?: yet)?\\b',
    'without a client answer',
  ),
  of(
    '\\b(?:did|has|have) (?:the |our )?(?:clients?|customers?) (?:answer|reply|respond)(?:ed)?(?: to)?\\b',
    'with a client answer',
  ),
  of('\\b(top|most|first)( \\d+)? (?:noisy|loud|chatty)\\b', '$1$2'),
  of(
    '\\b(log-?in|sign-?in|log-?on)s?(?: attempts?)?(?: that)? (?:have |has |were |was )?(?:failed|refused|denied)\\b',
    'failed logins',
  ),
  of('\\bmost (old|new)\\b', '$1est'),
  of(
    '\\bwhat (?:needs|should|must|do (?:we|i) need|do (?:we|i) have)(?: to)?(?: (?:we|i|be))? ?(?:to )?(?:patch|fix|updat)(?:ing|ed|e)?(?: be)? first\\b',
    'findings with the highest priority first',
  ),
  of(
    '\\bwho (?:still )?(?:has|have|does|do|is|are)(?: still)?(?: no|n.?t(?: have| use| got)?| not(?: have| use| got)?| without) (?=mfa|2fa|two|second|multi)',
    'which portal users have no ',
  ),
  of('\\bwho (?:uses|used|is using|was using) (?=\\S)', 'which users are on '),
  of(
    '\\bhow (confident|sure|certain) (?:is|was|are) (?:the )?(?:ai|portal|machine|decisioning|system|model)\\b',
    'mean confidence of cases',
  ),
  of('\\boutside (?:of )?(?:mon(?:day)?s? ?(?:-|–|to|through) ?fri(?:day)?s?|week ?days)\\b', 'on weekends'),
  of(
    '\\bhow long (?:are|is|do you keep|do we keep|are the|do you store) ?(?:our |the )?(alert|event)s?(?: data)?(?: kept| stored| retained| available)?\\b',
    '$1 retention of all clients',
  ),
  of(
    '\\b(?:where|whose) (?:the )?(user|device|host|analyst|owner|case|client|tag) (?:name |field )?is (?:empty|blank|missing|unknown|none|unset|not set|null)\\b',
    'without a $1',
  ),
  of('\\b(excl|incl|approx|avg|max|min|sev|dept)\\.(?= )', '$1'),
  of('\\breviewed (?:the )?(most|fewest|least) cases\\b', 'did the $1 reviews'),
  of('\\bblocked (users?|accounts?|people) (?=last|this|yesterday|in |since|today|during|over)', 'block user responses '),
  of(
    '\\bwhen did (?:some|any) ?(?:one|body) (?:from|at|of|in) ([\\w-]+)(?: last)? (?:log|sign)(?:ged|ned)? ?(?:in|on)\\b',
    'which portal user at $1 most recently signed in',
  ),
  of('\\b(mon|tues|wednes|thurs|fri|satur|sun)days? (morning|afternoon|evening|night)s\\b', '$1days in the $2'),
  // Ways to order.
  of('\\b(?:slowest|longest|highest|worst) (?:ones? )?(?:first|at (?:the )?top|on top)\\b', 'most first'),
  of('\\b(?:fastest|quickest|shortest|lowest|best) (?:ones? )?(?:first|at (?:the )?top|on top)\\b', 'fewest first'),
  of('\\b(?:biggest|largest|highest|most|worst) (?:one )?(?:first|on top|at the top)\\b', 'most first'),
];

export const applied = (text: string, list: readonly Rewriting[]): string =>
  list.reduce((replaced, [pattern, words]) => replaced.replace(pattern, words), text);
