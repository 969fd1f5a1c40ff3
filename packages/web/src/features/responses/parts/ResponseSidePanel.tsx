/** Side panel with one request. */
import Button from '@mui/material/Button';
import { OpenInFullRounded } from '../../../kit/icons/OpenInFullRounded.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { responseTexts } from '../responseTexts.ts';
import { useResponse } from '../useResponse.ts';
import { ResponseDetails } from './ResponseDetails.tsx';

export function ResponseSidePanel({ id, onPreview }: { id: number | undefined; onPreview: (id: number | undefined) => void }) {
  const { detail, error, isMissing, refetch } = useResponse(id);
  return (
    <SidePanel
      isOpen={id !== undefined}
      title={`Response ${id ?? ''}`.trim()}
      onClose={() => onPreview(undefined)}
      actions={
        id !== undefined && (
          <Button
            component={AppLink}
            href={paths.response(id)}
            size="small"
            startIcon={<OpenInFullRounded sx={{ '&&': { fontSize: 16 } }} />}
          >
            Open
          </Button>
        )
      }
    >
      {detail ? (
        <>
          <h2 style={{ margin: '0 0 16px', fontSize: 16, lineHeight: '22px', fontWeight: 600, overflowWrap: 'anywhere' }}>
            {responseTexts(detail.action).name} <VisibleText text={detail.target} />
          </h2>
          <ResponseDetails key={detail.id} detail={detail} onUndone={onPreview} />
        </>
      ) : isMissing ? (
        <EmptyState title={`Response ${id} not found`} text="It doesn’t exist, or you don’t have access to it." />
      ) : error ? (
        <FailedState what="the response" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={10} />
      )}
    </SidePanel>
  );
}
