/** "Is ALD-DC-01 ok?", "how is Alder doing": what the portal shows of a device, a user, a client or all of them, as queries. */
import { weekMs } from '@parapet/contract/rules/duration.ts';
import type { Query, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { allOf } from './frames.ts';
import type { Option } from './items.ts';
import type { Segment } from './segments.ts';

/** Words of such questions: none of them narrows. */
const light = new Set(
  "how hows is are was were what whats what's where wheres anything everything something things stuff all up going on happening happened happen about me tell more say give know do does did we i should need to be have has had there here with at for in of our my the a an any some it its that over right now currently still today generally so ok okay and us please pls looking look looks like doing just really news info information details story deal situation status state health overview picture out, any problem problems issue issues trouble troubles worry worried worrying concern concerned concerning wrong weird unusual strange odd funny fishy fine alright good well healthy safe clean under control order attention hot serious exciting interesting normal calm again lately moment at bother bothered thing what's hey yo security activity".split(
    ' ',
  ),
);
const request =
  /\bhow (?:are|is) (?:things|it|everything|our security)\b|\b(?:ok|okay|fine|alright|good|healthy|safe|clean|doing|wrong|weird|unusual|strange|odd|funny|fishy|going on|happening|happened|happen|up with|status|state|health|worry|worried|worrying|concerned?|problems?|issues?|trouble|tell me|know about|overview|situation|story|deal|news|info|normal|hot|serious|attention|under control|calm|anything interesting|anything exciting|picture|look(?:ing|s)?|whats? (?:is )?up|what's up)\b/i;
/** Without a name, it must ask about all. */
const wholly = /\b(?:everything|anything|things|we|us|our|worry|worried|attention|hot|problems?|issues?)\b/i;

const lastWeek = (now: number): QueryTime => ({
  start: new Date(now - weekMs).toISOString(),
  end: new Date(now).toISOString(),
  label: 'the last seven days',
});

const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,?.!:–-]+/)
    .filter(Boolean);

/** True if the words ask how something is, and nothing narrower. */
export const isAboutAll = (text: string): boolean => wordsIn(text).every((word) => light.has(word)) && request.test(text);

/** Queries of a question of this kind; undefined for others. The last one is what a follow-up continues. */
export function subjectQueries(segments: readonly Segment[], now: number): Query[] | undefined {
  let name: Segment['items']['value'];
  let time: QueryTime | undefined;
  const words: string[] = [];
  for (const { items, text } of segments) {
    if (items.value?.isName && (name === undefined || items.value.label === name.label)) name = items.value;
    else if (items.time && time === undefined) time = items.time.time;
    else words.push(...wordsIn(text));
  }
  const phrase = words.join(' ');
  if (!isAboutAll(phrase)) return undefined;
  const names = (entity: Option['entity'], field: string) =>
    name?.options.find((option) => option.entity === entity && option.field === field)?.filter;
  const filterOf = (entity: Option['entity'], fields: readonly string[]): QueryFilter[] => {
    const own = name?.options.find((option) => option.entity === entity && fields.includes(option.field));
    return own ? [own.filter] : [];
  };
  const recent = time ?? lastWeek(now);
  const open: QueryFilter = { field: 'isOpen', is: true };
  const alerts = (own: QueryFilter[], groupBy: string): Query => ({
    entity: 'alert',
    measure: { kind: 'count' },
    ...(own.length > 0 && { where: allOf(own)! }),
    time: recent,
    groupBy: [groupBy],
  });
  const cases = (own: QueryFilter[]): Query => ({ entity: 'case', measure: { kind: 'list' }, where: allOf([open, ...own])! });
  if (name === undefined) {
    if (!wholly.test(phrase)) return undefined;
    return overall([], alerts, cases);
  }
  const client = filterOf('alert', ['partner', 'client']);
  const isClient = names('client', 'name') !== undefined && client.length > 0;
  if (isClient) return overall(client, alerts, cases);
  const device = names('device', 'name');
  if (device)
    return [
      alerts(filterOf('alert', ['device']), 'severity'),
      cases(filterOf('case', ['device'])),
      {
        entity: 'vulnerability',
        measure: { kind: 'count' },
        where: filterOf('vulnerability', ['device'])[0]!,
        groupBy: ['severity'],
      },
      { entity: 'device', measure: { kind: 'list' }, where: device, show: ['state', 'lastEventAt', 'isIsolated'] },
    ];
  const user = names('user', 'name');
  if (user)
    return [
      { ...alerts(filterOf('alert', ['user']), 'rule'), orderBy: { field: 'count', isAscending: false }, limit: 10 },
      cases(filterOf('case', ['user'])),
      { entity: 'user', measure: { kind: 'list' }, where: user },
    ];
  return undefined;
}

/** Of a client or of all. */
function overall(
  own: QueryFilter[],
  alerts: (own: QueryFilter[], groupBy: string) => Query,
  cases: (own: QueryFilter[]) => Query,
): Query[] {
  const silent: QueryFilter = { field: 'state', in: ['silent'] };
  return [
    alerts(own, 'severity'),
    cases(own),
    { entity: 'device', measure: { kind: 'count' }, where: allOf([silent, ...own])! },
    { entity: 'risk', measure: { kind: 'list' }, ...(own.length > 0 && { where: allOf(own)! }) },
  ];
}
