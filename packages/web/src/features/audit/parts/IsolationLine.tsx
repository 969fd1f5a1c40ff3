/** Result of the last isolation test in one line: attempts of other organisations’ users to read this one’s data. */
import Alert from '@mui/material/Alert';
import { useQuery } from '@tanstack/react-query';
import { ShieldOutlined } from '../../../kit/icons/ShieldOutlined.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { isolationQuery } from '../audit.queries.ts';
import { StateLine } from './StateLine.tsx';

export function IsolationLine({ client, timeZone }: { client: number; timeZone: string }) {
  const { data } = useQuery(isolationQuery(client));
  if (!data) return null;
  const { triedAt, attempts, found, organisations, isWhole } = data;
  if (found > 0)
    return (
      <Alert severity="error" sx={{ mb: 2 }}>
        The last isolation test returned data to other organisations in {counted(found, 'attempt')} of {exact(attempts)}. The
        provider sees the details in Operations.
      </Alert>
    );
  return (
    <StateLine
      icon={<ShieldOutlined />}
      title="Each night, test users of other organisations request marked test objects of each organisation by every call that reads."
    >
      {triedAt === null ? (
        <span>Isolation not tested yet</span>
      ) : (
        <span>
          Isolation tested <RelativeTime at={triedAt} timeZone={timeZone} />: {counted(attempts, 'attempt')} by users of{' '}
          {organisations === null
            ? isWhole
              ? 'all other organisations'
              : 'other organisations'
            : counted(organisations, 'other organisation')}
          , none returned data
        </span>
      )}
    </StateLine>
  );
}
