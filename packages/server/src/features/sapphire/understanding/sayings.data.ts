/**
 * Phrase aliases: multi-word phrases and their single-word equivalents, after the grammar has inserted its marks. Applied in
 * order.
 */
export const phraseAliases: readonly [RegExp, string][] = [
  // The kind beside a name is redundant.
  [/\b(?:user|account|username|login|device|host|server|machine|laptop|workstation|box|rule)s? (?=x(?:user|device|rule)\b)/g, ''],
  [/\bmost recent\b/g, ' latest '],
  // Top entities.
  [/\b(?:number one|no\.? ?1|#1|again and again|over and over|time and again|most of)\b/g, ' top '],
  [
    /\b(?:by|in terms of) (?:the |their )?(?:number of |amount of )?(?:alerts?|detections?)(?: (?:count|volume|numbers?))?\b/g,
    ' top alert ',
  ],
  [
    /\b(?:broken down |break(?:down| down) |split |grouped |sorted )?(?:by|per) (?=(?:user|account|device|host|machine|server|technique|tactic|rule|type|category|kind)s?\b)/g,
    ' top ',
  ],
  [/\bbreak ?down of (?=.*\balerts?\b)/g, ' top '],
  // Alerts that go off, come in and are set off.
  [
    /\b(?:go|goes|going|gone|went|set|sets|setting) off\b|\b(?:came|come|comes|coming) (?:in|through)\b|\blit up\b|\blights? up\b/g,
    ' triggered ',
  ],
  [/\bhow big\b|\bsize of\b|\bnos?\. of\b|# of\b/g, ' count '],
  [
    /\bhow (?:has|have|had|is|are|did|does|do)\b(?=.*\b(?:mov(?:e|ed|ing)|chang(?:e|ed|ing)|evolv(?:e|ed|ing)|develop(?:ed|ing)?)\b)/g,
    ' trend ',
  ],
  // Device problems.
  [
    /\b(?:needs?|wants?|deserves?|requires?)\b.{0,20}\b(?:attention|looking (?:at|into)|a look|checking)\b|\bup at night\b|\b(?:look at|start with|focus on|deal with|tackle) first\b|\b(?:in )?(?:the )?(?:worst|bad) shape\b/g,
    ' risk ',
  ],
  [/\b(?:are|is|were) there (?:many|a lot of|lots of|loads of)\b/g, ' count '],
  [/\b(?:not|isn't|aren't|never|un)[ -]?detected\b/g, ' blind coverage '],
  // Responses.
  [
    /\bcontainment actions?\b|\bcarried out\b|\b(?:been |was |were )?done (?:about|with|for|in response)\b|\b(?:lock|kick|shut)(?:ed)? (?:out|off)\b/g,
    ' response ',
  ],
  // Security posture and improvement.
  [
    /\b(?:where|how) (?:do|are|does) (?:we|i|they|it) (?:stand|rank|fare|placed|measure up|stack up|look)\b(?!.*\b(?:response|alert|case))/g,
    ' score ',
  ],
  [
    /\b(?:make|get|bring|drive|push|take|pull)\b.{0,25}\b(?:down|lower|drop)\b|\b(?:be|become|get|more|be more) (?:more )?secure\b|\bless risky\b/g,
    ' improve ',
  ],
  [/\b(?:would|could|will|can) help (?=us|our|the|most|to)/g, ' improve '],
  [/\b(?:would|could|can|do|will) (?:we|you) (?:even )?(?:catch|spot|miss|pick up|recogni[sz]e)\b/g, ' coverage '],
  [/\bvisibility\b/g, ' coverage '],
  // News.
  [
    /\b(?:fill|clue) (?:me|us) in\b|\bup to (?:speed|date)\b|\bupdate (?:me|us)\b|\bha(?:ve|s) (?:i|we) missed\b|\banything happened\b|\banything (?:i|we) (?:should|need to) know\b|\bthe latest\b(?= *(?:$|[?.!,]|since|from|on|at|for|in|xtime|xclient))/g,
    ' change whatsnew ',
  ],
  [/\bup to (?:speed|date)\b/g, ' whatsnew '],
  [
    /\bside by side\b|\bagainst (?=(?:the )?(?:same |previous )?(?:xtime|time|period|week|month))|\b(?:up|down) (?:on|from) (?=(?:the )?xtime)|\b(?:xtime|month|week|year|quarter) (?:v|and) (?=xtime)/g,
    ' compare ',
  ],
  // Times in words.
  [/\bxtime looks?(?:ed)? like\b|\bxtime in review\b/g, ' xtime summarise '],
  [/\bchange[sd]?\b(?=.*\bxtime\b.*\bxtime\b)/g, ' compare '],
  [
    /\b(?:run|walk|talk|take) (?:me|us) through\b|\b(?:round|wrap)(?:ed)? up\b|\bmain (?:events?|points?|things|stories)\b|\bin (?:a few|two|three|some|short) (?:lines|sentences|words)\b|\bshort version\b|\b(?:what|which) (?:kind|sort) of (?:a )?(?:week|month|day|quarter|year)\b|\bhow\b(?=.*\bxtime (?:has |have )?(?:been|gone|went|looked)\b)|\bwhat (?:was|were|is) (?=.*\bxtime.* like\b)/g,
    ' summarise ',
  ],
  [
    /\b(?:came|come|cropped|popped) up\b|\b(?:what|anything)(?:'s| has| is)?(?: been)? (?:went|going|gone|go) on\b/g,
    ' happened ',
  ],
  // The assistant itself.
  [
    /\b(?:what|which)\b.{0,30}\b(?:can|could|do|should|may) (?:i|we) (?:ask|use)\b|\bwhat can (?:sapphire|this|the (?:bot|assistant))\b.*|\b(?:what|which) (?:(?:kind|sort|type)s? of )?(?:topics?|things?|questions?)\b.*\byou\b|^ *(?:who|what|who or what|what or who) are you\b|\bexamples? of (?:what|questions?)\b|\bgood (?:for|at)\b(?=.*$)|\bwhat (?:can i use you for|you can (?:do|answer)|you do)\b/g,
    ' help youdo ',
  ],
  [
    /\b(?:get|have|put|bring|add)\b.{0,40}\b(?:monitored|to monitoring|under monitoring|into monitoring)\b/g,
    ' howdo install agent ',
  ],
  [/\bwork(?:ed)? out\b|\bput together\b(?=.*\bscore)/g, ' computed '],
  [/\bhow (?:many|much)\b|\bnumber of\b|\bhow often\b|\bhow frequent(?:ly)?\b|\bhow many times\b/g, ' count '],
  [/\b(?:what|which) (?:kind|type|sort)s? of\b/g, ' rule '],
  [/\bover time\b|\bgo(?:ing|ne)? (?:up|down)\b|\b(?:going|been) (?:up|down)\b|\bup or down\b/g, ' trend '],
  [/\bdata sources?\b/g, ' device '],
  [/\bbest practices?\b/g, ' bestpractice '],
  [/\bblind[- ]?spots?\b|\bblind to\b/g, ' blind '],
  [
    /\b(?:log )?sources? (?:are |is |do )?(?:we |you )?(?:are )?(?:missing|lack(?:ing)?)\b|\bmissing (?:log )?sources?\b/g,
    ' blind ',
  ],
  [
    /\bcan(?:not|'t| not) (?:we |you )?(?:see|detect)\b|\b(?:we |you )?(?:can't|cannot|can not) (?:see|detect)\b|\bnot (?:see|detect|able to see)\b/g,
    ' blind coverage ',
  ],
  [/\bcan (?:we|you) not (?:see|detect)\b/g, ' blind coverage '],
  [/\b(?:would|do|can|could) (?:we|you) (?:notice|detect)\b|\b(?:would|can|could) (?:we|you) see\b/g, ' coverage '],
  [/\bhow (?:do|can|to|does|could|would|should) (?:i|we|one|you|somebody|someone)?\b/g, ' howdo '],
  [/\bhow to\b|\bwhere (?:can|do|should|could) (?:i|we)\b/g, ' howdo '],
  [/\bwhat(?: else)? (?:can|could|do) you (?:do|know|answer|help)\b|\bask you\b/g, ' help youdo '],
  [/\bwho are you\b/g, ' help youdo '],
  [/\bshould (?:we|i) (?:fix|patch|mend)(?: first)?\b/g, ' vulnerability first '],
  [/\bmean time to\b|\btime to\b|\bhow (?:long|fast|quick(?:ly)?|soon)\b/g, ' time howlong '],
  [/\bresponse times?\b/g, ' time acknowledge '],
  [/\bat risk\b/g, ' risk '],
  [
    /\bcatch (?:me|us) up\b|\bdid (?:i|we) miss\b|\bwhat(?:'s| is| has|'ve| was)? (?:new|changed|different)\b|\banything new\b/g,
    ' change whatsnew ',
  ],
  [/\bcompar(?:e|ed|es|ing) (?:to|with)\b|\bmore or (?:less|fewer)\b|\b(?:more|fewer|less) (?=.*\bthan\b)/g, ' compare '],
  [/\b(?:than|versus|vs\.?)\b/g, ' compare '],
  [
    /\bin words\b|\bsum(?:med)? up\b|\bexecutive summary\b|\bhow (?:was|were)\b(?=.*\b(?:week|month|xtime)\b)|\bhow did\b(?=.*\b(?:go|do)\b)/g,
    ' summarise ',
  ],
  [/\bindustry(?: average)?\b/g, ' industry '],
  [/\bwhat happened\b/g, ' happened '],
  [/\bwhat (?:can|could|should|must) (?:i|we) do(?: about| to)?\b/g, ' improve '],
  [/\brisk(?:s|y)? (?:score|rating|level|number)\b/g, ' risk score riskscore '],
];
