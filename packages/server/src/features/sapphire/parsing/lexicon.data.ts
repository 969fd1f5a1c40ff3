/** Words of questions that belong to no entity: how they measure, combine, compare, order and refer. One list a meaning, separated by commas. */
import type { Item } from './items.ts';

const words = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean);

export const grammar: readonly [Item, readonly string[]][] = [
  [
    { kind: 'measure', measure: 'count' },
    words(
      'how many, how much, number of, no of, count of, count, amount of, how often, total number of, total count of, as a number, the number, quantity of, tally of, how meny, howmany, in total, number',
    ),
  ],
  [
    { kind: 'measure', measure: 'list' },
    words('list, show, show me, give me, display, list of, find, get me, see, pull up, name, which ones, gimme'),
  ],
  [
    { kind: 'measure', measure: 'exists' },
    words(
      'is there, are there, is there any, are there any, any, do we have, do we have any, did we have, did we get, were there, was there, have we got, got any, anyone, has there been, have there been, any at all, at all',
    ),
  ],
  [
    { kind: 'measure', measure: 'share' },
    words(
      'percentage of, percent of, share of, % of, what %, proportion of, what share, what percentage, what percent, fraction of, ratio of, portion of, what proportion, rate, rate of, quota, percentage, proportion, share',
    ),
  ],
  [
    { kind: 'measure', measure: 'mean' },
    words(
      'average, avg, mean, on average, typical, typically, usual, how long does it take, how long do we take, how long did it take, how long, how fast, how quickly, how long does it take to close, how long do we take to close, how long did it take to close, how long does it take us to close, how long until we close',
    ),
  ],
  [{ kind: 'measure', measure: 'median' }, words('median')],
  [{ kind: 'measure', measure: 'max' }, words('maximum, max')],
  [{ kind: 'measure', measure: 'min' }, words('minimum, min')],
  [{ kind: 'measure', measure: 'sum' }, words('sum of, sum, added up')],
  [
    { kind: 'superlative', isMost: true },
    words(
      'most, the most, highest, biggest, largest, greatest, top, worst, most common, commonest, most frequent, most often, noisiest, busiest, loudest, maximum number of, most of the, number one, hottest, more',
    ),
  ],
  [
    { kind: 'superlative', isMost: false },
    words('least, fewest, lowest, smallest, the least, quietest, least common, rarest, least often, least frequent, fewer'),
  ],
  [{ kind: 'superlative', isMost: true, isTime: true }, words('newest, latest, most recent, last, youngest, recent')],
  [
    { kind: 'superlative', isMost: false, isTime: true },
    words('oldest, earliest, first, longest open, longest standing, longest'),
  ],
  [
    { kind: 'trend' },
    words(
      'trend, trends, over time, develop, developed, development, evolve, evolved, plot, chart, graph, timeline, going up or down, up or down, rising, falling, going up, going down, increasing, decreasing',
    ),
  ],
  [{ kind: 'order' }, words('first, on top, at the top, at top, frist')],
  [
    { kind: 'compare', comparison: '>' },
    words(
      'more than, over, above, greater than, higher than, exceeding, bigger than, longer than, larger than, beyond, worse than, >, took more than, took longer than, in excess of, upwards of',
    ),
  ],
  [
    { kind: 'compare', comparison: '<' },
    words('less than, under, below, fewer than, lower than, smaller than, shorter than, quicker than, faster than, <, not even'),
  ],
  [
    { kind: 'compare', comparison: '>=' },
    words(
      'at least, minimum of, no less than, no fewer than, no lower than, not less than, not below, not under, >=, from, a minimum of',
    ),
  ],
  [
    { kind: 'compare', comparison: '<=' },
    words('at most, maximum of, no more than, up to, no higher than, not more than, not above, not over, <=, at the most'),
  ],
  [
    { kind: 'compare', comparison: '>=', isAfter: true },
    words(
      'or more, or higher, or above, or worse, and above, and up, and higher, and over, plus, at least, or greater, upwards, and worse, or up, or over, +, minimum',
    ),
  ],
  [
    { kind: 'compare', comparison: '<=', isAfter: true },
    words(
      'or less, or lower, or below, and below, or fewer, and lower, and under, or under, at most, and less, or down, maximum',
    ),
  ],
  [
    { kind: 'compare', comparison: '>', isAge: true },
    words(
      'older than, open longer than, open for more than, open more than, open over, open >, for more than, for over, more than ... ago',
    ),
  ],
  [
    { kind: 'compare', comparison: '<', isAge: true },
    words('newer than, younger than, within the last, not older than, no older than'),
  ],
  [{ kind: 'between' }, words('between')],
  [
    { kind: 'not' },
    words(
      'not, no, zero, without, isnt, arent, wasnt, werent, dont, doesnt, didnt, havent, hasnt, hadnt, never, none of, w/o, non, neither, nor, not yet, never been, cannot, cant, lacking, lack, nothing, no longer, nobody',
    ),
  ],
  [
    { kind: 'except' },
    words(
      'except, excluding, excluded, except for, but not, other than, apart from, aside from, bar, minus, skip, ignoring, ignore, leaving out, leave out, not counting, not including, exclude, besides, barring, drop, and not, without counting, rather than, take out, omit, omitting, save for, not for, less',
    ),
  ],
  [
    { kind: 'and' },
    words('and, &, plus, +, as well as, along with, n, but, though, however, whereas, while, together with, and also, nd'),
  ],
  [{ kind: 'or' }, words('or, /, either, and/or')],
  [{ kind: 'comma' }, [',', '(', ')']],
  [{ kind: 'only' }, words('only, just, solely, exclusively, purely, strictly, alone')],
  [
    { kind: 'group' },
    words(
      'per, by, each, for each, split by, broken down by, grouped by, group by, every, by each, across, breakdown by, per each, sorted by, ordered by, sort by, order by, separated by, divided by, ranked by, for every',
    ),
  ],
  [
    { kind: 'versus' },
    words(
      'vs, versus, v, vs., compared to, compared with, against, than, compare to, above or below, below or above, better or worse than, worse or better than, better or worse, higher or lower than, more or less than, more or fewer than, ahead or behind, compare, comparing, comparison of, difference between, in comparison to, as opposed to, compared',
    ),
  ],
  [
    { kind: 'average' },
    words(
      'client average, average client, the client average, other clients, everyone else, the others, the average, average of clients, customer average, all other clients, other customers, the other clients, our average, clients average, average across clients, average over clients, the rest of the clients, the mean, peers',
    ),
  ],
  [
    { kind: 'reference' },
    words(
      'those, them, these, that, it, of those, of them, of these, among those, among them, of which, out of those, the ones, they, which of them, which of those, same ones, thereof, each of them, of em, em',
    ),
  ],
  [
    { kind: 'reference', isSame: true },
    words('same window, same, same thing, same time, the same, same period, the same thing, same question'),
  ],
  [
    { kind: 'reference', isRest: true },
    words('the rest, the others, the remaining, remaining ones, the rest of them, the remainder'),
  ],
  [{ kind: 'who' }, words('who, whose, which analyst, which person, who is, whos, by whom, whom')],
  [{ kind: 'which' }, words('which, what, whats, what are, what is, which are, which is, what were, what was')],
  [
    { kind: 'have' },
    words(
      'with, having, got, have got, weve got, have, has, involved, affected by, had, w/, that have, which have, who have, that has, involving, containing, including, that had, with at least one, running, run, runs, show up with',
    ),
  ],
  [
    { kind: 'that' },
    words(
      'that, which, who, that are, which are, who are, that is, which is, thats, thatre, that were, that was, where, whove, are, is, were, was, be, been, being, theyre, ended up, turned out, did, has been, have been, end up, turn out',
    ),
  ],
  [
    { kind: 'anything' },
    words(
      'everything, anything, ones, one, stuff, things, something, all of it, thing, items, entries, entry, records, record, all',
    ),
  ],
  [
    { kind: 'follow' },
    words('and, what about, how about, now, then, ok, also, and what about, and how about, again, now only, ok and'),
  ],
  [{ kind: 'preposition', text: 'by' }, ['by', 'from', 'via', 'through']],
  [
    { kind: 'preposition', text: 'of' },
    words(
      'of, on, at, for, in, to, about, with, within, from, around, regarding, concerning, during, as, under, over, inside, against, across, related to, belonging to, linked to, associated with, coming from, for our, in terms of, than, with respect to, into',
    ),
  ],
  [{ kind: 'break' }, words('?, ;, ., .., ..., ...., then')],
  [{ kind: 'colon' }, [':']],
  [
    { kind: 'filler' },
    words(`a, an, the, please, pls, plz, me, can, could, would, will, you, tell, do, does, did, i, we, us, our, ours, 's, my own, currently, right now, now, at the moment, at present, presently,
      today's, there, so, ok, okay, hey, hi, hello, sapphire, hmm, well, actually, really, still, already, yet, ever, even, also, too, just, quick, quickly, quick question, exactly, roughly, approximately, thanks, thank you, cheers,
      need, want, like to know, want to know, would like, let me know, let me see, know, wondering, check, looking for, look, looking at, for me, for us, to me, to us, got, get, gets, getting, go, going, have, has, had, having, been, being, is, are, was, were, be, am, im, ive, weve, were,
      in our environment, in our network, on our network, in total, overall, altogether, all together, together, combined, whole, entire, everywhere, here, out, up, that, this, it, its, they, their, these, some, of the, all of the, all the, all our, all of our, all my, my clients, our clients,
      do you see, you see, we see, do we see, can you see, see, saw, seen, appear, appeared, occur, occurred, happen, happened, happening, exist, exists, raised, fired, triggered, generated, recorded, found, detected, received, sent in, came in, come in, coming in,
      please list, hits, hit, total, totals, volume, volumes, stand, standing, sitting, sit, lying, kind of, sort of, sorts, kinds, particular, specifically, specific, respectively, either, both, else, in all, off, on, say, says, said, saying,
      asap, urgently, soon, btw, fyi, um, uh, eh, lol, hm, right, much, many, very, quite, pretty, lot, lots, mean, means, meant, called, named, labelled, marked as, listed as, shown as, set to, with status, currently, presently, thanks a lot, show up, there is, there are, how do, how does, how did, how, what, when, where, which, took, take, takes, taking, made, make, makes, done, doing, came, come, comes, came up, come up, comes up, turned up, turn up, put, use, used, using, seem, seems, look like, looks like, give, gave, given, overview of, state of, state, status of, in question, out of, out there, as of now, as of today, so far, up to now, until now, to date, own, its own, or ever, mitre, mitre att&ck, att&ck, attack matrix, such as, which is, kindly, please do, from open to close, from opening to closing, from start to finish, at the minute, though, stuck in, sat, sitting, like that, like this, such, should, fire, fires, firing, trigger, triggers, cause, causes, caused, produce, produces, produced, raise, raises, taken, affected, anywhere, morning, good morning, send, sends, sending, sent, did send, use, reported, report in, wanna, gonna, wise, -wise, pls., plz., our own`),
  ],
];

