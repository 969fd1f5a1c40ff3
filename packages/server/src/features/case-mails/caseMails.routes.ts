import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { CaseMailsService } from './caseMails.service.ts';

export function caseMailsRoutes(serving: Serving, mails: CaseMailsService): void {
  serve(serving, caseMailsApi.preview, ({ actor, body }) => mails.preview(actor, body));
  serve(serving, caseMailsApi.sendEscalation, ({ actor, body }) => mails.sendEscalation(actor, body));
  serve(serving, caseMailsApi.sendUpdate, ({ actor, body }) => mails.sendUpdate(actor, body));
  serve(serving, caseMailsApi.signature, ({ actor, params }) => mails.signature(actor, params.clientId));
  serve(serving, caseMailsApi.sendCustom, ({ actor, params, body }) => mails.sendCustom(actor, params.clientId, body));
  serve(serving, caseMailsApi.sendNarrative, ({ actor, body }) => mails.sendNarrative(actor, body.caseNarrativeID, body));
  serve(serving, caseMailsApi.listOfCase, ({ actor, params, query }) =>
    mails.listOfCase(actor, params.clientOrgId, query.caseId),
  );
  serve(serving, caseMailsApi.answerByLink, ({ query, body, request }) =>
    mails.answerByLink(
      {
        caseId: body.caseId ?? query.caseID,
        action: body.action ?? query.action,
        token: body.token ?? query.token,
      },
      request.ip,
    ),
  );
  serve(serving, caseMailsApi.answer, ({ actor, body }) => mails.answer(actor, body));
  serve(serving, caseMailsApi.answerNeedsPress, async ({ body }) => ({ needsPress: await mails.answerNeedsPress(body.token) }));
}
