/** Case reviews (/apps/casereviews), for Host and Partner Analyst: a second person looks at what was decided; and how well decisioning does. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { decisionName, decisionResultTypes, shortName, type Verdict, verdicts } from '@parapet/contract/rules/cases.ts';
import { timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { FilterChips } from '../../kit/FilterChips.tsx';
import { FilterMenu } from '../../kit/FilterMenu.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { numberIn, useGo, useSearchState } from '../../lib/address.ts';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { CalibrationPanel } from './parts/CalibrationPanel.tsx';
import { ReviewSidePanel } from './parts/ReviewSidePanel.tsx';
import { caseOf, ReviewCard, reviewColumns } from './parts/reviewColumns.tsx';
import { isFiltered, noFilters, pageChange, reviewFiltersIn } from './reviewFilters.ts';
import { reviewersQuery, reviewListQuery } from './reviews.queries.ts';

export function ReviewsPage() {
  useTitle('Case Reviews');
  const { client, clientName, hasSelector, timeframe, may } = useScope();
  const { search } = useSearchState();
  const tab = search.tab === 'calibration' ? 'calibration' : 'reviews';
  if (!may('reviews:use')) {
    return (
      <>
        <PageHeader title="Case Reviews" />
        <EmptyState
          title="Case reviews are for your provider’s and partner’s analysts"
          text="Your role cannot see them. What came of a case stands on the case itself."
        />
      </>
    );
  }
  const whose = client === 0 ? 'all clients' : clientName || 'your organisation';
  const place = { client: hasSelector ? client : undefined, timeframe };
  return (
    <>
      <PageHeader
        title="Case Reviews"
        purpose={
          tab === 'calibration'
            ? `How often decisioning was right, for ${whose}, of all times`
            : `Decisions that a second person looks at, for ${whose}`
        }
      />
      <TabLinks
        label="Case Reviews"
        current={tab}
        tabs={[
          { id: 'reviews', title: 'Reviews', href: paths.caseReviews(place) },
          { id: 'calibration', title: 'Calibration', href: paths.caseReviews({ ...place, tab: 'calibration' }) },
        ]}
      />
      {tab === 'calibration' ? <CalibrationPanel client={client} /> : <Reviews />}
    </>
  );
}

function Reviews() {
  const { client, range, timeframe, timeZone, may } = useScope();
  const { search, change } = useSearchState();
  const go = useGo();
  const filters = reviewFiltersIn(search);
  const list = useQuery(reviewListQuery(client, range, filters));
  const reviewers = useQuery(reviewersQuery());
  const rows = list.data?.results;
  const hasClients = client === 0;
  const columns = useMemo(() => reviewColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined, peek: undefined }, { replace });
  const peek = numberIn(search.peek, 0) || undefined;
  const look = (id: number) => change({ peek: id }, { replace: true });
  const names = new Map(
    reviewers.data?.results.map(({ id, firstName, lastName }) => [id, shortName(firstName, lastName)] as const),
  );
  const nameOf = (id: number) => (id === 0 ? 'Nobody' : (names.get(id) ?? `User ${id}`));
  const time = timeframeLabel(timeframe);
  const without = <T,>(all: readonly T[], one: T) => all.filter((each) => each !== one);

  const chips = [
    ...filters.decision.map((id) => ({
      key: `decision ${id}`,
      name: 'Decision',
      value: decisionName(id),
      onRemove: () => filter({ decision: without(filters.decision, id) }),
    })),
    ...filters.reviewer.map((id) => ({
      key: `reviewer ${id}`,
      name: 'Reviewer',
      value: nameOf(id),
      onRemove: () => filter({ reviewer: without(filters.reviewer, id) }),
    })),
    ...filters.verdict.map((verdict: Verdict) => ({
      key: `verdict ${verdict}`,
      name: 'Verdict',
      value: verdict,
      onRemove: () => filter({ verdict: without(filters.verdict, verdict) }),
    })),
  ];

  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
      <DataTable
        id="reviews"
        label="Case reviews"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        card={(row) => <ReviewCard row={row} timeZone={timeZone} hasClients={hasClients} onPreview={() => look(row.id)} />}
        total={list.data?.total ?? 0}
        page={filters.page}
        pageSize={filters.pageSize}
        onPage={(page, pageSize) => change(pageChange(page, pageSize))}
        sort="closed"
        order="desc"
        onSort={() => {}}
        isFetching={list.isFetching}
        error={list.error}
        onRetry={() => void list.refetch()}
        peeked={peek}
        onPreview={(row) => look(row.id)}
        onOpen={(row) => go(caseOf(row))}
        views={(look) => <ViewsMenu list="reviews" {...look} />}
        empty={
          isFiltered(filters) || filters.page > 1 ? (
            <EmptyState
              title={filters.page > 1 ? `There is no page ${filters.page}` : 'No review matches these filters'}
              text={filters.isAnyTime ? 'Take a filter away.' : `Filters apply to cases closed in: ${time}.`}
              actions={
                <Button variant="outlined" size="small" onClick={() => change(noFilters)}>
                  {filters.page > 1 ? 'To the first page' : 'Clear all filters'}
                </Button>
              }
            />
          ) : (
            <EmptyState
              title={filters.isAnyTime ? 'No case was closed yet' : `No reviews: ${time}`}
              text="Every closed case waits here for a second look."
              actions={
                !filters.isAnyTime && (
                  <Button variant="outlined" size="small" onClick={() => filter({ closed: 'any' })}>
                    Whenever closed
                  </Button>
                )
              }
            />
          )
        }
        toolbar={
          <>
            <SearchField
              value={filters.text}
              onChange={(text) => filter({ text }, true)}
              label="Search case or client"
              hasShortcut
              width={220}
            />
            <FilterMenu
              label="Decision"
              none=""
              options={decisionResultTypes.map(({ id, name }) => ({ value: String(id), label: name }))}
              chosen={filters.decision.map(String)}
              onChange={(decision) => filter({ decision })}
            />
            <FilterMenu
              label="Reviewer"
              none={reviewers.error ? 'The reviewers could not be loaded' : 'Nobody'}
              options={[0, ...names.keys()].map((id) => ({ value: String(id), label: <VisibleText text={nameOf(id)} /> }))}
              chosen={filters.reviewer.map(String)}
              onChange={(reviewer) => filter({ reviewer })}
            />
            <FilterMenu
              label="Verdict"
              none=""
              options={verdicts.map((verdict) => ({ value: verdict, label: verdict }))}
              chosen={filters.verdict}
              onChange={(verdict) => filter({ verdict })}
            />
            <Button
              size="small"
              color="inherit"
              aria-pressed={filters.isAnyTime}
              onClick={() => filter({ closed: filters.isAnyTime ? undefined : 'any' })}
              sx={{ height: 32, color: 'text.secondary', bgcolor: filters.isAnyTime ? 'action.selected' : undefined }}
            >
              Whenever closed
            </Button>
            <FilterChips chips={chips} onClear={() => change(noFilters)} />
          </>
        }
      />
      <ReviewSidePanel
        id={peek}
        row={rows?.find((row) => row.id === peek)}
        isLoading={rows === undefined}
        timeZone={timeZone}
        mayWrite={may('cases:write')}
        mayMail={may('cases:mail')}
        onClose={() => change({ peek: undefined }, { replace: true })}
      />
    </Box>
  );
}