/** Nouns of buckets: "per weekday", "which hour of the day". */
export const buckets: Readonly<Record<string, readonly string[]>> = {
  hour: words('hour, hour of the day, hour of day, time of day, hours of the day, hourly'),
  weekday: words('weekday, day of the week, day of week, week day'),
  day: words('day, daily, date, day by day'),
  week: words('week, weekly, week by week, calendar week'),
  month: words('month, monthly, month by month'),
};

const weekday = (...days: number[]) => ({ field: 'weekday', in: days });
const hours = (...parts: [number, number][]) => ({
  field: 'hour',
  in: parts.flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index)),
});
/** Times of the week, for every entity with a weekday and an hour. */
export const recurring: readonly [{ field: string; in: number[] }, readonly string[]][] = [
  [weekday(6, 7), words('on weekends, on the weekend, weekends, at weekends, on a weekend, at the weekend, weekend')],
  [
    weekday(1, 2, 3, 4, 5),
    words('on weekdays, weekdays, on working days, working days, on workdays, on week days, business days, on business days'),
  ],
  ...['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map(
    (day, index) =>
      [weekday(index + 1), [`on ${day}s`, `on a ${day}`, `${day}s`, `on any ${day}`, `every ${day}`]] as [
        { field: string; in: number[] },
        string[],
      ],
  ),
  [hours([22, 24], [0, 6]), words('at night, overnight, nightly, by night, during the night, in the night, after midnight')],
];

