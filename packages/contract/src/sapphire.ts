/** Sapphire, the assistant (spec §2.6, §3, §4, §7.7; decision 27). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, organisationId, page, paragraph, results, timeZone } from './primitives.ts';
import { isTimeframe } from './rules/timeframe.ts';

const conversationUUID = z.uuid().describe('The conversation; it belongs to one person.');
const userID = z.number().int().optional().describe('Accepted and ignored: who asks is known from the sign-in.');
const messageID = z.number().int().min(1).describe('The answer that is meant.');
const about = {
  messageID,
  conversationUUID,
  flag: z.union([z.literal(0), z.literal(1)]).describe('1 helpful, 0 not.'),
  userID,
};

/** Where a statement comes from: a page of the portal, by its path and query. */
export const sapphireSource = z.object({
  text: line.describe('What stands there.'),
  path: z
    .string()
    .max(2_000)
    .regex(/^\/(apps|pages)\//)
    .describe('The page, such as /apps/case/12.'),
});
export type SapphireSource = z.infer<typeof sapphireSource>;
const cell = z.union([z.string().max(2_000), z.number(), z.null()]);
export const sapphireTable = z.object({
  columns: z.array(line).min(1).max(8).describe('Headings.'),
  rows: z
    .array(
      z.object({
        cells: z.array(cell).max(8).describe('One for each column.'),
        path: sapphireSource.shape.path.optional().describe('What the row opens.'),
      }),
    )
    .max(50)
    .describe('At most 50; the file has all.'),
});
export type SapphireTable = z.infer<typeof sapphireTable>;

export const sapphireAnswer = z.object({
  sapphireEndpointResponse: paragraph.describe('The answer, as plain text with line breaks.'),
  userDataFile: z
    .object({ name: line.describe('The file’s name.'), csv: z.string().max(2_000_000).describe('Its content.') })
    .nullable()
    .describe('The rows as CSV, where there are any.'),
  messageID,
  kind: z
    .enum(['answer', 'question', 'knowledge', 'unknown', 'support'])
    .describe(
      'An answer from data; a question back; from submitted knowledge; not understood; or support is meant (the text then holds the chat-link marker).',
    ),
  sources: z.array(sapphireSource).max(20).describe('Its receipts.'),
  table: sapphireTable.nullable().describe('Its rows.'),
  choices: z.array(line).max(6).describe('Questions to go on with; with a question back, its readings.'),
  understood: line.describe('What was understood, in words: what is asked, for whom, of which time. Empty when nothing was.'),
  writtenBy: z.enum(['portal', 'model']).describe('Who worded it.'),
});
export type SapphireAnswer = z.infer<typeof sapphireAnswer>;

export const knowledgeStates = ['pending', 'approved', 'rejected'] as const;
export const sapphireKnowledge = z.object({
  id: z.number().int().describe('Names the entry.'),
  clientOrganizationID: organisationId.describe('Whose it is; it is used for that organisation and those below.'),
  text: paragraph.describe('The knowledge.'),
  state: z.enum(knowledgeStates).describe('Used once approved.'),
  author: line.describe('Who submitted it.'),
  createdAt: instant.describe('When.'),
  reviewer: line.describe('Who decided; empty before.'),
  reviewedAt: instant.nullable().describe('When it was decided.'),
});
export type SapphireKnowledge = z.infer<typeof sapphireKnowledge>;

export const sapphireQuestion = z.object({
  id: z.number().int().describe('Names the message.'),
  clientOrganizationID: organisationId.describe('Of the one who asked.'),
  askedBy: line.describe('Who asked.'),
  question: paragraph.describe('As written.'),
  answer: paragraph.describe('What was answered.'),
  understood: line.describe('What was understood.'),
  reason: z.enum(['unanswered', 'unhelpful']).describe('Why it is listed.'),
  feedback: paragraph.describe('What the person added.'),
  askedAt: instant.describe('When.'),
});
export type SapphireQuestion = z.infer<typeof sapphireQuestion>;

export const sapphireApi = {
  chat: endpoint({
    id: 'sapphire.chat',
    method: 'POST',
    path: '/dashboard/sapphire-chat',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'Answers a question from the portal’s own data, with its sources.',
    body: z.object({
      clientRequest: z.string().max(20_000).describe('The question.'),
      conversationUUID,
      userID,
      userUtcOffset: z
        .number()
        .int()
        .min(-1_440)
        .max(1_440)
        .default(0)
        .describe('Minutes east of UTC; used where no timeZone is given.'),
      clientOrganizationID: clientId.default(0).describe('The selected client; 0 for all in scope.'),
      timeframe: z
        .string()
        .max(40)
        .refine(isTimeframe)
        .optional()
        .describe('The selected timeframe, for questions that name none.'),
      timeZone: timeZone.optional().describe('The viewer’s zone.'),
    }),
    answer: sapphireAnswer,
  }),
  flag: endpoint({
    id: 'sapphire.flag',
    method: 'POST',
    path: '/dashboard/sapphire-flag',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'Says whether an answer helped.',
    body: z.object(about),
    answer: nothing,
  }),
  feedback: endpoint({
    id: 'sapphire.feedback',
    method: 'POST',
    path: '/dashboard/sapphire-feedback',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'The same with a text.',
    body: z.object({ ...about, text: z.string().max(4_000).default('').describe('What was missing or wrong.') }),
    answer: nothing,
  }),
  insertKnowledge: endpoint({
    id: 'sapphire.insertKnowledge',
    method: 'POST',
    path: '/dashboard/sapphire-knowledge-insert',
    allow: 'sapphire:teach',
    freshness: 'none',
    summary: 'Submits knowledge; it is used after review. For a Host, and for whom an administrator allowed it.',
    body: z.object({
      clientKnowledge: z.string().max(20_000).describe('The text; a question and its answer are joined.'),
      userID,
    }),
    answer: z.object({ data: z.boolean().describe('true when it was stored.') }),
  }),
  loadingPhrases: endpoint({
    id: 'sapphire.loadingPhrases',
    method: 'POST',
    path: '/dashboard/sapphire-loading-phrases',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'What is shown while an answer is on its way.',
    answer: z.array(line).min(1).max(50),
  }),
  may: endpoint({
    id: 'sapphire.may',
    method: 'GET',
    path: '/sapphire/may',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'What the caller may do with Sapphire beside asking.',
    answer: z.object({ isTeacher: z.boolean().describe('Whether knowledge can be submitted.') }),
  }),
  listQuestions: endpoint({
    id: 'sapphire.listQuestions',
    method: 'GET',
    path: '/sapphire/questions/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Questions that were not answered, and answers that did not help, newest first.',
    params: z.object({ client: clientId.describe('Whose people asked; 0 for all in scope.') }),
    query: z.object({ ...page }),
    answer: results(sapphireQuestion, 200),
  }),
  listKnowledge: endpoint({
    id: 'sapphire.listKnowledge',
    method: 'GET',
    path: '/sapphire/knowledge/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Submitted knowledge, what waits for review first.',
    params: z.object({ client: clientId.describe('Whose; 0 for all in scope.') }),
    query: z.object({ ...page }),
    answer: results(sapphireKnowledge, 200),
  }),
  addKnowledge: endpoint({
    id: 'sapphire.addKnowledge',
    method: 'POST',
    path: '/sapphire/knowledge/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Writes knowledge that is used at once, such as the answer to a question of the list.',
    params: z.object({ client: id.describe('Whose.') }),
    body: z.object({
      text: z.string().trim().min(1, 'Write something.').max(20_000).describe('The knowledge.'),
      questionID: id.optional().describe('The question that it answers; it leaves the list.'),
    }),
    answer: sapphireKnowledge,
  }),
  reviewKnowledge: endpoint({
    id: 'sapphire.reviewKnowledge',
    method: 'PUT',
    path: '/sapphire/knowledge/:client/:knowledge',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Approves, rejects or corrects knowledge.',
    params: z.object({ client: id.describe('Whose.'), knowledge: id.describe('The entry.') }),
    body: z.object({
      state: z.enum(['approved', 'rejected']).describe('What becomes of it.'),
      text: z.string().trim().min(1, 'Write something.').max(20_000).optional().describe('Corrected.'),
    }),
    answer: sapphireKnowledge,
  }),
  listTeachers: endpoint({
    id: 'sapphire.listTeachers',
    method: 'GET',
    path: '/sapphire/teachers/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'People of an organisation, and who of them may submit knowledge.',
    params: z.object({ client: id.describe('The organisation.') }),
    answer: results(
      z.object({
        userID: z.number().int().describe('The person.'),
        displayName: line.describe('Their name.'),
        emailAddress: line.describe('Their address.'),
        role: line.describe('Their role.'),
        isTeacher: z.boolean().describe('Whether they may.'),
        isAlways: z.boolean().describe('A Host may without being allowed.'),
      }),
      2_000,
    ),
  }),
  setTeacher: endpoint({
    id: 'sapphire.setTeacher',
    method: 'PUT',
    path: '/sapphire/teachers/:client/:user',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Lets somebody submit knowledge, or no longer.',
    params: z.object({ client: id.describe('The organisation.'), user: id.describe('The person.') }),
    body: z.object({ isTeacher: z.boolean().describe('Whether they may.') }),
    answer: nothing,
  }),
};
