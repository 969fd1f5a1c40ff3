/** Sapphire, the assistant (spec §2.6, §3, §4, §7.7). */
import { z } from 'zod';
import { allClients } from './access.ts';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, organisationId, page, paragraph, results, timeZone } from './primitives.ts';

const conversationUUID = z.uuid().describe('Conversation ID; belongs to one user.');
const userID = z.number().int().optional().describe('Ignored: the session identifies the user.');
const messageID = id.describe('Message ID of the answer.');
const about = {
  messageID,
  conversationUUID,
  flag: z.union([z.literal(0), z.literal(1)]).describe('1 helpful, 0 not helpful.'),
  userID,
};

/** Source of a statement: path and query of a portal page. */
export const sapphireSource = z.object({
  text: line.describe('Text.'),
  path: z
    .string()
    .max(2_000)
    .regex(/^\/(apps|pages)\//)
    .describe('Page path, for example /apps/case/12.'),
});
export type SapphireSource = z.infer<typeof sapphireSource>;
const cell = z.union([z.string().max(2_000), z.number(), z.null()]);
export const sapphireTable = z.object({
  columns: z.array(line).min(1).max(8).describe('Column headings.'),
  rows: z
    .array(
      z.object({
        cells: z.array(cell).max(8).describe('One cell per column.'),
        path: sapphireSource.shape.path.optional().describe('Path that the row opens.'),
      }),
    )
    .max(50)
    .describe('Up to 50 rows; the file has all.'),
});
export type SapphireTable = z.infer<typeof sapphireTable>;

export const sapphireChart = z.object({
  kind: z.enum(['bar', 'line']).describe('Bars for groups, a line over time.'),
  points: z
    .array(z.object({ label: line.describe('Group or start of the bucket.'), value: z.number().describe('Value.') }))
    .max(200)
    .describe('In the order of the table.'),
});
export type SapphireChart = z.infer<typeof sapphireChart>;

export const sapphireAnswer = z.object({
  sapphireEndpointResponse: paragraph.describe('Answer as plain text with line breaks.'),
  userDataFile: z
    .object({ name: line.describe('File name.'), csv: z.string().max(2_000_000).describe('File content.') })
    .nullable()
    .describe('Rows as CSV; null without rows.'),
  messageID,
  kind: z
    .enum(['answer', 'question', 'knowledge', 'unknown', 'support'])
    .describe(
      'Answer from data, clarifying question, submitted knowledge, not understood, or support (the text then holds the chat-link marker).',
    ),
  sources: z.array(sapphireSource).max(20).describe('Sources.'),
  table: sapphireTable.nullable().describe('Table.'),
  chart: sapphireChart.nullable().describe('Chart of the table’s groups; null without groups.'),
  choices: z.array(line).max(6).describe('Follow-up questions; for a clarifying question, its options.'),
  understood: line.describe('Query in words. Empty if not understood.'),
  writtenBy: z.enum(['portal', 'model']).describe('Author of the query: the portal’s parser or the configured model.'),
});
export type SapphireAnswer = z.infer<typeof sapphireAnswer>;

export const knowledgeStates = ['pending', 'approved', 'rejected'] as const;
export const sapphireKnowledge = z.object({
  id: z.number().int().describe('Entry ID.'),
  clientOrganizationID: organisationId.describe('Organisation; applies to it and those below.'),
  text: paragraph.describe('Knowledge text.'),
  state: z.enum(knowledgeStates).describe('Review state; used once approved.'),
  author: line.describe('Author.'),
  createdAt: instant.describe('Creation time.'),
  reviewer: line.describe('Reviewer; empty before review.'),
  reviewedAt: instant.nullable().describe('Time of review.'),
});
export type SapphireKnowledge = z.infer<typeof sapphireKnowledge>;

export const sapphireQuestion = z.object({
  id: z.number().int().describe('Message ID.'),
  clientOrganizationID: organisationId.describe('Organisation of the user.'),
  askedBy: line.describe('User.'),
  question: paragraph.describe('Question as written.'),
  answer: paragraph.describe('Answer given.'),
  understood: line.describe('Parsed intent in words.'),
  reason: z.enum(['unanswered', 'unhelpful']).describe('Reason for the entry.'),
  feedback: paragraph.describe('Comment of the user.'),
  askedAt: instant.describe('Time of the question.'),
});
export type SapphireQuestion = z.infer<typeof sapphireQuestion>;

const phrase = (most: number) =>
  z
    .string()
    .trim()
    .toLowerCase()
    .min(1, 'Enter a word or phrase.')
    .max(most)
    .regex(/^[\p{L}\p{N}][\p{L}\p{N} '-]*$/u, 'Enter words of letters and digits only.');
export const sapphireSynonym = z.object({
  id: z.number().int().describe('Synonym ID.'),
  clientOrganizationID: organisationId.describe('Organisation; applies to it and those below, the provider’s to all.'),
  from: line.describe('Word or phrase of questions.'),
  to: line.describe('Words as which it is read.'),
  author: line.describe('Author.'),
  createdAt: instant.describe('Creation time.'),
  isUsed: z.boolean().describe('false when the phrase has become a built-in word, which a synonym never overrides.'),
});
export type SapphireSynonym = z.infer<typeof sapphireSynonym>;

export const sapphireApi = {
  chat: endpoint({
    id: 'sapphire.chat',
    route: 'POST /dashboard/sapphire-chat',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'Answers a question from the portal’s data, with sources.',
    body: z.object({
      clientRequest: z.string().max(20_000).describe('Question.'),
      conversationUUID,
      userID,
      userUtcOffset: z.number().int().min(-1_440).max(1_440).default(0).describe('Minutes east of UTC; used without a timeZone.'),
      clientOrganizationID: clientId.default(allClients).describe('The selected client; 0 for all in scope.'),
      timeZone: timeZone.optional().describe('Time zone of the viewer.'),
    }),
    answer: sapphireAnswer,
  }),
  flag: endpoint({
    id: 'sapphire.flag',
    route: 'POST /dashboard/sapphire-flag',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'Rates an answer.',
    body: z.object(about),
    answer: nothing,
  }),
  feedback: endpoint({
    id: 'sapphire.feedback',
    route: 'POST /dashboard/sapphire-feedback',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'Rates an answer with a comment.',
    body: z.object({ ...about, text: z.string().max(4_000).default('').describe('Comment on the answer.') }),
    answer: nothing,
  }),
  insertKnowledge: endpoint({
    id: 'sapphire.insertKnowledge',
    route: 'POST /dashboard/sapphire-knowledge-insert',
    allow: 'sapphire:teach',
    freshness: 'none',
    summary: 'Submits knowledge for review. Requires a Host, or permission from an administrator.',
    body: z.object({
      clientKnowledge: z.string().max(20_000).describe('Text; a question and its answer are joined.'),
      userID,
    }),
    answer: z.object({ data: z.boolean().describe('true when stored.') }),
  }),
  loadingPhrases: endpoint({
    id: 'sapphire.loadingPhrases',
    route: 'POST /dashboard/sapphire-loading-phrases',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'Lists the phrases shown while an answer loads.',
    answer: z.array(line).min(1).max(50),
  }),
  may: endpoint({
    id: 'sapphire.may',
    route: 'GET /sapphire/may',
    allow: 'sapphire:use',
    freshness: 'none',
    summary: 'Returns the caller’s Sapphire permissions.',
    answer: z.object({ isTeacher: z.boolean().describe('True when the caller can submit knowledge.') }),
  }),
  listQuestions: endpoint({
    id: 'sapphire.listQuestions',
    route: 'GET /sapphire/questions/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Lists unanswered questions and unhelpful answers, newest first.',
    params: z.object({ client: clientId.describe('Organisation of the users; 0 for all in scope.') }),
    query: z.object({ ...page }),
    answer: results(sapphireQuestion, 200),
  }),
  listKnowledge: endpoint({
    id: 'sapphire.listKnowledge',
    route: 'GET /sapphire/knowledge/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Lists submitted knowledge, pending review first.',
    params: z.object({ client: clientId.describe('Organisation; 0 for all in scope.') }),
    query: z.object({ ...page }),
    answer: results(sapphireKnowledge, 200),
  }),
  addKnowledge: endpoint({
    id: 'sapphire.addKnowledge',
    route: 'POST /sapphire/knowledge/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Creates approved knowledge, such as the answer to a listed question.',
    params: z.object({ client: id.describe('Organisation.') }),
    body: z.object({
      text: z.string().trim().min(1, 'Enter a text.').max(20_000).describe('Knowledge text.'),
      questionID: id.optional().describe('Question that it answers, which is then removed from the list.'),
    }),
    answer: sapphireKnowledge,
  }),
  reviewKnowledge: endpoint({
    id: 'sapphire.reviewKnowledge',
    route: 'PUT /sapphire/knowledge/:client/:knowledge',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Approves, rejects or corrects knowledge.',
    params: z.object({ client: id.describe('Organisation.'), knowledge: id.describe('Knowledge entry ID.') }),
    body: z.object({
      state: z.enum(['approved', 'rejected']).describe('New state.'),
      text: z.string().trim().min(1, 'Enter a text.').max(20_000).optional().describe('Corrected text.'),
    }),
    answer: sapphireKnowledge,
  }),
  listTeachers: endpoint({
    id: 'sapphire.listTeachers',
    route: 'GET /sapphire/teachers/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Lists the users of an organisation with their permission to submit knowledge.',
    params: z.object({ client: id.describe('Organisation ID.') }),
    answer: results(
      z.object({
        userID: z.number().int().describe('User ID.'),
        displayName: line.describe('User name.'),
        emailAddress: line.describe('Email address.'),
        role: line.describe('Role.'),
        isTeacher: z.boolean().describe('True when allowed to submit knowledge.'),
        isAlways: z.boolean().describe('True for a Host, who is always allowed.'),
      }),
      2_000,
    ),
  }),
  setTeacher: endpoint({
    id: 'sapphire.setTeacher',
    route: 'PUT /sapphire/teachers/:client/:user',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Grants or revokes the permission to submit knowledge.',
    params: z.object({ client: id.describe('Organisation ID.'), user: id.describe('User ID.') }),
    body: z.object({ isTeacher: z.boolean().describe('True when allowed to submit knowledge.') }),
    answer: nothing,
  }),
  listSynonyms: endpoint({
    id: 'sapphire.listSynonyms',
    route: 'GET /sapphire/synonyms/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Lists the synonyms of organisations, newest first.',
    params: z.object({ client: clientId.describe('Organisation; 0 for all in scope.') }),
    query: z.object({ ...page }),
    answer: results(sapphireSynonym, 200),
  }),
  addSynonym: endpoint({
    id: 'sapphire.addSynonym',
    route: 'POST /sapphire/synonyms/:client',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Adds a synonym for words of questions, after a check that understood questions are read as before.',
    params: z.object({ client: id.describe('Organisation.') }),
    body: z.object({
      from: phrase(40).describe('Word or phrase that Sapphire does not understand, for example boxes.'),
      to: phrase(60).describe('Words that it understands, for example devices.'),
    }),
    answer: sapphireSynonym,
  }),
  removeSynonym: endpoint({
    id: 'sapphire.removeSynonym',
    route: 'DELETE /sapphire/synonyms/:client/:synonym',
    allow: 'sapphire:administer',
    freshness: 'none',
    summary: 'Removes a synonym.',
    params: z.object({ client: id.describe('Organisation.'), synonym: id.describe('Synonym ID.') }),
    answer: nothing,
  }),
};
