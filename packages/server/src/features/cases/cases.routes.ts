import { casesApi } from '@parapet/contract/cases.ts';
import { csvType } from '../../core/csv.ts';
import { openEventStream } from '../../core/http/event-stream.ts';
import { hasSameAccess } from '../../core/http/live-streams.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import { pdfType } from '../../domain/pdf.ts';
import { stixType } from '../../domain/stix.ts';
import type { CasesService } from './cases.service.ts';

export function casesRoutes(serving: Serving, cases: CasesService): void {
  serve(serving, casesApi.list, ({ actor, body }) => cases.list(actor, body));
  serve(serving, casesApi.filters, ({ actor, params }) => cases.filters(actor, params.client, params.start, params.end));
  serve(serving, casesApi.exportList, async ({ actor, params, query }) => ({
    type: csvType,
    bytes: await cases.exportList(actor, params.client, params.start, params.end, query),
    downloadName: 'cases.csv',
  }));
  serve(serving, casesApi.analysts, ({ actor, params }) => cases.analysts(actor, params.clientOrgId));
  serve(serving, casesApi.decisionResultTypes, () => cases.decisionResultTypes());
  serve(serving, casesApi.underInvestigation, ({ actor, params }) => cases.underInvestigation(actor, params.client));
  serve(serving, casesApi.times, ({ actor, params }) => cases.times(actor, params.client, params.start, params.end));
  serve(serving, casesApi.detail, ({ actor, params }) => cases.detail(actor, params.id, params.clientOrgId));
  serve(serving, casesApi.alerts, ({ actor, params, query }) => cases.alerts(actor, params.caseId, query));
  serve(serving, casesApi.graph, ({ actor, params }) => cases.graph(actor, params.caseId));
  serve(serving, casesApi.exportJson, async ({ actor, params }) => ({
    type: 'application/json; charset=utf-8',
    bytes: await cases.exportJson(actor, params.caseId),
    downloadName: `case-${params.caseId}.json`,
  }));
  serve(serving, casesApi.exportPdf, async ({ actor, params }) => ({
    type: pdfType,
    bytes: await cases.exportPdf(actor, params.caseId),
    downloadName: `case-${params.caseId}.pdf`,
  }));
  serve(serving, casesApi.exportStix, async ({ actor, params, query }) => ({
    type: stixType,
    bytes: await cases.exportStix(actor, params.caseId, query.tlp),
    downloadName: `case-${params.caseId}.stix.json`,
  }));
  serve(serving, casesApi.exportArchive, async ({ actor, params, query }) => ({
    type: 'application/zip',
    bytes: await cases.exportArchive(actor, params.caseId, query.contents),
    downloadName: `case-${params.caseId}${query.contents === 'all' ? '-internal' : ''}.zip`,
  }));
  serve(serving, casesApi.live, async ({ actor, params, request, reply }) => {
    await cases.follow(actor, params.client, {
      open: () => openEventStream(reply),
      stillAllowed: hasSameAccess(serving.identify, request, casesApi.live.allow, actor, params.client),
    });
  });
  serve(serving, casesApi.saveNarrative, ({ actor, params, body }) => cases.saveNarrative(actor, params.clientId, body));
  serve(serving, casesApi.saveNote, ({ actor, body }) => cases.saveNote(actor, body));
  serve(serving, casesApi.addAlert, ({ actor, body }) => cases.addAlert(actor, body));
  serve(serving, casesApi.changeAnalyst, ({ actor, body }) => cases.changeAnalyst(actor, body));
  serve(serving, casesApi.changeInvestigationStatus, ({ actor, body }) => cases.changeInvestigationStatus(actor, body));
  serve(serving, casesApi.acknowledge, ({ actor, body }) => cases.acknowledge(actor, body));
  serve(serving, casesApi.changeStatus, ({ actor, body }) => cases.changeStatus(actor, body));
  serve(serving, casesApi.openItems, ({ actor, params }) => cases.openItems(actor, params.caseId));
  serve(serving, casesApi.answers, ({ actor, params }) => cases.answers(actor, params.client));
  serve(serving, casesApi.answerSeen, ({ actor, body }) => cases.answerSeen(actor, body.caseID));
  serving.app.addHook('preClose', async () => cases.closeStreams());
}
