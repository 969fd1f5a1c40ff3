/** List page and loader of a new feature, in the words of the golden feature `tags`; `renamed` puts them into the new feature's. */
export const loader = `/** First query of the tags page. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { tagsQuery } from './tags.queries.ts';

export const list: PageLoader = ({ scope }) => [tagsQuery(scope.client)];
`;

export const listPage = `/** List of tags (/apps/tags). */
import type { Tag } from '@parapet/contract/tags.ts';
import { useQuery } from '@tanstack/react-query';
import type { Column } from '../../kit/table.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { ListPage } from '../../lib/ListPage.tsx';
import { type ListState, listSchema, search } from '../../lib/listSchema.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { tagsQuery } from './tags.queries.ts';

const tagList = listSchema({ text: search() });

const columns: readonly Column<Tag>[] = [
  { id: 'name', header: 'Name', flex: 1, width: 200, isFixed: true, cell: (tag) => <VisibleText text={tag.name} /> },
];

/** Rows of one page: the list comes in one answer. */
function pageOf(tags: readonly Tag[], { text, page, pageSize }: ListState<typeof tagList>) {
  const found = tags.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return { results: found.slice((page - 1) * pageSize, page * pageSize), total: found.length };
}

export function TagsPage() {
  const scope = useScope();
  const list = useListState(tagList);
  const tags = useQuery(tagsQuery(scope.client));
  return (
    <ListPage
      id="tags"
      label="Tags"
      title="Tags"
      purpose={\`Tags for \${clientLabel(scope)}\`}
      list={list}
      query={{ ...tags, data: tags.data && pageOf(tags.data.results, list.state) }}
      columns={columns}
      rowId={(tag) => tag.id}
      card={(tag) => <VisibleText text={tag.name} />}
      search="Search tags"
      empty={{ title: 'No tags yet' }}
    />
  );
}
`;
