/** Audit actions of this feature, each with its before and after. */
import type { Added, Change } from '../../domain/audit.changes.ts';

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
    'sapphire.teacherSet': Change<{ isTeacher: boolean }>;
  }
}
