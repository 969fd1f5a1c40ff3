/**
 * Simulated GitHub: GET /orgs/{org}/audit-log, as published in GitHub's REST API documentation (enterprise cloud, read in November 2026): `phrase` with
 * created, `order`, `per_page` up to 100, a cursor `after` in the link `next`, which is absent on the last page, and errors with a `message`.
 */
import {
  newVendorState,
  serveVendor,
  switchesOf,
  untidied,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
} from './vendor.ts';

const token = 'ghp_demoDemoDemoDemoDemoDemoDemoDemoDemo';
const organisation = 'alder-works';

export interface GithubEvent {
  _document_id: string;
  '@timestamp': number;
  action: string;
  [field: string]: unknown;
}

const people = ['mlindt', 'jweber', 'ikofler', 'phallam', 'ademir'];
const actions = ['git.clone', 'git.push', 'pull_request.merge', 'workflows.created_workflow_run', 'repo.access'];

/** An event as GitHub writes it, with some fields replaced. */
export function githubEvent(number: number, at: number, more: Partial<GithubEvent> = {}): GithubEvent {
  const action = actions[number % actions.length] as string;
  return {
    '@timestamp': at,
    _document_id: `demo${number.toString(36).padStart(8, '0')}${at.toString(36)}`,
    action,
    actor: people[number % people.length] as string,
    actor_id: 9_000_000 + (number % people.length),
    actor_ip: `198.51.100.${10 + (number % 40)}`,
    actor_is_bot: false,
    actor_location: { country_code: 'AT' },
    business: 'alder',
    created_at: at,
    operation_type: action.startsWith('git.') ? 'access' : 'create',
    org: organisation,
    org_id: 4_200_000,
    public_repo: false,
    repo: `${organisation}/planning`,
    repo_id: 77_000_001,
    user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15',
    ...more,
  };
}

const error = (status: number, message: string): VendorAnswer => ({
  status,
  body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
});

/** Starts a simulated GitHub. */
export async function startGithub(port?: number): Promise<Vendor & { add(...events: GithubEvent[]): void }> {
  const state = newVendorState();
  let events: GithubEvent[] = [];
  let count = 0;

  const select = (query: URLSearchParams): GithubEvent[] | VendorAnswer => {
    const phrase = query.get('phrase') ?? '';
    const since = phrase === '' ? 0 : Date.parse(/^created:>=(\S+)$/.exec(phrase)?.[1] ?? '');
    if (Number.isNaN(since)) return error(422, 'Validation Failed: phrase');
    const found = events.filter((event) => event['@timestamp'] >= since);
    return query.get('order') === 'asc' ? found : found.reverse();
  };

  const answer = ({ url, headers }: VendorRequest): VendorAnswer => {
    if (state.isRefused || headers.authorization !== `Bearer ${token}`) return error(401, 'Bad credentials');
    if (url.pathname !== `/orgs/${organisation}/audit-log`) return error(404, 'Not Found');
    const query = url.searchParams;
    const limit = Math.min(100, Number(query.get('per_page') ?? 30));
    const found = select(query);
    if (!Array.isArray(found)) return found;
    // A cursor names the last event of the page before: events that appear late stand behind it or are missed, as at the vendor.
    const [mark, time, id] = query.get('after')?.split('|') ?? [];
    if (mark !== undefined && mark !== `g${state.generation}`) return error(400, 'Invalid cursor');
    const isAfter = (event: GithubEvent) =>
      event['@timestamp'] > Number(time) || (event['@timestamp'] === Number(time) && event._document_id > id!);
    const from = mark === undefined ? 0 : found.filter((event) => !isAfter(event)).length;
    const page = found.slice(from, from + limit);
    const last = page.at(-1);
    const next = new URL(url);
    if (last) next.searchParams.set('after', `g${state.generation}|${last['@timestamp']}|${last._document_id}`);
    const hasNext = from + limit < found.length;
    return {
      headers: { 'x-ratelimit-remaining': '1700', ...(hasNext && { link: `<${next}>; rel="next", <${url}>; rel="first"` }) },
      body: state.isUntidy ? untidied(found, from, page) : page,
    };
  };

  const server = await serveVendor(answer, port);
  const add = (...more: GithubEvent[]): void => {
    events = [...events, ...more].sort((a, b) => a['@timestamp'] - b['@timestamp'] || (a._document_id < b._document_id ? -1 : 1));
  };
  return {
    ...server,
    ...switchesOf(state),
    kind: 'github',
    values: { organisation, token, api: server.url },
    add,
    publish(number, at) {
      const made = Array.from({ length: number }, (_, index) => githubEvent(count++, at + index));
      add(...made);
      return made.map(({ _document_id: id }) => id);
    },
    intrude(at) {
      const client = { actor: people[0] as string, actor_ip: '203.0.113.66', actor_location: { country_code: 'LV' } };
      const more = ['org.disable_two_factor_requirement', 'protected_branch.destroy', 'repo.access'];
      add(...more.map((action, index) => githubEvent(count++, at + index * 20_000, { ...client, action, visibility: 'public' })));
    },
  };
}
