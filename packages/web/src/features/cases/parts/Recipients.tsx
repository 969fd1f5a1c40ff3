/** Recipients and signature of a case email. */
import type { EmailSignature } from '@parapet/contract/caseMails.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';

export const recipientsOf = ({ emailRecipientList: list }: EmailSignature, type: 'to' | 'cc') =>
  list.filter(({ emailType }) => emailType === type).map(({ emailAddress }) => emailAddress);

export function Recipients({ signature }: { signature: EmailSignature }) {
  const to = recipientsOf(signature, 'to');
  return (
    <DefinitionList
      facts={[
        {
          name: 'To',
          value: to.length > 0 ? <VisibleText text={to.join(', ')} /> : 'None. The client has no escalation address.',
          isWide: true,
        },
        { name: 'Cc', value: <VisibleText text={recipientsOf(signature, 'cc').join(', ')} />, isWide: true },
        { name: 'Signed by', value: <VisibleText text={signatureText(signature)} />, isWide: true },
      ]}
    />
  );
}

export const signatureText = ({ senderName, senderPartnerOrgName, senderPhone, senderEmail, socPhoneNumber }: EmailSignature) =>
  [senderName, senderPartnerOrgName, senderPhone, senderEmail, socPhoneNumber && `SOC ${socPhoneNumber}`]
    .filter(Boolean)
    .join(' · ');