/** Not kept, or not measured: the words, and what is said about them. */
export const notKept: readonly [RegExp, string][] = [
  [/\b(?:packets?|pcaps?|packet captures?|netflow)\b/i, 'network packets are not captured; events and alerts are kept'],
  [
    /\b(?:cpu|processor|ram|memory usage|disk space|free disk|disk is free|disk usage|how full|bandwidth|temperature|uptime)\b/i,
    'the load and the disks of devices are not measured',
  ],
  [
    /\b(?:cost|costs|costing|price|money|dollars?|euros?|invoice|billing|budget|salary|salaries)\b/i,
    'costs and money are not recorded',
  ],
  [/\b(?:satisfaction|satisfied|happy|happier|nps|survey)\b/i, 'satisfaction is not recorded'],
  [
    /\b(?:hacker group|threat actor|apt ?\d+|which group|attribution|who is behind|whos behind|nation.state|ransom(?:ware)? gang)\b/i,
    'attacks are not attributed to groups',
  ],
  [
    /\b(?:forecast|predict(?:ion|ed)?|will be|will we|will our|will it|going to be|next (?:week|month|year|quarter)|tomorrow|by christmas|in the future)\b/i,
    'the portal keeps what has happened and makes no forecasts',
  ],
  [
    /\b(?:phone calls?|called us|calls we made|calendar|holiday plan|on holiday|shift plan|on call)\b/i,
    'calls and calendars are not recorded',
  ],
];

