import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { SapphireService } from './sapphire.service.ts';

export function sapphireRoutes(serving: Serving, { chat, knowledge, synonyms, teachers }: SapphireService): void {
  serve(serving, sapphireApi.chat, ({ actor, body }) => chat.ask(actor, body));
  serve(serving, sapphireApi.flag, async ({ actor, body }) => {
    await chat.judge(actor, body);
    return {};
  });
  serve(serving, sapphireApi.feedback, async ({ actor, body }) => {
    await chat.judge(actor, body);
    return {};
  });
  serve(serving, sapphireApi.loadingPhrases, async () => chat.loadingPhrases());
  serve(serving, sapphireApi.may, async ({ actor }) => ({ isTeacher: await teachers.isTeacher(actor) }));
  serve(serving, sapphireApi.insertKnowledge, async ({ actor, body }) => ({
    data: await knowledge.submit(actor, body.clientKnowledge),
  }));
  serve(serving, sapphireApi.listQuestions, ({ actor, params, query }) => chat.listQuestions(actor, params.client, query));
  serve(serving, sapphireApi.listKnowledge, ({ actor, params, query }) => knowledge.list(actor, params.client, query));
  serve(serving, sapphireApi.addKnowledge, ({ actor, params, body }) => knowledge.add(actor, params.client, body));
  serve(serving, sapphireApi.reviewKnowledge, ({ actor, params, body }) =>
    knowledge.review(actor, params.client, params.knowledge, body),
  );
  serve(serving, sapphireApi.listTeachers, ({ actor, params }) => teachers.list(actor, params.client));
  serve(serving, sapphireApi.setTeacher, async ({ actor, params, body }) => {
    await teachers.set(actor, params.client, params.user, body.isTeacher);
    return {};
  });
  serve(serving, sapphireApi.listSynonyms, ({ actor, params, query }) => synonyms.list(actor, params.client, query));
  serve(serving, sapphireApi.addSynonym, ({ actor, params, body }) => synonyms.add(actor, params.client, body));
  serve(serving, sapphireApi.removeSynonym, async ({ actor, params }) => {
    await synonyms.remove(actor, params.client, params.synonym);
    return {};
  });
}
