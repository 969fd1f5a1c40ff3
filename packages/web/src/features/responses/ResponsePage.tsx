/** Response request (/apps/response/{id}). */
import Box from '@mui/material/Box';
import { useParams } from '@tanstack/react-router';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { useGo } from '../../lib/address.ts';
import { BackLink } from '../../lib/BackLink.tsx';
import { objectIdIn } from '../../lib/pageLoader.ts';
import { paths } from '../../lib/paths.ts';
import { useTitle } from '../../lib/title.ts';
import { ResponseDetails } from './parts/ResponseDetails.tsx';
import { responseTexts } from './responseTexts.ts';
import { useResponse } from './useResponse.ts';

export function ResponsePage() {
  const { id: text } = useParams({ strict: false }) as { id?: string };
  const id = objectIdIn(text);
  const { detail, error, isMissing, refetch } = useResponse(id);
  const go = useGo();
  const name = id === undefined ? 'Response' : `Response ${id}`;
  useTitle(name);
  const back = <BackLink href={paths.responses()}>Response</BackLink>;
  if (!detail)
    return (
      <>
        <PageHeader above={back} title={name} />
        {id === undefined || isMissing ? (
          <EmptyState
            title={id === undefined ? 'Invalid response number' : `Response ${id} not found`}
            text="It may have expired under the retention policy, or you don’t have access to its organisation."
          />
        ) : error ? (
          <FailedState what="the response" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={10} />
        )}
      </>
    );
  return (
    <article>
      <PageHeader
        above={back}
        title={
          <>
            {responseTexts(detail.action).name} <VisibleText text={detail.target} />
          </>
        }
        purpose={
          <>
            {name} · <VisibleText text={detail.clientOrganizationName} />
          </>
        }
      />
      <Box sx={{ maxWidth: 880 }}>
        <ResponseDetails key={detail.id} detail={detail} onUndone={(next) => next !== detail.id && go(paths.response(next))} />
      </Box>
    </article>
  );
}
