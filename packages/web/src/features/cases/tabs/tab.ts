/** Props of the case tabs. Drafts belong to the page, so that switching tabs keeps them. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { Respond } from '../useRespond.tsx';

export interface Draft {
  /** Id of the edited entry; undefined for a new one. */
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
