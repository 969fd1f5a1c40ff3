/** Drafts of the closing dialogs of cases, in this tab: an open item can be done on another page before the case is closed. */
import { type OpenItemKind, openItemKinds, type StatedResolution, statedResolutions } from '@parapet/contract/rules/cases.ts';
import { closingMemory } from '../../lib/closingMemory.ts';
import type { TabMemory } from '../../lib/tabMemory.ts';

export interface ClosingDraft {
  resolution: StatedResolution | '';
  reason: string;
  answers: Partial<Record<OpenItemKind, string>>;
}

const maxCases = 20;

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A draft of known fields, from any text in the storage. */
function draftIn(value: unknown): ClosingDraft {
  const { resolution, reason, answers } = Object(value) as Record<string, unknown>;
  const given = Object(answers) as Record<string, unknown>;
  return {
    resolution: statedResolutions.find((each) => each === resolution) ?? '',
    reason: textIn(reason),
    answers: Object.fromEntries(openItemKinds.map((kind) => [kind, textIn(given[kind])]).filter(([, text]) => text !== '')),
  };
}

export function createClosingDrafts(memory: TabMemory = closingMemory) {
  /** Pairs of case id and draft, the last changed last. */
  function pairs(): [number, unknown][] {
    try {
      const found: unknown = JSON.parse(memory.read() ?? '[]');
      return Array.isArray(found) ? found.filter((pair) => Array.isArray(pair) && pair.length === 2) : [];
    } catch {
      return [];
    }
  }
  const others = (caseId: number) => pairs().filter(([id]) => id !== caseId);
  const save = (drafts: [number, unknown][]): void =>
    drafts.length === 0 ? memory.forget() : void memory.write(JSON.stringify(drafts.slice(-maxCases)));
  return {
    of: (caseId: number): ClosingDraft => draftIn(pairs().find(([id]) => id === caseId)?.[1]),
    put: (caseId: number, draft: ClosingDraft): void => save([...others(caseId), [caseId, draft]]),
    drop: (caseId: number): void => save(others(caseId)),
  };
}

export const closingDrafts = createClosingDrafts();
