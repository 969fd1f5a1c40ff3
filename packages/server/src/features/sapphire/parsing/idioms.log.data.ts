/** Turns of phrase about times, orders and what only the audit log holds; applied after those of idioms.data.ts. */
import { of, type Rewriting } from './idioms.data.ts';

export const furtherRewritings: readonly Rewriting[] = [
  of(
    '^(?:(?:please|kindly|pls) )*(?:identify|provide|supply|extract|compile|specify|itemise|itemize)(?: me| us)?(?: with)? (?=\\S)',
    'list ',
  ),
  of('\\b(tagged|tag|labelled|labeled|called|named) "([\\w -]{2,30})"', '$1 $2'),
  of('\\btop-(?=\\d)', 'top '),
  of(
    '\\b(since|after|before|from|until) ([01]\\d|2[0-3])([0-5]\\d)(?= *(?:$|[?.,!]|hrs?\\b|hours\\b|today|yesterday|on |last ))(?: ?(?:hrs?|hours))?',
    '$1 $2:$3',
  ),
  of(
    '\\bsince (an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\\d+) (hour|day|week|month)s?\\b(?! ago)(?=(?<=\\b(?:silent|quiet|offline|down|dead|connecting|reporting|sending|talking)\\b.*))',
    'for $1 $2s',
  ),
  of(
    '\\bsince (one|two|three|four|five|six|seven|eight|nine|ten|twelve) (hours?|days?|weeks?|months?)\\b(?! ago)',
    'in the last $1 $2',
  ),
  of(
    '\\b(?:are|is) (?:all (?:of )?(?:our |my |the )?|our |my |the )(computers|machines|devices|servers|workstations|laptops|pcs|agents|collectors|endpoints|hosts|boxes|firewalls|switches|routers) (?:all )?(?:ok|okay|fine|all right|alright|healthy|in order|good|up and running|working|running|well)\\b',
    'are all $1 reporting',
  ),
  // Authors of changes are in the log alone.
  of(
    '\\bwho (?:has |have |all )?(?:changed|altered|modified|edited|amended|adjusted|tampered with|messed with|fiddled with) (?:the |any |our |some |of |all |alert )*(suppression|user|case|response|alert|tag|device|client|account|agent|schedule|subscription)s?(?: settings?| rules?| rights?| roles?)?\\b',
    '$1 change audit entries by actor',
  ),
  of(
    '\\bwho (?:has |have |all )?(deleted|removed|created|invited|updated|deactivated|reactivated) (?:the |any |our |some |a |an )*(?:portal )?(?:users?|accounts?|user accounts?)\\b',
    '$1 user audit entries by actor',
  ),
  of(
    '\\bwho (?:has |have |all )?added (?:the |any |our |some |a |an |new )*(?:portal )?(?:users?|accounts?|user accounts?)\\b',
    'created user audit entries by actor',
  ),
  of(
    '\\b(?:portal )?(?:user accounts?|users?|accounts?)(?: that| which)?(?: have been| has been| were| was| got)? (deleted|removed|deactivated|reactivated)(?= (?:in|last|this|since|between|yesterday|today|during|over|from|within|before|after)\\b)',
    '$1 user audit entries',
  ),
  of(
    '\\bwhat (?:all )?(?:has |was |were |have |has been |s )?(?:changed|altered|modified|edited) (?=\\w)(?!since|when)(?:in (?:the )?(?:settings|configuration|portal) ?)?',
    'audit entries ',
  ),
  of(
    '\\bwho (?:has |have |all )?(?:exported|downloaded|viewed or exported|exported or viewed) (?:the |any |our |some |all )*(alert|case|report|user)s?\\b',
    '$1s exported audit entries by actor',
  ),
  of('\\breports exported audit', 'report exported audit'),
  of(
    "\\b(?:are|do|did) we clos(?:e|ing) (?:more |faster |quicker )?(?:cases |tickets |incidents )?than we(?:'?re| are)? open(?:ing)?\\b",
    'how many cases opened and how many cases closed',
  ),
  of('^(?:please |pls )?name (?=the |all |me |our |my |every )', 'list '),
  of('\\b(?:the |our )?(first|second|third|fourth) quarter(?! of)\\b', 'q<$1>'),
  of('\\bq<first>', 'q1'),
  of('\\bq<second>', 'q2'),
  of('\\bq<third>', 'q3'),
  of('\\bq<fourth>', 'q4'),
  of('\\b(?:(?:in|over|within|during|for) )?the coming (\\d+ |two |three |four )?(days?|weeks?|months?)\\b', 'in the next $1$2'),
  of('\\b(?:(?:in|over|within|during|for) )?the (?:coming|next) fortnight\\b', 'in the next 14 days'),
  of('\\b(?:the |our )?(1st|2nd|3rd|4th) quarter(?! of)\\b', 'q<$1>'),
  of('\\bq<(\\d)(?:st|nd|rd|th)>', 'q$1'),
  of(
    '\\bwhich (?:of (?:the |our |my |your )+)?(partner|client|customer|analyst)s? (?:gets?|has|have|had|closes?|closed|resolves?|resolved|sorts?|sorted|handles?|handled|is|was|deals?|dealt)\\b(?:(?! (?:last|this|in|since|yesterday|today) ).)*? ?\\b(?:the )?(?:fastest|quickest|most quickly)\\b(?! (?:growing|rising))',
    'mean time to close of cases per $1, fewest first',
  ),
  of(
    '\\bwhich (?:of (?:the |our |my |your )+)?(partner|client|customer|analyst)s? (?:gets?|has|have|had|closes?|closed|resolves?|resolved|sorts?|sorted|handles?|handled|is|was|deals?|dealt)\\b(?:(?! (?:last|this|in|since|yesterday|today) ).)*? ?\\b(?:the )?(?:slowest|most slowly)\\b',
    'mean time to close of cases per $1, most first',
  ),
  of(
    '\\b(?:were |was |are |is |got |get )?(?:touched|picked up|reacted to|responded to|looked at|answered|seen to|attended to) (?:within|inside|inside of|in under|in less than) (an?|one|\\d+) ?(hour|h|day|week|minute|min|m)s?\\b',
    'with time to acknowledge at most $1 $2',
  ),
  of('\\bat most (\\d+) (?:min|m)\\b', 'at most $1 minutes'),
  of('\\bat most (\\d+) h\\b', 'at most $1 hours'),
  // Approvers are in the log alone.
  of(
    '\\bwho (?:all )?(?:has |have )?(approved|rejected) (?:the |any |all |our |of the )*(?:responses?|requests?|actions?|isolations?|blocks?)\\b',
    'response approved audit entries by actor',
  ),
  of('\\b(?:raised|triggered|fired|caused|generated|produced) by (?=(?:the )?(?:rule|detection|signature) )', 'of '),
  of(
    '\\bwho (?:is |was |has been |have been |s |is currently )?(?:work(?:s|ed|ing)|look(?:s|ed|ing)) (?:on|at|into|after) (case|incident|ticket) (?=#?\\d)',
    'who is the owner of $1 ',
  ),
  of('\\b(not|never|n.t)(?: (?:been|ever|yet))? scanned (?=since|in the|for|during|within|this|last)', '$1 last scanned '),
  of(
    '\\bwhen (?:was|were|did we|did you) (.+?) (?:last |first )?(isolate|block|disable)d?(?= *(?:$|[?.,!]))',
    'latest $2 response for $1',
  ),
  // Hours.
  of('\\b(between|from|after|before|until|since) midnight\\b', '$1 0:00'),
  of('\\b(and|to|until|till|-) (?:noon|midday)\\b', '$1 12:00'),
  of('\\b(between|from|after|before) (?:noon|midday)\\b', '$1 12:00'),
  of('\\b(\\w+) n (?=\\d|[a-z]{2,})', '$1 and '),
  of('\\b([01]\\d|2[0-4])([0-5]\\d) ?(?:-|–|to|until|till) ?([01]\\d|2[0-4])([0-5]\\d)\\b', '$1:$2 to $3:$4'),
  of(
    '\\boutside (?:of )?(?:the hours (?:of )?|between |from )?(\\d{1,2}(?::\\d\\d)? ?(?:am|pm)?) ?(?:-|–|to|and|until|till) ?(\\d{1,2}(?::\\d\\d)? ?(?:am|pm)?)(?= |$|[?,.;])',
    'not between $1 and $2',
  ),
  of('\\b(?:during|in|on|over) (?:the )?night shifts?\\b', 'at night'),
  of('\\b(?:during|in|on|over) (?:the )?day shifts?\\b', 'in working hours'),
];
