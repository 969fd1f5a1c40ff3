/** Turns of phrase about cases, devices and people, put before those of `idioms.data.ts`. */
import { of, type Rewriting } from './idioms.data.ts';

const soc =
  '(?:you|you guys|your (?:team|analysts|people|guys)|the (?:soc|team|analysts)|we|they|somebody|someone|anyone|anybody)';
const machine = '(?:laptops?|pcs?|computers?|machines?|devices?|hosts?|box(?:es)?|endpoints?|workstations?|servers?)';
const weakness =
  '(?:(?:security )?(?:vulnerabilit(?:y|ies)|vulns?|weakness(?:es)?|flaws?|holes?|bugs?|findings?)|cves?|cve ids?|missing patch(?:es)?)';
const the = '(?:(?:which|what)(?: (?:are|is) the)? |the |our )?(?:one |single )?';
const first = '(top \\d+ |\\d+ )?';
const adjectives = '((?:(?:critical|high|medium|low|open|unpatched|unfixed|exploited|known exploited|kev) )*)';
const thing = '(?:things?|ones?|items?|jobs?|stuff|(?:loose )?ends?)';
/** Words of a negation that stays. */
const not = "(?:not|never|n't|nt)";

export const caseRewritings: readonly Rewriting[] = [
  // The extreme record of another: "which client has the oldest open case".
  of(
    '\\b(?:which|what|whose) (?:of (?:our|my|the) )?(client|customer|device|machine|user|analyst|partner|rule)s? (?:has|had|have|got|holds|owns|is sitting on|sits on|with) (?:got )?(?:the |our )?(oldest|newest|latest|most recent|longest[- ](?:open|running|waiting)) ((?:[\\w-]+ ){0,3}?)(case|alert|ticket|incident|finding|vulnerability|suppression|response|review)s?\\b',
    '$2 $3$4 with its $1',
  ),
  of('\\b((?:oldest|newest|latest|most recent|longest[- ]\\w+) (?:[\\w-]+ ){0,4})with its (?:client|customer)\\b', '$1'),
  of(
    "\\bwho (?=(?:has|have|did|does)(?: not|n'?t)(?: ever| yet)? (?:log|logged|sign|signed|been) (?:in|on)\\b)",
    'which portal users ',
  ),
  of('\\bwho (?:has )?reviewed (?:case|ticket|incident) #?(\\d+)', 'reviews of case $1 with reviewer'),
  of(
    '\\b(?:are|is|did|do|were|have|has|was) (?:(?:we|you|they|there)|([\\w-]+)) (?:getting|seeing|having|get|see|have|had|seen|been getting|been seeing|closing|opening) (?:any )?(?:more|fewer|less) ((?:[\\w-]+ ){1,4})than last (week|month|quarter|year)\\b',
    '$1 $2this $3 versus last $3',
  ),
  of(
    '\\b(clients?|customers?) (?:that |which |who )?(?:have |has |are |is )?(?:got|gotten|getting|become|became|becoming|turned|went|going) (?:much |any )?worse(?: (?:this week|lately|recently|over the last week|in the last (?:7|seven) days|since last week))',
    'risk scores with change in 7 days over 0',
  ),
  of(
    '\\b(clients?|customers?) (?:that |which |who )?(?:have |has |are |is )?(?:got|gotten|getting|become|became|becoming|turned|went|going|improved|improving) ?(?:much |any )?(?:better)?(?: (?:this week|lately|recently|over the last week|in the last (?:7|seven) days|since last week))',
    'risk scores with change in 7 days under 0',
  ),
  of('^(are|do|have|were|did) all (?:of )?(?:our|the|my|of (?:our|the|my)) ', '$1 all '),
  of(
    '\\b(?:sending|send|sends|giving|delivering|providing|passing)(?: you| us| to you| to us)? (?:their |its |any |the |all )*(?:logs?|data|events?)(?: to (?:you|us))?(?= *(?:$|[?.,!]))',
    'reporting',
  ),
  of(
    "\\b(CVE-\\d{4}-\\d{4,7})\\b[ ,:?–-]*(?:and )?who(?:'s| is| all is| are)? (?:affected|exposed|vulnerable|hit|impacted)(?: by (?:it|this|that))?",
    'findings with $1',
  ),
  of("\\bwho(?:'s| is| all is| are)? (?:affected|exposed|vulnerable|hit|impacted) (?:by|to) ", 'findings with '),
  of(
    '\\b(users?|devices?|machines?|hosts?|people) (?:that |which |who )?(?:have |has )?(?:triggered|caused|set off|tripped|generated|raised)(?: the| any| an?)?(?= (?:(?!most|fewest)[\\w-]+ ){0,2}(?:alerts?|detections?|alarms?)\\b)',
    '$1 with',
  ),
  of('\\bat the most (?!\\d)', 'with the most '),
  of(
    `\\b(${weakness} (?:with|on|have|has|hits?|affects?)) (?:the )?most (?:affected|vulnerable|exposed|impacted) (?=${machine}\\b)`,
    '$1 the most ',
  ),
  of(
    `\\b${the}${first}most (?:common|widespread|frequent|prevalent|wide-spread) ${adjectives}${weakness}\\b`,
    '$2 findings by cve most first $1',
  ),
  of(
    `\\b(?:which|what) ${adjectives}${weakness} (?:is|are) (?:the )?most (?:common|widespread|frequent|prevalent)\\b`,
    '$1 findings by cve most first',
  ),
  of(
    '\\b(last|this) (week|month|quarter|year)\\b(.*?\\b(?:than|vs\\.?|versus|against|to|with) )the (?:one|\\2) before(?: (?:that|it|last))?\\b',
    '$1 $2$3the <$1> $2',
  ),
  of('the <last> (\\w+)', 'the $1 before last'),
  of('the <this> (\\w+)', 'last $1'),
  of(
    `\\b(?:has|have|was|were|did) (?:any|a|one|some)(?: of (?:our|the|my))? ?${machine} (?:ever )?(?:been |get |got )?(?:isolated|quarantined|cut off|contained)(?= (?:in|during|over|within|since|this|last|yesterday|today|at) )`,
    'any isolate responses',
  ),
  of(
    '\\b(?:(?:that|which) )?(?:are |is )?(?:missing|lacking|behind (?:on|with)|needing) (?:the latest |the |some |any |security |important |critical )*(?:updates|patches|security updates)\\b',
    'with open findings',
  ),
  of(`\\bwhat (?:all )?(?:did|have|has) ${soc} escalated?\\b`, 'escalated cases'),
  // Analysts.
  of(
    "\\bwho(?: has| have|'s| all has) (?=(?:closed|resolved|shut|finished|completed|solved|reviewed|approved|requested|suppressed|created|escalated|reopened|acknowledged)\\b)",
    'who ',
  ),
  of(
    '\\beach of (?:my|our|the) (?:analysts?|lads?|lasses|guys|people|team(?: members)?|colleagues|folks|staff|girls|boys|crew)(?: and (?:lads?|lasses|girls|boys|gals|women))?\\b',
    'each analyst',
  ),
  of('(?<!\\b(?:cron|scheduled|backup|batch|print|good|nice|great|dream) )\\bjob(s?)\\b(?! titles?)', 'case$1'),
  of(
    '\\bwho(?: all| else)?(?: here)?(?: (?:at|in|from|of|on) (?:our|my|the) (?:\\w+|own \\w+))?(?: here)? (?:can|could|is able to|is allowed to|are allowed to|may|has the right to|is permitted to) (?:log|sign|get|go)(?: ?in| ?on)?(?: ?to)? ?(?:this|the|that|our|your)? ?(?:thing|portal|system|tool|site|app|platform|dashboard|product|service)?(?= *(?:$|[?.,!]|with|without|and|not|as|,))',
    'which portal users ',
  ),
  of(
    `\\bhow long (?:does|do|did|will) it (?:usually |normally |typically |generally |really |actually )?take (?:you people|you guys|you lot|you|your (?:team|people|guys|analysts)|them|us|the (?:soc|team|analysts)) to (?:sort|fix|deal with|resolve|close|handle|clear|solve|get rid of|finish|work through) (?:something|things|stuff|it|(?:an? |the |our )?(?:issues?|incidents?|problems?|cases?|tickets?|matters?))(?: out| up| off)?(?: (?:once|when|after) (?:it|they|you|something)(?:'s|'ve|'re| is| are| has been| have been| gets?)? (?:spotted|found|detected|noticed|seen|reported|raised|see it|find it|notice it|flagged))?`,
    'mean time to close of cases',
  ),
  of(
    '\\b(?:holes|weaknesses|gaps|flaws|weak spots|cracks|things|patches|updates) (?:that |which )?(?:we|i|they) (?:should|must|need to|ought to|have to) (?:plug|close|fix|patch|tackle|address|mend|repair|deal with) first\\b',
    'highest priority findings',
  ),
  of(
    `\\b(?:did|have|has) ${soc} (?:switch(?:ed)?|turn(?:ed)?|shut|cut|take|taken|took|lock(?:ed)?|knock(?:ed)?) (?:off|down|out|offline) (?:any|some|one)(?: of)? ?(?:our|my|the)? ?${machine} (?:or|and) (?:accounts?|users?|people|logins?)\\b`,
    'any isolate or block user responses',
  ),
  of(
    `\\b(?:did|have|has) ${soc} (?:switch(?:ed)?|turn(?:ed)?|shut|cut|take|taken|took|knock(?:ed)?) (?:off|down|offline) (?:any|some|one)(?: of)? ?(?:our|my|the)? ?${machine}\\b`,
    'any isolate responses',
  ),
  of(
    'how (?:often|many times) (?:did |has |does |do |have |was |were )?(?:it|they|that|those|this|these)(?: ones?| rules?)? (?:did |ever |actually |have |has )*(?:fired?|trigger(?:ed)?|go off|gone off|went off|hit|match(?:ed)?|happen(?:ed)?|occur(?:red)?)(?: in)?',
    'how many alerts of it',
  ),
  of(
    '\\b(?:since|for) how (?:many (?:days|hours|weeks|months)|long) (?:is|has|are|have) ((?:the |our )?(?:oldest|longest)(?: open)? (?:case|incident|ticket|issue|finding|alert)) (?:been )?(?:open|waiting|there|running)',
    'how long has $1 been open',
  ),
  of('\\b(?:in )?between(?= *[?.!]*$)', 'among them'),
  of('\\b(?:minimum|min\\.?|at minimum|at a minimum)(?: severity)? (low|medium|high|critical)\\b', '$1 or higher'),
  of(
    '\\b(?:the )?(newest|latest|oldest|most recent|highest|lowest|worst) (?:ones? )?(?:above|on top|at the top|at top|up top)\\b',
    '$1 first',
  ),
  of("\\b(?:from )?(\\d{1,2}) ?(?:until|till|to|and|-|–) ?(\\d{1,2}) ?(?:o'?clock|o clock|uhr)\\b", 'from $1:00 to $2:00'),
  of('\\bhalf a year\\b', '6 months'),
  of('\\bknown(?: about)? for (more than|over|at least) ', 'older than '),
  of('\\b(?:in|into) (?:plain )?english(?: please| pls)?\\b', ''),
  of(
    '\\b(?:a )?less ((?:[\\w-]+ )?(?:alerts|cases|incidents|tickets|devices|findings|vulnerabilities|events)) than\\b',
    'fewer $1 than',
  ),
  of('^(?:how|what) (?:many|much) user (?=has|have|does|do|are)', 'how many users '),
  of(
    '\\bstill (?:sitting |lying |hanging |knocking )?(?:on (?:the|our|my) (?:books?|list|board|pile|slate)|around|about|in (?:the|our|my) (?:queue|backlog|pile))\\b',
    'still open',
  ),
  of(
    '\\bhow many alerts (?:did|do|have|has|were|are) (?:the |our |all |these |those |any )*suppressions? (?:hide|hidden|hid|mute[ds]?|swallow(?:ed)?|caught|catch|suppress(?:ed)?|silenced?|cover(?:ed)?)\\b',
    'how many suppressed alerts',
  ),
  of(
    "(?<!\\b(?:not|never|cannot|hardly|\\w+n['’]?t) )\\b(?:that |which )?(?:will |could |might |may |would |are going to |are about to |are due to )?(?:breach(?:es|ing)?|run(?:s|ning)? out of time|miss (?:the |their |its )?(?:sla|target|deadline)) (?:within|in|inside) (?:the )?(?:next )?(?:(\\d+|two|three|four|five|six|eight|twelve) )?(minute|hour|day)s?\\b",
    'within sla with time left under <$1> $2s',
  ),
  of('under <> ', 'under 1 '),
  of('under <(\\w+)> ', 'under $1 '),
  // Done by persons.
  of(
    '\\bhow many ([\\w ]+?) (?:did|does|has|have|do) (?:each|every|the individual)(?: one)?(?: of (?:our|the|my))? (?:analysts?|person|people|colleagues?|team members?|guys?) (?:closed?|resolved?|shut|finish(?:ed)?|completed?|wrap(?:ped)? up)\\b',
    'how many $1 closed per closer',
  ),
  of(
    `\\bwhat (?:did|have|has) ${soc} (?:actually |really )?(?:do|done) (?:about|against|to|with) (?:it|that|this|them|those)\\b`,
    'which responses were there for it',
  ),
  of(`\\bwhat (?:did|have|has) ${soc} (?:actually |really )?(?:do|done) (?:about|against|to|with) `, 'responses to '),
  of(
    "\\bwhat(?:'s|s| is| are)? (?!(?:the|this|that|it)\\b)([\\w .]{2,30}?)(?:'s| is|s)? (?:currently |now )?(?:working on|busy with|dealing with|handling)\\b(?= *(?:$|[?.,!]|right now|now|at the moment|today))",
    'open cases of $1',
  ),
  of(
    '\\b(?:miss(?:ed)?|fail(?:ed)?|blow|blew|bust) (?:any|an|our|the|some) (?:slas?|service levels?|deadlines?)\\b',
    'have any breached cases',
  ),
  of(
    "\\b(?:client|customer)s? (?:that |who |which )?(?:(?:have|has|had|did)(?: not|n'?t)|never)(?: yet)? (?:answered|replied|responded|reacted|answer|reply|respond|got back|come back)(?: (?:to )?us| to us)?(?: yet)?\\b",
    'clients with cases waiting for the client',
  ),
  of(
    '\\b(?:nobody|no ?one)(?: has| have|s)? (?:yet )?(?:approved|ok-?ed|signed off|authori[sz]ed)(?: yet)?',
    'awaiting approval',
  ),
  of(
    '\\bwhen did (?:we|you) last (?:hear|get anything|get something|see anything|receive anything|receive events|receive logs|get logs|get events) (?:from|of) ([\\w.-]+)',
    'when was the device $1 last seen',
  ),
  of(
    '\\b(?:any|some)thing (?:weird|odd|strange|unusual|fishy|funny|dodgy|out of the ordinary|untoward|abnormal)(?: (?:happening|going on|happen|happened))?\\b(?= (?:on|at|from|in|with|last|this|since|over|during|yesterday|today|overnight))',
    'any alerts',
  ),
  of(
    '\\b(?:(?:is|are|was|were|keeps?) )?(?:creating|producing|generating|causing|raising|throwing|making|giving us) (?:us )?(?:the )?(most|fewest|least)\\b',
    'has the $1',
  ),
  of(
    '\\b(clients?|customers?|tenants?|companies|company) (?:that |which |who )?(?:had|have had|has had|suffered|have suffered|got|saw|experienced) (?:an? |any |actual |real )*(?:breach(?:es)?|compromises?|break-?ins?|intrusions?)\\b(?! of (?:sla|the sla))',
    '$1 with malicious cases',
  ),
  // Cases.
  of(
    `\\b(oldest|newest|latest|longest[- ]waiting|longest[- ]open|worst|biggest|most (?:serious|urgent|important|severe)|nastiest|hottest) (?:open )?${thing}(?= (?:(?:still |currently |that is |that's |thats )?(?:sitting|open|waiting|lying|stuck|hanging)\\b|in (?:the|our|my) (?:queue|backlog|pile)\\b))`,
    '$1 open case ',
  ),
  of(
    `\\b(worst|most serious|most severe|gravest|nastiest|scariest|biggest) ${thing} (?:that |which )?(?:has |have )?(?:happened|hit|struck|came|occurred|befell)(?: to)?(?: us| me)?\\b`,
    'worst case',
  ),
  of(
    '\\bhow long (?:has|have|is|are) (?:the |our |my )?(oldest|longest)(?: open)? (case|incident|ticket|issue|problem|alert|finding|vulnerability)s? (?:been )?(?:going(?: on)?|open|waiting|running|around|sitting|there)\\b',
    'oldest open $2',
  ),
  of(
    '\\bstill (?=(?:un(?:assigned|owned|claimed|allocated)|without an? (?:owner|analyst|assignee|handler)|with(?:out| no) (?:an? )?(?:owner|analyst|assignee))\\b)',
    'open ',
  ),
  of(
    `\\bhow many (?:things|items|matters|events|issues) (?:did|have|has) ${soc} (?:checked|check|looked (?:at|into)|look (?:at|into)|handled?|investigated?|dealt with|deal with|examined?|reviewed?|worked on|work on)\\b`,
    'how many cases',
  ),
  of(
    '\\bescalations\\b(?! (?:mails?|emails?|address(?:es)?|contacts?|rates?))',
    'cases with status escalated or escalated closed',
  ),
  of(
    '\\b(?:any|some)thing (?:that )?(?:the (?:client|customer)|they) (?:still )?(?:needs?|has|have|ought|should) (?:to )?(?:answer|reply to|respond to|decide|sign off)(?: on)?',
    'any cases waiting for the client',
  ),
  of(
    '\\b(mean|average|avg|median) time from (?:opening|open|creation|raising|start) to (?:closing|close|closure|resolution|end|finish)\\b',
    '$1 time to close of cases',
  ),
  of(
    '\\b(?:where|when|how often|in which cases|in what cases) (?:did|does|has|was|were|is|do) (?:the |our |your )?(?:ai|machine|robot|bot|algorithm|engine|decisioning|automatic|automated|portal|model|system)(?: verdicts?| decisions?| judgements?)? (?:get|got|gotten|been|go|gone|judge|decide)? ?(?:it |them |that |things )?(?:wrong|incorrect|mistaken|wrongly|incorrectly)\\b',
    'reviews with decisioning marked incorrect',
  ),
  // Devices.
  of(
    `\\b(cut off|isolated|quarantined|contained|disconnected|walled off)((?: from| off)? (?:the |our )?network)?,? (?:and|but) (?:that )?(?:have |has |are |were |was |we |still )*${not}(?:[ '](?:yet|been|so far))* (?:let|put|brought|allowed|taken|released|reconnected|unisolated|lifted|freed|restored)(?: (?:back|again|online|on|in|out|free|yet|so far))*`,
    'currently isolated',
  ),
  of('\\bhave we currently isolated\\b', 'are currently isolated'),
  of(
    `\\b(?:the )?(?:number of times|how often|how many times) (?:someone's|somebody's|someones|somebodys|an?|any|our|one of our|the)? ?(${machine}) (?:was|were|got|been|has been|have been|had to be|did we|did you) (?:isolated?|quarantined?|cut off|contained?|taken off the network)`,
    'how many isolate responses for $1',
  ),
  of(
    `\\b(?:did|has|have|was|were|is|are) (?:there )?(?:an?|any|some) (virus(?:es)?|malware|trojans?|ransomware|worms?|spyware) (?:get|gotten|got|land|landed|hit|been|been found|end up|ended up|show up|find its way|make it|found)?(?: (?:on ?to|into|in|on|at))? (?:any of our|any|one of our|our|my|the|one of my)? ?(${machine})`,
    'any malware alerts on $2',
  ),
  of(
    '\\b(is|are) (?:our |the |my )?([\\w0-9 .-]{3,40}?) (?:hooked up|connected|set up|plugged in|configured|wired up) (?:properly|correctly|right|ok|fine|well)\\b',
    '$1 $2 ok',
  ),
  of("\\bsome(?:one|body)'?s (?=(?:laptop|pc|computer|machine|device|account)\\b)", ''),
  of('\\bagainst (?:his|her|their|its|my|your|our) names?\\b', ''),
  // People.
  of(
    '\\bwho (?:else )?(?:besides|apart from|other than|except(?: for)?|aside from|but) (?:me|myself) ((?:can|could|has|have|is able to|may)\\b.*?)([?.!]*)$',
    'who $1, not me$2',
  ),
  of('\\bwho else (?:can|could) (?:get|log|sign) in(?:to)?\\b', 'who besides me can log in'),
  of(
    '\\bwho (?:put in|added|entered|made|set up|created|wrote|is behind|introduced) (?:the |that |an? |all |these |those )*(suppression|exclusion|exception|mute)s?\\b',
    'owners of $1s',
  ),
  of(
    "\\b(?:with|having) no (?:end date|expiry(?: date)?|end|expiration(?: date)?)\\b|\\bwithout (?:an? )?(?:end date|expiry(?: date)?|expiration(?: date)?)\\b|\\bthat (?:never|do not|don't|does not) (?:end|expire|run out)s?\\b",
    'without an end date',
  ),
  // Places in the portal.
  of(
    '^(?:please |can you |could you )?(?:take|bring|get|lead|navigate|jump) (?:me |us )?to (?:the )?(.+?) (?:page|screen|tab|list|section|view|settings)(?: please)?[.!]?$',
    'where is the page $1',
  ),
  of(
    '\\bwhat (?:would|could|can|might|will|should (?:we|i) do to) (?:bring|get|push|drive|take|make|help|lower|improve|reduce|cut) (?:it|that|this|the score|our score|our risk(?: score)?|the risk(?: score)?)(?: down| lower| better| go down| drop)?\\b',
    'how can we improve our risk score',
  ),
];
