/** What every tab of a case is given. Drafts belong to the page: looking at another tab must not lose what was typed. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { Respond } from '../useRespond.tsx';

export interface Draft {
  /** What is changed; none for something new. */
  id?: number;
  text: string;
}
export interface NoteDraft extends Draft {
  isInternal: boolean;
}
export interface Drafts {
  narrative: Draft | undefined;
  setNarrative: (draft: Draft | undefined) => void;
  note: NoteDraft;
  setNote: (draft: NoteDraft) => void;
}
export const newNote: NoteDraft = { text: '', isInternal: true };

export interface TabProps {
  detail: CaseDetail;
  timeZone: string;
  drafts: Drafts;
  respond: Respond;
}
