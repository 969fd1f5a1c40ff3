/** Questions without a query: data that is not stored, secrets, commands. */

/** Not stored, or not measured: the words, and their explanation. */
export const notKept: readonly [RegExp, string][] = [
  [/\b(?:packets?|pcaps?|packet captures?|netflow)\b/i, 'network packets are not captured; events and alerts are kept'],
  [
    /\b(?:cpu|processor|ram|memory usage|disk space|free disk|disk is free|disk usage|how full|bandwidth|temperature|uptime)\b/i,
    'the load and the disks of devices are not measured',
  ],
  [
    /\b(?:cost|costs|costing|price|money|dollars?|euros?|invoice|billing|budget|salary|salaries|wages?|pay rise|bonus(?:es)?|margins?|profits?|profitab\w+|revenue|turnover|roi|return on (?:\w+ )?investment|credits? owed|penalt(?:y|ies)|refunds?)\b/i,
    'costs and money are not recorded',
  ],
  [/\b(?:satisfaction|satisfied|happy|happier|nps|survey)\b/i, 'satisfaction is not recorded'],
  [
    /\b(?:hacker group|threat actor|apt ?\d+|which group|attribution|who is behind|whos behind|nation.state|ransom(?:ware)? gang)\b/i,
    'attacks are not attributed to groups',
  ],
  [
    /^(?!.*\b(?:expir|laps|end(?:s|ing)?\b|run(?:s|ning)? out|renew|due\b)).*\b(?:forecast|predict(?:ion|ed)?|will be|will we|will our|will it|going to be|next (?:week|month|year|quarter)|tomorrow|by christmas|in the future)\b/i,
    'the portal keeps what has happened and makes no forecasts',
  ],
  [
    /\b(?:phone calls?|called us|calls we made|calendar|holiday plan|on holiday|shift plan|duty rota|rota|duty roster|who(?:'s|s| is| will be| was)? (?:on|working|covering|doing|off)(?: the)? (?:nights?|days?|lates?|earlies|shift|duty|call|sick|holiday|leave)\b|on call(?! contact))\b/i,
    'calls and calendars are not recorded',
  ],
  [/\b(?:source code|login page code|database dump)\b/i, 'the portal’s own code and data files are not shown'],
  [
    /\b(?:weather|jokes?|recipes?|football|lottery|horoscope|lunch menu|coffee machine|appointments?|parking)\b/i,
    'the portal keeps nothing about that',
  ],
  [
    /\b(?:security training|awareness training|trained in|trainings?|certificates? of (?:our )?(?:staff|analysts?))\b/i,
    'trainings are not recorded',
  ],
  [
    /\b(?:percentiles?|\d\dth percentile|p9\d|quartiles?|deciles?|standard deviation|correlat(?:e|es|ed|ion) (?:with|between)|cumulative|pareto|regression)\b/i,
    'percentiles, correlations and cumulative shares are not computed; counts, shares, means and medians are',
  ],
  [
    /\b(?:followed by|preceded by|followed within|immediately followed|followed \w+ \w+ (?:within|inside))\b/i,
    'the order of alerts on a device is not compared',
  ],
  [
    /^(?:so |and |but )*(?:when |who |what |which \w+ )?(?:will|won't|wont) (?!.*\b(?:expir|laps|end|run(?:s|ning)? out|renew|due)\w*\b)/i,
    'the portal keeps what has happened and makes no forecasts',
  ],
  [
    /^(?:please |can you |could you )*(?:write|make|create|give|build|code|develop|craft)(?: me| us)? (?:an? |some |the )?(?:working )?(?:exploits?|malware|virus(?:es)?|payloads?|phishing (?:mails?|emails?|pages?)|ransomware|keyloggers?|backdoors?)\b/i,
    'no means of attack are written here',
  ],
  [
    /^(?=.*\b(?:connections?|connectors?|integrations?)\b)(?=.*\b(?:broken|failing|failed|down|working|healthy|errors?|data|status|state|since when)\b)(?!.*\b(?:alerts?|events?|cases?|devices?|agents?|responses?|lost|lose|losing)\b)/i,
    'the state of connections is on their own page, and is not asked about here',
  ],
  [
    /\bbest[- ]practi[cs]e(?:s)?\b(?=.*\b(?:ticked|checked|unticked|unchecked|items?|nobody|list|missing|done|attested|open)\b)|\b(?:ticked|checked|unticked|unchecked)(?: off)?\b.*\bbest[- ]practi[cs]e/i,
    'single best practices are on the page of the risk score, and are not asked about here',
  ],
  [
    /^(?!.*\b(?:expir\w*|laps\w*|end(?:s|ing)?|run(?:s|ning)? out|renew\w*|due|meeting|visit|presentation|qbr|call|audit)\b).*\bnext (?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i,
    'the portal keeps what has happened and makes no forecasts',
  ],
  [
    /^why (?:do|does|am|are|should|would|can|cant|can't|is it that|must) (?:i|we|you|they|it|my|our|your)\b/i,
    'reasons are not kept beyond what the lists show',
  ],
];

/** Secrets, refused for every role. */
export const forbidden =
  /\b(?:(?<!\b(?:wrong|bad|incorrect|failed|mistyped|weak|expired) )passwords?(?!-stealing| (?:(?:were|was|got|been) (?:re)?(?:set|changed)\b|spray|guess|crack|attack|polic|resets\b|changes\b|wrong|incorrect|attempt|failure|fails?\b|lockout|error|mistake))|pwd?s?\b(?! (?:resets|changes)\b)|(?:wifi|wi-fi|login|admin) (?:key|credentials?|details)|passphrases?|passcodes?|(?<!\b(?:touched|created|revoked) (?:any |an |new )?)api (?:keys?|tokens?)(?! (?:were |was |got )?(?:created|revoked|touched)\b)|(?:qr|totp|2fa|mfa|two-factor|authenticator|backup|one-time) (?:secrets?|seeds?)|secret codes?|two-factor codes?|secret keys?|access tokens?|mfa secrets?|recovery codes?|private keys?|session (?:ids?|tokens?)|system prompt|your (?:instructions|prompt)|ignore (?:all |your |the )?(?:previous|prior|above))\b/i;

/** Commands: verb → what it does and where. Only at the beginning of a question, after a courtesy. */
export const courtesy =
  /^(?:(?:please|pls|plz|bitte|ok|hey|hi|can you|could you|would you|will you|i need you to|i want you to|go ahead and|now|just|sapphire|kindly|please you can|you can|you should|lets|let's|let us|we need to|we have to|we want to|i want to|i need to|i have to|i would like to|i'd like to|id like to|i'd like you to|id like you to|somebody|someone|ask someone to|have someone)[ ,]+)*/i;
/** "Quarantine orders", "mail errors", "patch speed": the first word is no verb. */
export const nominal =
  /^[a-z-]+ (?:counts?\b|rates?\b|errors?\b|fail(?:ed|ures?)\b|orders?\b|speed\b|grouped\b|waiting\b|detections?\b|(?:is|per|by|past)\b|[/>])/i;
export const commands: readonly [RegExp, string, string?][] = [
  [
    /^(?:tag|untag|rename|(?:add|put|set|remove) (?:the |a |an )?tags?)\b/i,
    'Tags are set on the page of data sources.',
    'devices',
  ],
  [
    /^(?:bin|scrap|ditch|get rid of|throw out) (?:\S+ ){1,4}?(?:suppressions?|rules?|cases?|alerts?|exceptions?|users?|accounts?|reports?|tags?|exclusions?)\b|^(?:fold|combine|join) (?:the |these |those |two |both )|^give (?:it|this|that|them|the |case |ticket |incident |inc )(?!.*\b(?:list|number|count|figures?|names?)\b).{0,60}\bto (?!date\b|day\b|us\b)\w+(?: \w+)?[.!]*$|^make (?:me|him|her|them|\w+) (?:an? )?(?:admin(?:istrator)?|manager|owner|analyst|host)\b|^stop (?:the |those |these |sending |all |my )(?!.*\?)/i,
    'This is done on the pages of the portal.',
    undefined,
  ],
  [
    /^(?:isolate|quarantine|contain|cut off|unisolate|release|unblock|block|kill|disable|lock|unlock|enable|suspend|ban)\b(?! (?:responses|requests|actions)\b)/i,
    'Responses are requested on the case or the device.',
    'response',
  ],
  [
    /^(?:close|reopen|re-open|escalate|assign|reassign|unassign|approve|reject|merge|mark|set|acknowledge|take over|change)\b/i,
    'Cases are worked on on their page.',
    'cases',
  ],
  [
    /^(?:turn (?:on|off)|switch (?:on|off)|force|log ?out|sign out|kick out|activate|deactivate|open (?:a|an|the|new) (?:case|ticket|incident)|raise (?:a|an) (?:case|ticket|incident))\b/i,
    'Settings are changed on their pages.',
    undefined,
  ],
  [
    /^(?:undo|revert|roll back|rollback|grant|revoke|promote|demote|unlink|drop the suppressions?|take \S+(?: \S+)? off(?:line| the network)|put \S+(?: \S+)? (?:in|into|under) (?:quarantine|isolation)|give \S+(?: \S+)? (?:access|admin|rights))\b/i,
    'This is done on the page of the case, the device or the user.',
    undefined,
  ],
  [
    /^(?:(?:grab|take|claim|snag|pick up) (?:over )?(?:case|ticket|incident) #?\d|(?:put|bring|get|let) (?:\S+ ){1,4}back (?:online|on\b|in\b|up\b))/i,
    'This is done on the page of the case or the device.',
    undefined,
  ],
  [
    /^(?:suppress|mute|silence|snooze|whitelist|allowlist)\b/i,
    'Suppressions are made on the page of a rule or an alert.',
    'suppressions',
  ],
  [
    /^(?:delete|remove|erase|wipe|purge)\b(?! (?:them|those|these|low|the low|info))/i,
    'Nothing is deleted from here.',
    undefined,
  ],
  [/^(?:reset|invite|create|add|register)\b/i, 'Users are managed on the page of users.', 'users'],
  [
    /^(?:email|mail|send|forward|schedule|export|download)\b(?! (?:subscriptions?|kinds?|that|which|by |per ))(?! (?:me )?(?:the )?(?:list|number|count|address(?:es)?))/i,
    'Reports and mails are sent from their pages.',
    'reports',
  ],
  [
    /^(?:accept|patch|fix|update|upgrade|install|uninstall|roll out|rollout|restart|reboot|run|scan|accept)\b(?! (?:status|state|rate))/i,
    'This is done on the pages of vulnerabilities and agents.',
    'vulnerabilities',
  ],
];
