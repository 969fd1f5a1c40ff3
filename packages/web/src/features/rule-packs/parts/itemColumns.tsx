/** Columns and card of the rules of an import. */
import type { PackItem } from '@parapet/contract/rulePacks.ts';
import { CardTitle } from '../../../kit/CardTitle.tsx';
import { SecondaryText, TwoLines, textCell } from '../../../kit/cells.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { decisionLabel, statusLabel } from '../packs.ts';

const source = ({ logSource, isKnownSource }: PackItem) =>
  logSource && !isKnownSource ? `${logSource} (not identified)` : logSource;

export const itemColumns: readonly Column<PackItem>[] = [
  { id: 'status', header: 'Status', width: 110, cell: ({ status }) => statusLabel[status] },
  {
    id: 'decision',
    header: 'Decision',
    width: 130,
    cell: ({ decision, status }) =>
      decision === null ? (status === 'edited' ? 'Undecided' : '') : decisionLabel(decision, status),
  },
  {
    id: 'title',
    header: 'Rule',
    flex: 3,
    width: 320,
    isFixed: true,
    cell: (item) => textCell(item.title),
  },
  {
    id: 'severity',
    header: 'Severity',
    width: 120,
    cell: ({ criticality }) => (criticality === null ? '' : <SeverityLabel severity={criticality} />),
  },
  { id: 'source', header: 'Source', flex: 1, width: 200, hidePriority: 2, cell: (item) => textCell(source(item)) },
  { id: 'detail', header: 'Detail', flex: 2, width: 240, hidePriority: 1, cell: ({ detail }) => textCell(detail) },
  { id: 'path', header: 'File', flex: 1, width: 180, hidePriority: 3, cell: ({ path }) => textCell(path) },
  { id: 'author', header: 'Author', width: 140, isHidden: true, cell: ({ author }) => textCell(author) },
  { id: 'licence', header: 'Licence', width: 110, isHidden: true, cell: ({ licence }) => textCell(licence) },
];

export function ItemCard({ item, onPreview }: { item: PackItem; onPreview: () => void }) {
  return (
    <TwoLines>
      <CardTitle onPreview={onPreview}>
        <VisibleText text={item.title} />
      </CardTitle>
      <SecondaryText>
        {statusLabel[item.status]} <VisibleText text={[source(item), item.detail].filter(Boolean).join(' · ')} />
      </SecondaryText>
    </TwoLines>
  );
}
