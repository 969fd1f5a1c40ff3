/**
 * What the link in a case mail carries (spec §2.1 /emailCaseAction). It is taken out of the address before anything else is done, so that
 * the token stays in no history, no bookmark, no referrer and no report.
 */
import { paths } from './paths.ts';

export interface CaseLink {
  caseId: string;
  action: string;
  token: string;
}

/** What an address carries; undefined for any other page. What is missing or beyond all measure is empty. */
export function caseLinkIn(address: { pathname: string; search: string }): CaseLink | undefined {
  if (address.pathname.replace(/\/+$/, '').toLowerCase() !== paths.caseAnswer().toLowerCase()) return undefined;
  const query = new URLSearchParams(address.search);
  const part = (name: string, most: number) => {
    const text = (query.get(name) ?? '').trim();
    return text.length <= most ? text : '';
  };
  return { caseId: part('caseID', 20), action: part('action', 40), token: part('token', 200) };
}

let arrived: CaseLink | undefined;

/** Called by main before anything else. */
export function receiveCaseLink(): void {
  arrived = caseLinkIn(location);
  if (arrived) history.replaceState(history.state, '', paths.caseAnswer());
}

export const caseLink = (): CaseLink => arrived ?? { caseId: '', action: '', token: '' };
