/** Administration of Sapphire (/apps/sapphire): unanswered questions, knowledge review, synonyms and teachers. */
import { allClients } from '@parapet/contract/access.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { KnowledgeTab } from './parts/KnowledgeTab.tsx';
import { QuestionsTab } from './parts/QuestionsTab.tsx';
import { SynonymsTab } from './parts/SynonymsTab.tsx';
import { TeachersTab } from './parts/TeachersTab.tsx';

const tabs = [
  { id: 'questions', title: 'Questions' },
  { id: 'knowledge', title: 'Knowledge' },
  { id: 'synonyms', title: 'Synonyms' },
  { id: 'teachers', title: 'Teachers' },
] as const;
const bodies = { questions: QuestionsTab, knowledge: KnowledgeTab, synonyms: SynonymsTab, teachers: TeachersTab };

export function SapphirePage() {
  useTitle('Sapphire');
  const { client, clientName, may } = useScope();
  const { search } = useSearchState();
  if (!may('sapphire:administer')) {
    return (
      <>
        <PageHeader title="Sapphire" />
        <EmptyState
          title="This page is for the provider’s and partners’ administrators"
          text="To ask a question, open Sapphire with the button at the lower right."
        />
      </>
    );
  }
  const current = oneIn(
    search.tab,
    tabs.map(({ id }) => id),
    'questions',
  );
  const Body = bodies[current];
  const chosen = search.client === undefined ? {} : { client: search.client };
  return (
    <>
      <PageHeader
        title="Sapphire"
        purpose={`Unanswered questions, knowledge, synonyms and teachers, for ${client === allClients ? 'all clients' : clientName || 'your organisation'}`}
      />
      <TabLinks
        label="Sapphire"
        current={current}
        tabs={tabs.map(({ id, title }) => ({
          id,
          title,
          href: paths.sapphire({ ...chosen, tab: id === 'questions' ? undefined : id }),
        }))}
      />
      <Body />
    </>
  );
}
