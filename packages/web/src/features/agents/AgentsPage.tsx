/** Agent page (/apps/agents): collectors and their state, installation and keys, agent versions. */
import { PageHeader } from '../../kit/PageHeader.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { Collectors } from './parts/Collectors.tsx';
import { Install } from './parts/Install.tsx';
import { Releases } from './parts/Releases.tsx';

const tabs = {
  collectors: { title: 'Collectors', Tab: Collectors },
  install: { title: 'Install and keys', Tab: Install },
  releases: { title: 'Versions', Tab: Releases },
};
const tabIds = Object.keys(tabs) as (keyof typeof tabs)[];

export function AgentsPage() {
  useTitle('Agent');
  const scope = useScope();
  const { client, hasSelector } = scope;
  const { search } = useSearchState();
  const tab = oneIn(search.tab, tabIds, 'collectors');
  const { Tab } = tabs[tab];
  return (
    <>
      <PageHeader title="Agent" purpose={`Collectors for ${clientLabel(scope)}: agents, Beats and syslog`} />
      <TabLinks
        label="Agent"
        current={tab}
        tabs={tabIds.map((id) => ({
          id,
          title: tabs[id].title,
          href: paths.agents({ client: hasSelector ? client : undefined, tab: id === 'collectors' ? undefined : id }),
        }))}
      />
      <Tab key={client} />
    </>
  );
}
