/** Case reviews (/apps/casereviews), for Host and Partner Analyst: review of closed cases, and calibration of decisioning. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import { decisionResultTypes, shortName, verdicts } from '@parapet/contract/rules/cases.ts';
import { timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { useSearchState } from '../../lib/address.ts';
import { ListTable } from '../../lib/ListTable.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { useListState } from '../../lib/useListState.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { CalibrationPanel } from './parts/CalibrationPanel.tsx';
import { ReviewSidePanel } from './parts/ReviewSidePanel.tsx';
import { caseOf, ReviewCard, reviewColumns } from './parts/reviewColumns.tsx';
import { reviewersQuery, reviewList, reviewListQuery } from './reviews.queries.ts';

export function ReviewsPage() {
  useTitle('Case Reviews');
  const scope = useScope();
  const { client, hasSelector, timeframe, may } = scope;
  const { search } = useSearchState();
  const tab = search.tab === 'calibration' ? 'calibration' : 'reviews';
  if (!may('reviews:use')) {
    return (
      <>
        <PageHeader title="Case Reviews" />
        <EmptyState
          title="Only provider and partner analysts see case reviews"
          text="You don’t have permission to see them. Each case shows its outcome."
        />
      </>
    );
  }
  const whose = clientLabel(scope);
  const place = { client: hasSelector ? client : undefined, timeframe };
  return (
    <>
      <PageHeader
        title="Case Reviews"
        purpose={
          tab === 'calibration'
            ? `Accuracy of decisioning for ${whose}, all time`
            : `Second-analyst review of closed cases for ${whose}`
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
  const list = useListState(reviewList);
  const reviews = useQuery(reviewListQuery(client, range, list.query));
  const hasClients = client === allClients;
  const columns = useMemo(() => reviewColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const isAnyTime = list.state.closed === 'any';
  const time = timeframeLabel(timeframe);
  const toggleTime = () => list.set({ closed: isAnyTime ? undefined : 'any' });

  return (
    <ListTable
      id="reviews"
      label="Case reviews"
      list={list}
      query={reviews}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <ReviewCard row={row} timeZone={timeZone} hasClients={hasClients} onPreview={onPreview} />}
      hrefOf={caseOf}
      panel={(panel) => (
        <ReviewSidePanel {...panel} timeZone={timeZone} mayWrite={may('cases:write')} mayMail={may('cases:mail')} />
      )}
      views={ViewsMenu}
      search="Search case or client"
      filters={useReviewFilters()}
      toolbar={
        <Button
          size="small"
          color="inherit"
          aria-pressed={isAnyTime}
          onClick={toggleTime}
          sx={{ height: 32, color: 'text.secondary', bgcolor: isAnyTime ? 'action.selected' : undefined }}
        >
          Any close date
        </Button>
      }
      noMatch={isAnyTime ? 'Remove a filter.' : `Filters apply to cases closed in: ${time}.`}
      empty={{
        title: isAnyTime ? 'No closed cases yet' : `No reviews: ${time}`,
        text: 'Every closed case is listed here for review.',
        actions: !isAnyTime && (
          <Button variant="outlined" size="small" onClick={toggleTime}>
            Any close date
          </Button>
        ),
      }}
    />
  );
}

function useReviewFilters(): ListFilter[] {
  const { data, error } = useQuery(reviewersQuery());
  const reviewers = (data?.results ?? []).map(({ id, firstName, lastName }) => ({
    value: id,
    text: shortName(firstName, lastName),
  }));
  return [
    { name: 'decision', label: 'Decision', options: decisionResultTypes.map(({ id, name }) => ({ value: id, text: name })) },
    {
      name: 'reviewer',
      label: 'Reviewer',
      none: error ? 'Couldn’t load reviewers.' : 'None',
      textOf: (id) => `User ${id}`,
      options: [{ value: 0, text: 'Unassigned' }, ...reviewers].map((option) => ({
        ...option,
        label: <VisibleText text={option.text} />,
      })),
    },
    { name: 'verdict', label: 'Verdict', options: verdicts.map((verdict) => ({ value: verdict, text: verdict })) },
  ];
}
