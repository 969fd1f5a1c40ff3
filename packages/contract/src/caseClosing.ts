/** Resolution of a closed case and reasons for open items (docs/decisions/0039-closing-and-true-states.md). */
import { z } from 'zod';
import { statedResolutions } from './rules/cases.ts';

const explanation = z.string().trim().max(2000);

/** The reason is required of analysts, not of people of the client. */
export const resolving = {
  resolution: z.enum(statedResolutions).describe('Resolution.'),
  reason: explanation.default('').describe('Reason; internal to the client’s analysts.'),
};

export const closing = z.object({
  ...resolving,
  answers: z
    .object({
      tasks: explanation.optional().describe('Reason for unsent tasks.'),
      alerts: explanation.optional().describe('Reason for unseen alerts.'),
      containment: explanation.optional().describe('Reason that no verified containment was needed.'),
      question: explanation.optional().describe('Reason for not awaiting the client’s answer.'),
    })
    .default({})
    .describe('Reasons for open items; required for critical and malicious cases.'),
});
export type Closing = z.output<typeof closing>;
