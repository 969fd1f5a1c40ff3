/** Audit actions of this feature, each with its before and after. */
import type { Added, Change, Removed } from '../../domain/audit.changes.ts';

interface Synonym {
  from: string;
  to: string;
}

interface Knowledge {
  state: string;
  text: string;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'sapphire.judged': Added<{ flag: number }>;
    'sapphire.knowledgeAdded': Added<{ text: string; questionID?: number }>;
    'sapphire.knowledgeReviewed': Change<Knowledge>;
    'sapphire.knowledgeSubmitted': Added<{ text: string }>;
    'sapphire.synonymAdded': Added<Synonym>;
    'sapphire.synonymRemoved': Removed<Synonym>;
    'sapphire.teacherSet': Change<{ isTeacher: boolean }>;
  }
}
