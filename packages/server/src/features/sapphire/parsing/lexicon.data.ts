/** Words of questions that belong to no entity: how they measure, combine, compare, order and refer. One list a meaning, separated by commas. */
import { filler } from './filler.data.ts';
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
      'how many, how much, number of, no of, count of, count, amount of, how often, total number of, total count of, as a number, the number, quantity of, tally of, how meny, howmany, in total, number, how many times, how many of, how many in total, what number of, what is the number of, whats the number of, what is the count of, the count of, headcount of, headcount, tally, total of, the total of, the total number of, nr of, # of, the amount of, amount, tot up, just the number, only the number, number only, sum total of, how large is the number of, how big is the number of',
    ),
  ],
  [
    { kind: 'measure', measure: 'list' },
    words(
      'list, show, show me, give me, view, pinpoint, highlight, overview of, an overview of, snapshot of, table of, roster of, register of, display, list of, find, get me, see, pull up, name, which ones, gimme, pull, pull me, pull together, bring up, bring me, dig up, dig out, fetch, fetch me, print, retrieve, look up, search, search for, run me through, walk me through, take me through, go through, run through, list out, list all, list every, list me, list us, show us, show all, show every, give us, throw me, hit me with, what are the, which are the, enumerate, itemise, itemize, spell out, i need a list of, a list of, the list of, listing of, listing',
    ),
  ],
  [
    { kind: 'measure', measure: 'exists' },
    words(
      'is there, are there, is there any, are there any, any, do we have, do we have any, did we have, did we get, were there, was there, have we got, got any, anyone, has there been, have there been, any at all, at all, has there ever been, have there ever been, was there any, were there any, was there ever, were there ever, did any, do any, does any, is any, are any, have any, has any, were any, was any, is there still, are there still, do you have any, have you got any, did you see any, have you seen any, have we had any, have we had, did we ever have, did we ever see, have we ever had, have we ever seen, have we seen any, have we seen, did we see any, does anyone, does anybody, is anyone, is anybody, has anyone, has anybody, did anyone, did anybody, anybody, present, a single, even one, even a single, whether there are, whether there is, whether we have, if there are any, if we have any, if we had any',
    ),
  ],
  [
    { kind: 'measure', measure: 'share' },
    words(
      'percentage of, percent of, share of, % of, what %, proportion of, what share, what percentage, what percent, fraction of, ratio of, portion of, what proportion, rate, rate of, quota, percentage, proportion, share, how much of, how much percent of, how many percent of, how much percent, how many percent, what part of, what fraction of, what fraction, what share of, are all, is every, is each, are all of, do all, does every, have all, has every, were all, was every, what percentage of, what percent of, what proportion of, which share of, which percentage of, which part of, in percent, as a percentage, as a percentage of, as a share of, as a share, as a proportion of, as % of, pct of, the pct of, % share of',
    ),
  ],
  [
    { kind: 'measure', measure: 'mean' },
    words(
      'average, avg, mean, on average, typical, typically, usually, normally, generally, usual, in average, an average, averages, averaged, how long on average, on average how long, average time, mean time, avg time, how much time does it take, how much time did it take, how much time do we need, how much time, how many hours does it take, how many days does it take, how many hours, how long do you need, how long do you take, how long do your analysts take, how long do your analysts need, how many hours do your analysts need, how long does your team need, how long does your team take, how long does the team take, how long does our soc take, how many days do you need, how many hours do you need, how long did you take, how long did you need, how long does the soc take, how long are, how long is, how soon, how rapidly, how speedy, how quick, how swiftly, how promptly, how slowly, how slow, how long were, how long was, how long does it take, how long do we take, how long did it take, how long, how fast, how quickly, how long does it take to close, how long do we take to close, how long did it take to close, how long does it take us to close, how long until we close',
    ),
  ],
  [{ kind: 'measure', measure: 'median' }, words('median, typical midpoint, in the median, median time')],
  [{ kind: 'measure', measure: 'max' }, words('maximum, max, at its maximum')],
  [{ kind: 'measure', measure: 'min' }, words('minimum, min')],
  [{ kind: 'measure', measure: 'sum' }, words('sum of, sum, added up, the sum of, summed up, in sum')],
  [
    { kind: 'superlative', isMost: true },
    words(
      'most, the most, highest, biggest, largest, greatest, top, worst, most common, commonest, most frequent, most often, noisiest, busiest, loudest, maximum number of, most of the, number one, hottest, more, heaviest, hardest hit, hit hardest, most heavily hit, most affected, most often seen, most active, most prominent, most prevalent, most popular, top-ranking, most noise, most trouble, most headache, most of headache, most of a headache, most work, most pain, most hassle, most problems, most grief, most attacked, most targeted, hardest attacked, highest number of, the highest number of, largest number of, the largest number of, greatest number of, most of all, prevailing, leading, most frequently, in first place, in the lead, the majority of, majority of, majority, biggest number of, chief',
    ),
  ],
  [
    { kind: 'superlative', isMost: false },
    words(
      'least, fewest, lowest, smallest, bottom, the least, quietest, least common, rarest, least often, least frequent, fewer, lowest number of, the lowest number of, smallest number of, least number of, least active, least affected, calmest, least frequently, most rarely, most seldom',
    ),
  ],
  [
    { kind: 'superlative', isMost: true, isTime: true },
    words(
      'newest, latest, most recent, last, youngest, recent, very last, very latest, most recently, when was the last, when was the latest, when was the most recent, when was the newest, when is the last, when did the last, when was the last time, when was the last time that, when was the last time we had, when was the last time we saw, the last time, last time, last time that, for the last time, when did we last have, when did we last see, when did we last get, when have we last seen, the last one',
    ),
  ],
  [
    { kind: 'superlative', isMost: false, isTime: true },
    words(
      'oldest, earliest, first, longest open, longest standing, longest, very first, when was the first, when was the first time, when was the first time that, the first time, first time, for the first time, first ever, first time ever, first time we ever saw, first time we saw, when did we first see, when did we first have, when did we first get, longest running, longest lasting, longest waiting, longest-running, longest-open',
    ),
  ],
  [
    { kind: 'trend' },
    words(
      'trend, trends, over time, develop, developed, development, evolve, evolved, plot, chart, graph, timeline, going up or down, up or down, rising, falling, going up, going down, increasing, decreasing, trending, the trend of, the trend in, trend in, trend of, trend for, how did they develop, how has it developed, over the weeks, over the months, over the days, as a trend, as a chart, as a graph, as a timeline, in a chart, in a graph, a chart of, a graph of, progression, trajectory, curve, movement, go up, went up, gone up, go down, went down, gone down, increase, increased, decrease, decreased, rise, rose, risen, climb, climbed, grow, grown, grew, move over time, climbing, growing, shrinking, soaring, dwindling, declining, rocketing, tailing off, picking up speed, slowing down, speeding up',
    ),
  ],
  [
    { kind: 'alphabet' },
    words(
      'alphabetically, alphabetic, alphabetical, in alphabetical order, in alphabetic order, alphabetical order, in order of name, sorted by name, ordered by name, sort by name, order by name, a to z, a-z, from a to z, sorted alphabetically, ordered alphabetically, listed alphabetically, sort alphabetically, by alphabet',
    ),
  ],
  [
    { kind: 'order' },
    words(
      'first, on top, at the top, at top, at the very top, at the beginning, to the top, up top, leading the list, come first, comes first, go first, at the front',
    ),
  ],
  [
    { kind: 'compare', comparison: '>' },
    words(
      'more than, over, above, greater than, higher than, exceeding, bigger than, longer than, larger than, beyond, worse than, >, took more than, took longer than, in excess of, upwards of, more often than, more frequently than, north of, past, bigger, exceed, exceeds, exceeded, surpassing, surpass, took over, take longer than, takes longer than, taking longer than, lasted longer than, lasting longer than, lasted more than, lasting more than, over and above, better than, beyond the, needed more than, needed longer than',
    ),
  ],
  [
    { kind: 'compare', comparison: '<' },
    words(
      'less than, under, below, fewer than, lower than, smaller than, shorter than, quicker than, faster than, <, not even, inside of, inside, in under, in less than, within less than, took less than, took under, took not even, south of, short of, worse off than, lasted less than, sooner than, earlier than the',
    ),
  ],
  [
    { kind: 'compare', comparison: '>=' },
    words(
      'at least, minimum of, no less than, no fewer than, no lower than, not less than, not below, not under, >=, from, a minimum of, at a minimum, not fewer than, not lower than, minimum, min, starting from, starting at, from at least, at the least, a good',
    ),
  ],
  [
    { kind: 'compare', comparison: '<=' },
    words(
      'at most, maximum of, no more than, up to, no higher than, not more than, not above, not over, <=, at the most, a maximum of, a max of, max, maximum, no longer than, not longer than, not exceeding, not higher than, capped at, at the very most',
    ),
  ],
  [
    { kind: 'compare', comparison: '>=', isAfter: true },
    words(
      'or more, or higher, or above, or worse, and above, and up, and higher, and over, plus, at least, or greater, upwards, and worse, or up, or over, +, minimum, or longer, or older, and more, and longer, and older, upward, and upwards, or bigger, and greater, and higher up, or beyond',
    ),
  ],
  [
    { kind: 'compare', comparison: '<=', isAfter: true },
    words(
      'or less, or lower, or below, and below, or fewer, and lower, and under, or under, at most, and less, or down, maximum, or shorter, or newer, or younger, and fewer, and down, downwards, and downwards, max',
    ),
  ],
  [
    { kind: 'compare', comparison: '>', isAge: true },
    words(
      'older than, open longer than, open for more than, open more than, open over, open >, for more than, for over, more than ... ago, open since more than, open since over, open for over, open for longer than, open for at least, for longer than, has been open for more than, have been open for more than, been open for more than, been open longer than, been open for over, aged over, aged more than, dating back more than, that are over, sitting for more than, waiting for more than, going back more than, been around for more than, lingering for more than, hanging around for more than',
    ),
  ],
  [
    { kind: 'compare', comparison: '<', isAge: true },
    words(
      'newer than, younger than, within the last, not older than, no older than, not yet older than, aged under, aged less than, open for less than, open less than, open under, fresher than, for less than, for under, less old than',
    ),
  ],
  [{ kind: 'compare', comparison: '=' }, words('exactly, precisely, equal to')],
  [{ kind: 'between' }, words('between')],
  [
    { kind: 'not' },
    words(
      'not, no, but none, but no, zero, without, isnt, arent, wasnt, werent, dont, doesnt, didnt, havent, hasnt, hadnt, never, none of, none, none of the, none of them, w/o, non, neither, nor, not yet, not even one, not a single, not a single one, not any, not one, not ever, not been, havent been, hasnt been, isnt yet, wont, wouldnt, couldnt, free of, devoid of, missing, missing a, missing any, no one, noone, no single, not currently, not at all, not actually, not already, not even a single, were never, was never, are never, have never, has never, had never, never had, never got, without any, without a, without an, without a single, with no, with none, with zero, with not a single, having no, have no, has no, had no, dont have, doesnt have, do not have, does not have, didnt have, havent got, hasnt got, havent had, hasnt had, never been, cannot, cant, lacking, lack, nothing, no longer, nobody',
    ),
  ],
  [
    { kind: 'except' },
    words(
      'except, excluding, excluded, except for, but not, but the one, but the ones, but those, all but, everything but, anything but, everyone but, anyone but, everybody but, other than, apart from, aside from, bar, minus, skip, ignoring, ignore, leaving out, leave out, not counting, not including, exclude, besides, barring, drop, and not, without counting, rather than, take out, omit, omitting, save for, not for, less, leave aside, leaving aside, setting aside, set aside, put aside, disregard, disregarding, discount, discounting, remove, removing, minus the, take away, taking away, filter out, filtering out, filter away, strip out, stripping out, strip, throw out, leave off, with the exception of, with exception of, apart, outside of, not those, not the ones, never mind, forget, forgetting, forget about, not counting the, sans, exclusive of, but without, without the, dont count, do not count, dont include, do not include, dont show, do not show, as long as not, unless, dropping, cut out, cutting out, hide, hiding, i dont want, i do not want, i dont need, excepting, bar the, dont want, no need for',
    ),
  ],
  [
    { kind: 'and' },
    words(
      'and, &, plus, +, as well as, along with, n, but, though, however, whereas, while, together with, and also, nd, as well, in addition, in addition to, additionally, besides that, plus also, along',
    ),
  ],
  [{ kind: 'or' }, words('or, /, either, and/or')],
  [{ kind: 'comma' }, [',', '(', ')']],
  [
    { kind: 'only' },
    words(
      'only, just, solely, exclusively, purely, strictly, alone, nothing but, restricted to, limited to, restrict to, limit to, limited only to, confined to, narrowed to, narrow to, narrow it down to, narrow down to, filter to, filter for, filter on, filtered to, filtered by, keep, keep only, stick to, specifically for',
    ),
  ],
  [
    { kind: 'group' },
    words(
      'per, by, each, for each, split by, broken down by, grouped by, group by, every, by each, across, breakdown by, per each, sorted by, ordered by, sort by, order by, separated by, divided by, ranked by, for every, broken down, broken down per, broken out by, broken up by, breakdown per, a breakdown by, with a breakdown by, with a breakdown per, split per, split across, splitting by, split up by, split it by, separately for each, separately by, separately per, separately for, separated per, grouped per, grouped, group them by, group it by, group per, group, sorted per, listed by, listed per, listed for each, counted by, counted per, summed by, totalled by, totals by, totals per, totals for each, total by, total per, one per, for each of, for each of the, for each of our, per each of, on a per, in each, at each, from each, of each, on each, by every, of every, in every, at every, as per, itemised by, itemized by, segmented by, partitioned by, by our, distribution by, distribution across, distribution over, distributed over, distributed by, distributed across, spread across, spread over, spread by, organised by, organized by, arranged by, categorised by, categorized by, aggregated by, aggregate by, slice by, sliced by, pivot by',
    ),
  ],
  [{ kind: 'distinct' }, words('different, distinct, unique, individual, separate, diffrent, differing, of the different')],
  [
    { kind: 'versus' },
    words(
      'vs, versus, v, vs., compared to, compared with, against, than, compare to, above or below, below or above, better or worse than, worse or better than, better or worse, higher or lower than, more or less than, more or fewer than, ahead or behind, compare, comparing, comparison of, difference between, in comparison to, as opposed to, compared, in comparison with, compare with, compares to, compares with, comparing to, comparing with, how does, how do they compare, how does that compare to, how does that compare with, how does this compare to, how does it compare to, how does it compare with, stack up against, stacks up against, set against, measured against, relative to, in contrast to, contrasted with, contrast, side by side, next to each other, head to head, opposed to, as against, up against, up or down on, up on, down on, up from, down from, better than, worse than, the difference between, comparison between, comparison, a comparison of, the comparison of, more or fewer, more or less, increase over, decrease over, increase since, changed since, versus the',
    ),
  ],
  [
    { kind: 'average' },
    words(
      'client average, average client, the client average, other clients, everyone else, the others, average of clients, customer average, all other clients, other customers, the other clients, our average, clients average, average across clients, average over clients, the rest of the clients, peers, the other customers, the average client, the average customer, an average client, average of all clients, average of the clients, mean of the clients, the mean of the other clients, average of the others, all the others, all others, rest of our clients, everybody else, the client mean, mean of all clients, the average across clients, average over all clients, average across all clients, what other clients have, other tenants, the other tenants, all other customers, fleet average, the fleet average',
    ),
  ],
  [
    { kind: 'reference' },
    words(
      'those, them, these, that, it, of those, of them, of these, among those, among them, of which, out of those, the ones, they, which of them, which of those, same ones, thereof, each of them, of em, em, out of them, out of these, from those, from them, from these, in those, in them, on those, on them, amongst them, within those, within them, the same ones, said ones, aforementioned, those ones, these ones, of the above, the above, all of them, all of those, all of these, which ones of them, of which ones, from that list, of that list, in that list, from the list, of the list, of that, from that, of the lot, of this list, out of that, for those, for them, for these, for that, for it, of it, about it, on it, with it, with them, with those, by them, to them, theyre, them all',
    ),
  ],
  [
    { kind: 'reference', isSame: true },
    words(
      'same window, same, same thing, same time, the same, same period, the same thing, same question, the same question, same again, same again for, same for, the same for, same thing for, same again but, same but, same query, the same query, same list, the same list, same numbers, same figures, same figure, same number, same as before, same as above, ditto, ditto for, likewise, likewise for, same story for, same with, repeat that for, repeat for, repeat this for, do that again for, do the same for, do the same, now the same for, now do, now do the same for, and the same for, and the same, same data, same breakdown, same split, same with, same filter, same here for, run it again for, run that again for, again for',
    ),
  ],
  [
    { kind: 'reference', isRest: true },
    words(
      'the rest, the others, the remaining, remaining ones, the rest of them, the remainder, all the rest, rest of them, the leftover, leftovers, the leftovers, the ones left, whats left, the other ones, remaining',
    ),
  ],
  [
    { kind: 'who' },
    words(
      'who, whose, which analyst, which person, who is, whos, by whom, whom, which analysts, which people, which persons, which colleague, which colleagues, which member of the team, which member of staff, who of us, who among us, who on the team, who in the team, who else, what person, what analyst, which of us, which of our analysts, which of the analysts',
    ),
  ],
  [
    { kind: 'which' },
    words(
      'which, what, whats, what are, what is, which are, which is, what were, what was, which of, which of the, which of our, which of your, what are our, what are the, what all, which all, what were the, which were the, which were, which was, what have been, which have been, which one, which one of, which one of the, which ones of',
    ),
  ],
  [
    { kind: 'have' },
    words(
      'with, having, use, uses, using, make use of, makes use of, got, have got, weve got, have, has, involved, affected by, had, w/, that have, which have, who have, that has, involving, containing, including, that had, with at least one, running, run, runs, show up with, show up on, shows up on, showed up on, showing up on, show up at, shows up at, showed up at, carrying, carry, carries, hold, holds, holding, contain, contains, include, includes, involve, involves, bearing, bear, suffer from, suffering from, suffers from, hit by, struck by, plagued by, featuring, feature, features, come with, comes with, coming with, tied to, that got, that carry, that hold, with any, with some, with one, with at least a, with one or more, with a, with an, having a, having an, having any, have a, have an, have any, has a, has an, has any, had a, had an, had any, owning, equipped with, exhibiting, showing, on which, where there is, where there are, for which there are, that contain, that include, that involve, which involve, which contain, that see, saw, saw any',
    ),
  ],
  [
    { kind: 'that' },
    words(
      'that, which, who, that are, which are, who are, that is, which is, thats, thatre, that were, that was, where, whove, are, is, were, was, be, been, being, theyre, ended up, turned out, did, has been, have been, end up, turn out, being currently, that have been, which have been, who have been, that has been, which has been, that had been, that got, which got, that get, ending up, wound up, that are currently, which are currently, that are still, which are still, that is currently, considered, deemed, classified as, rated, rated as, ranked as, tagged as, flagged as, marked, counted as, judged, judged as, judged to be, categorised as, categorized as, treated as, concluded as, concluded, labeled as, labeled, labelled as, described as, known as, known to be, found to be, that were found to be, turned out to be, turning out, which turned out, that turned out, ended, ending up as, ended up being, ended up as, closed as being, that we',
    ),
  ],
  [
    { kind: 'anything' },
    words(
      'everything, anything, ones, one, stuff, things, something, all of it, thing, items, entries, entry, records, record, all, bits, whatever, everybody, everyone, the lot, the whole lot, the whole thing, whole lot, lot of them, job, jobs, matters, calls',
    ),
  ],
  [
    { kind: 'follow' },
    words(
      'and, what about, how about, now, then, ok, also, and what about, and how about, again, now only, ok and, ok now, now for, ok and for, and for, and in, and at, and on, and from, next, next up, moving on, and now, now show, and also, then only, so what about, so how about, and only, what if, but, but only, but what about, instead, then for, make it, make that, switch to, switch it to, change to, change it to, change that to, rather, actually make it, how about just, what about just, what of, and what of, hows about',
    ),
  ],
  [
    { kind: 'preposition' },
    words(
      'by, via, through, of, on, at, for, in, to, about, with, within, from, around, regarding, concerning, during, as, under, over, inside, against, across, related to, belonging to, linked to, associated with, coming from, for our, in terms of, than, with respect to, into, throughout, amongst, among, over at, down at, up at, out at, towards, toward, upon, onto, beneath, pertaining to, relating to, relevant to, tied to, connected to, connected with, attached to, attributed to, originating from, originating at, stemming from, arising from, arising at, located at, based at, as regards, as to, when it comes to, in respect of, with regard to, with regards to, in connection with, in relation to, in view of, in case of, in the case of, out at, over on, off of, covering, spanning, out from, assigned, on behalf of, for all of, by way of',
    ),
  ],
  [{ kind: 'break' }, words('?, ;, ., .., ..., ...., then')],
  [{ kind: 'colon' }, [':']],
  [{ kind: 'filler' }, words(filler)],
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
/** Several values of one attribute in a word: times of the week, and kinds of devices; for every entity that has the attribute. */
export const recurring: readonly [{ field: string; in: (number | string)[] }, readonly string[]][] = [
  ...['deviceType', 'type'].map(
    (field) =>
      [
        { field, in: ['cloudPlatform', 'cloudApp', 'productivity'] },
        words(
          'in the cloud, cloud, cloud stuff, cloud services, cloud service, cloud things, cloud devices, cloud sources, saas',
        ),
      ] as [{ field: string; in: string[] }, string[]],
  ),
  [
    { field: 'severity', in: ['high', 'critical'] },
    words('serious, severe, grave, urgent, important, dangerous, nasty, worrying, high severity or above'),
  ],
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
  [hours([6, 12]), words('in the morning, in the mornings, mornings, of a morning')],
  [hours([12, 18]), words('in the afternoon, in the afternoons, afternoons, of an afternoon')],
  [hours([18, 22]), words('in the evening, in the evenings, evenings, of an evening')],
  [
    hours([22, 24], [0, 6]),
    words(
      'at night, at nights, nights, overnight, nighttime, night time, in the nighttime, at nighttime, nightly, by night, during the night, in the night, after midnight',
    ),
  ],
];
