/** Seal state of the audit log in one line; an error alert when the log was tampered with. */
import Alert from '@mui/material/Alert';
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { LockOutlined } from '../../../kit/icons/LockOutlined.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { auditSealQuery } from '../audit.queries.ts';
import { StateLine } from './StateLine.tsx';

export function SealLine({ client, timeZone }: { client: number; timeZone: string }) {
  const { data } = useQuery(auditSealQuery(client));
  if (!data) return null;
  const { sealed, checkpointAt, verifiedAt, broken } = data;
  if (broken.length > 0)
    return (
      <Alert severity="error" sx={{ mb: 2 }}>
        {broken.length === 1 ? 'The audit log was modified' : `${exact(broken.length)} audit logs were modified`} outside the
        portal: {broken[0]?.text}. Run “npm run verify-audit” on the server for details.
      </Alert>
    );
  return (
    <StateLine icon={<LockOutlined />}>
      {checkpointAt === null ? (
        <span>Not sealed yet</span>
      ) : (
        <>
          <span>{client === allClients ? `${exact(sealed)} entries sealed` : `Sealed to entry ${exact(sealed)}`},</span>
          <span>
            last checkpoint <RelativeTime at={checkpointAt} timeZone={timeZone} />,
          </span>
          <span>
            {verifiedAt === null ? (
              'not verified yet'
            ) : (
              <>
                verified <RelativeTime at={verifiedAt} timeZone={timeZone} />
              </>
            )}
          </span>
        </>
      )}
    </StateLine>
  );
}
