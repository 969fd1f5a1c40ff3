/**
 * The parameters of the link in a case email (spec §2.1 /emailCaseAction). They are removed from the address first, so that the token stays
 * out of history, bookmarks, referrers and error reports.
 */
import { paths } from './paths.ts';

export interface CaseLink {
  caseId: string;
  action: string;
  token: string;
}

/** The parameters of an address; undefined for other pages. Missing and oversized values are empty. */
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