/** Secrets, whoever asks. */
export const forbidden =
  /\b(?:passwords?(?! (?:spray|guess|crack|attack|polic))|passphrases?|passcodes?|api keys?|secret keys?|access tokens?|mfa secrets?|recovery codes?|private keys?|session (?:ids?|tokens?)|system prompt|your (?:instructions|prompt)|ignore (?:all |your |the )?(?:previous|prior|above))\b/i;

/** Commands: verb → what it does and where. Only at the beginning of a question, after a courtesy. */
export const courtesy =
  /^(?:(?:please|pls|plz|ok|hey|hi|can you|could you|would you|will you|i need you to|i want you to|go ahead and|now|just|sapphire|kindly)[ ,]+)*/i;
export const commands: readonly [RegExp, string, string?][] = [
  [
    /^(?:isolate|quarantine|contain|cut off|unisolate|release|unblock|block|kill|disable|lock|unlock|enable|suspend|ban)\b/i,
    'Responses are requested on the case or the device.',
    'response',
  ],
  [
    /^(?:close|reopen|re-open|escalate|assign|reassign|unassign|approve|reject|merge|mark|set|acknowledge|take over|change)\b/i,
    'Cases are worked on on their page.',
    'cases',
  ],
  [/^(?:tag|untag|rename)\b/i, 'Tags are set on the page of data sources.', 'devices'],
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
    /^(?:email|mail|send|forward|schedule|export|download)\b(?! (?:me )?(?:the )?(?:list|number|count|address(?:es)?))/i,
    'Reports and mails are sent from their pages.',
    'reports',
  ],
  [
    /^(?:accept|patch|fix|update|upgrade|install|uninstall|roll out|rollout|restart|reboot|run|scan|accept)\b(?! (?:status|state|rate))/i,
    'This is done on the pages of vulnerabilities and agents.',
    'vulnerabilities',
  ],
];
