/** Setting for installations with a single operator, who may approve their own requests. Hosts only. */
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { Note } from '../../../kit/Note.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { policyQuery, useSetPolicy } from '../responses.queries.ts';

export function SingleOperator() {
  const { timeZone } = useScope();
  const { data, error, refetch } = useQuery(policyQuery());
  const set = useSetPolicy();
  return (
    <Card
      title="Self-approval"
      purpose="Approvals need a second person. Only a single operator of the whole installation may approve their own requests."
    >
      {data ? (
        <>
          <FormControlLabel
            control={
              <Switch
                checked={data.isSingleOperator}
                disabled={set.isPending}
                onChange={(_, isSingleOperator) => set.mutate(isSingleOperator)}
              />
            }
            label="Single-operator installation"
          />
          {data.changedAt && (
            <p style={{ margin: 0, fontSize: 13 }}>
              Changed by <VisibleText text={data.changedBy} />, <AbsoluteTime at={data.changedAt} timeZone={timeZone} />
            </p>
          )}
          {data.isSingleOperator && !data.isInEffect && (
            <Note tone="warning">Not in effect: this installation has several staff members. Turn it off.</Note>
          )}
        </>
      ) : error ? (
        <FailedState what="the setting" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={2} lineHeight={24} />
      )}
    </Card>
  );
}
