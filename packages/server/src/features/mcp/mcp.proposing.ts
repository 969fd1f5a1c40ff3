/** Tools that propose: a person decides on the case page, and nothing happens before. */
import { casesApi } from '@parapet/contract/cases.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { requestActions } from '@parapet/contract/rules/values.ts';
import { z } from 'zod';
import { parsePart } from '../../core/http/serve.ts';
import { caseField, type Tool, tool } from './mcp.tool.ts';

const waiting = 'It is open on the page of the case, and has no effect until a user accepts it.';

const proposeNote = tool({
  name: 'propose_note',
  title: 'Propose a note',
  description: `Proposes a note for a case. ${waiting}`,
  endpoint: casesApi.saveNote,
  proposes: true,
  input: z.object({
    case: caseField,
    text: z.string().trim().min(1).max(20_000).describe('Text of the note.'),
    isInternal: z.boolean().default(true).describe('False for a note that the client may read.'),
  }),
  async run({ proposals }, actor, { case: caseId, text, isInternal }) {
    return { proposal: await proposals.proposeNote(actor, caseId, { text, isInternal }), state: waiting };
  },
});

const proposeResponse = tool({
  name: 'propose_response',
  title: 'Propose a response',
  description: `Proposes a response on a device or account of a case. ${waiting} Approval rules apply after that.`,
  endpoint: responseRequestsApi.request,
  proposes: true,
  input: z.object({
    case: caseField,
    action: z.enum(requestActions).describe('Action.'),
    target: z.string().trim().min(1).max(4_096).describe('Device, account, process ID or file path.'),
    deviceName: z.string().trim().max(255).default('').describe('Device to execute it on; empty when the target is the device.'),
    expectedName: z.string().trim().max(255).default('').describe('killProcess: name of the program with that process ID.'),
    reason: z.string().trim().min(1).max(2_000).describe('Justification, with the evidence.'),
  }),
  async run({ proposals }, actor, { case: caseID, reason, ...response }) {
    const body = parsePart(responseRequestsApi.request.body, { ...response, clientOrganizationID: 1, note: reason });
    const { action, target, deviceName, expectedName, releaseAfterHours, note } = body;
    const request = { action, target, deviceName, expectedName, releaseAfterHours, note };
    const { id, warning, approval } = await proposals.proposeResponse(actor, caseID, request);
    return { proposal: id, state: waiting, warning, approval };
  },
});

export const proposing: readonly Tool[] = [proposeNote, proposeResponse];
