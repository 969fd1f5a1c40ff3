/**
 * Simulated Jira Service Management, from developer.atlassian.com, "Jira Service Management Cloud REST API" (groups Request, Customer transition): create
 * and list requests, comment, list and perform transitions, with Basic authentication and errors as `errorMessage`.
 */
import type { VendorAnswer, VendorRequest } from '../vendors/vendor.ts';
import { jsonIn, type Peer, servePeer } from './peer.ts';

const [user, token, project, type] = ['portal@alder.example', 'demoDemoDemoDemoDemoDemo', '4', '27'];
const authorization = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;

export interface Issue {
  issueId: string;
  issueKey: string;
  summary: string;
  description: string;
  status: 'Open' | 'Resolved';
  comments: string[];
}

const fault = (status: number, errorMessage: string): VendorAnswer => ({
  status,
  body: { errorMessage, i18nErrorMessage: { parameters: [] } },
});

const shown = ({ issueId, issueKey, summary, status }: Issue) => ({
  issueId,
  issueKey,
  requestFieldValues: [{ fieldId: 'summary', label: 'Summary', value: summary }],
  currentStatus: { status },
});

/** Starts a simulated Jira; `issues` are its requests. */
export async function startJira(port?: number): Promise<Peer & { issues: Issue[] }> {
  const issues: Issue[] = [];

  const create = (body: string): VendorAnswer => {
    const { serviceDeskId, requestTypeId, requestFieldValues } = jsonIn(body) ?? {};
    const { summary, description } = (requestFieldValues ?? {}) as Record<string, unknown>;
    if (serviceDeskId !== project || requestTypeId !== type) return fault(404, 'The request type does not exist.');
    if (typeof summary !== 'string' || summary === '' || summary.length > 255 || /[\r\n]/.test(summary))
      return fault(400, 'Please provide a valid value for the fields: Summary.');
    const number = issues.length + 1;
    const issue: Issue = {
      issueId: String(10_000 + number),
      issueKey: `SOC-${number}`,
      summary,
      description: String(description ?? ''),
      status: 'Open',
      comments: [],
    };
    issues.push(issue);
    return { status: 201, body: shown(issue) };
  };

  const transition = (issue: Issue, method: string, body: string): VendorAnswer => {
    const open = issue.status === 'Open';
    if (method === 'GET') return { body: { values: [open ? { id: '761', name: 'Resolve' } : { id: '762', name: 'Reopen' }] } };
    const id = jsonIn(body)?.id;
    if (id !== (open ? '761' : '762')) return fault(400, 'The transition is not valid for the request.');
    issue.status = open ? 'Resolved' : 'Open';
    return { status: 204, body: '' };
  };

  const answer = ({ method, url, headers, body }: VendorRequest): VendorAnswer => {
    if (headers.authorization !== authorization) return fault(401, 'Client must be authenticated to access this resource.');
    const [, key, part] = /^\/rest\/servicedeskapi\/request(?:\/([^/]+)\/(\w+))?$/.exec(url.pathname) ?? [];
    if (!url.pathname.startsWith('/rest/servicedeskapi/request')) return fault(404, 'Not found');
    if (key === undefined && method === 'POST') return create(body);
    if (key === undefined) {
      const term = url.searchParams.get('searchTerm') ?? '';
      return { body: { isLastPage: true, values: issues.filter(({ summary }) => summary.includes(term)).map(shown) } };
    }
    const issue = issues.find(({ issueKey }) => issueKey === key);
    if (!issue) return fault(404, 'The request does not exist or you do not have permission to view it.');
    if (part === 'transition') return transition(issue, method, body);
    if (part !== 'comment' || method !== 'POST') return fault(404, 'Not found');
    issue.comments.push(String(jsonIn(body)?.body ?? ''));
    return { status: 201, body: { id: String(20_000 + issue.comments.length), body: issue.comments.at(-1), public: true } };
  };

  const peer = await servePeer('jira', port, answer, (url) => ({ site: url, project, type, user, token }));
  return { ...peer, issues };
}
