/** Client of an invitation, and the organisation that invites. */
import { VisibleText } from '../../../kit/VisibleText.tsx';

export function InvitedClient({ client, invitedBy }: { client: string; invitedBy: string }) {
  return (
    <>
      For <VisibleText text={client} />
      {invitedBy !== client && (
        <>
          , invited by <VisibleText text={invitedBy} />
        </>
      )}
    </>
  );
}
