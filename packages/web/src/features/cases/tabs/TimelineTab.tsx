/** Timeline of a case: alerts, events and actions in order of time, filtered by kind. */
import Box from '@mui/material/Box';
import type { TimelineEntry } from '@parapet/contract/caseDetail.ts';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { Section } from '../../../kit/Section.tsx';
import { SeverityIcon, severityLabel } from '../../../kit/Severity.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { Timeline } from '../../../kit/Timeline.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { listIn, useSearchState } from '../../../lib/address.ts';
import { Decoded } from '../../../lib/Decoded.tsx';
import { paths } from '../../../lib/paths.ts';
import { ArchivedEvents } from '../parts/ArchivedEvents.tsx';
import type { TabProps } from './tab.ts';

const kindLabel: Record<TimelineEntry['kind'], string> = {
  alert: 'Alerts',
  artifact: 'Artifacts',
  status: 'Status',
  assignment: 'Assignment',
  note: 'Notes',
  mail: 'Email',
  response: 'Response',
  decision: 'Verdict',
  review: 'Review',
  client: 'Client',
};

/** Without kinds chosen, artifacts stay out: they have a tab, and would stand before the steps that they belong to. */
export const withoutArtifacts = (entries: readonly TimelineEntry[]) => entries.filter(({ kind }) => kind !== 'artifact');

export const momentsOf = (entries: readonly TimelineEntry[]) =>
  entries.map((entry, index) => ({
    key: `${index}`,
    at: entry.time,
    icon: entry.severity && <SeverityIcon severity={entry.severity} />,
    title:
      entry.alertID === null ? (
        <VisibleText text={entry.text} />
      ) : (
        <AppLink href={paths.alert(entry.alertID)} style={{ color: 'inherit', textUnderlineOffset: 3 }}>
          {entry.severity && `${severityLabel[entry.severity]}: `}
          <VisibleText text={entry.text} />
        </AppLink>
      ),
    text: entry.alertID === null ? entry.actor && <VisibleText text={entry.actor} /> : <Decoded text={entry.text} />,
  }));

export function TimelineTab({ detail, timeZone }: TabProps) {
  const { search, change } = useSearchState();
  const entries = detail.autonomousResponseData.caseArtifactsTimeline;
  const chosen = listIn(search.kind);
  const kinds = (Object.keys(kindLabel) as TimelineEntry['kind'][]).filter((kind) =>
    entries.some((entry) => entry.kind === kind),
  );
  const shown = momentsOf(chosen.length === 0 ? withoutArtifacts(entries) : entries.filter(({ kind }) => chosen.includes(kind)));
  const { id, clientOrganizationID: client } = detail.caseGeneralInfo;
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Section title="Timeline" note="Oldest first">
        <Box className="no-print" sx={{ mb: 1.5, ml: -0.5 }}>
          <FilterMenu
            label="Kinds"
            none="No entries yet"
            options={kinds.map((kind) => ({ value: kind, label: kindLabel[kind] }))}
            chosen={chosen}
            onChange={(kind) => change({ kind })}
          />
        </Box>
        {shown.length === 0 ? (
          <EmptyState title="No matching entries" text="Select other kinds above." />
        ) : (
          <Timeline moments={shown} timeZone={timeZone} />
        )}
      </Section>
      {detail.can.write && <ArchivedEvents caseId={id} client={client} timeZone={timeZone} />}
    </Box>
  );
}
