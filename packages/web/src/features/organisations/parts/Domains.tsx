/** A partner’s claimed domains with the DNS record that verifies each. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ClaimedDomain } from '@parapet/contract/domains.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { WarningAmberRounded } from '../../../kit/icons/WarningAmberRounded.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { palette } from '../../../kit/palette.ts';
import { TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { stateText, usageText } from '../domains.ts';
import { domainsQuery, useCheckDomain, useVouchForDomain } from '../organisations.queries.ts';

const State = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  fontSize: 13,
  '& > svg': { fontSize: 18, flex: 'none', color: palette.warning.main },
  '&[data-state=verified] > svg, &[data-state=vouched] > svg': { color: palette.success.main },
});
const Title = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: '4px 16px', alignItems: 'center', marginBottom: 8 });
const Help = styled('p')({ margin: '0 0 12px', fontSize: 13, lineHeight: '20px', color: palette.text.secondary });

const icons = {
  unverified: ErrorOutlineRounded,
  accepted: WarningAmberRounded,
  failing: WarningAmberRounded,
  verified: CheckCircleOutlineRounded,
  vouched: CheckCircleOutlineRounded,
};

export function Domains({ details }: { details: ClientDetails }) {
  const { data, error, refetch } = useQuery({ ...domainsQuery(details.id), enabled: details.can.edit });
  const check = useCheckDomain(details.id);
  const vouch = useVouchForDomain(details.id);
  if (!details.can.edit) return <Nothing>Domains are visible to administrators only.</Nothing>;

  const reportCheck = (domain: string, results: readonly ClaimedDomain[]) => {
    const claim = results.find((each) => each.domain === domain);
    if (claim?.error === '') toast.success(`${domain} is verified`);
    else if (claim) toast.warning(claim.error, 'user');
  };

  if (!data) {
    if (error) return <FailedState what="domains" error={error} onRetry={() => void refetch()} />;
    return <TextSkeleton lines={3} lineHeight={32} />;
  }
  if (data.results.length === 0) return <Nothing>No domains yet. Save an own domain or a sender address to verify it.</Nothing>;
  return (
    <Rows aria-label="Domains">
      {data.results.map((claim) => (
        <DomainRow
          key={claim.domain}
          claim={claim}
          isBusy={check.isPending || vouch.isPending}
          onCheck={() => check.mutate(claim.domain, { onSuccess: ({ results }) => reportCheck(claim.domain, results) })}
          // Domains verified through DNS need no vouching.
          onVouch={
            details.can.vouch && claim.state !== 'verified'
              ? () => vouch.mutate({ domain: claim.domain, isVouched: claim.state !== 'vouched' })
              : undefined
          }
        />
      ))}
    </Rows>
  );
}

interface RowProps {
  claim: ClaimedDomain;
  isBusy: boolean;
  onCheck: () => void;
  onVouch: (() => void) | undefined;
}

function DomainRow({ claim, isBusy, onCheck, onVouch }: RowProps) {
  const { timeZone } = useScope();
  const Icon = icons[claim.state];
  const { domain, recordName, recordValue, checkedAt } = claim;
  return (
    <Row aria-label={domain}>
      <div className="fields">
        <Title>
          <strong>
            <VisibleText text={domain} />
          </strong>
          <State data-state={claim.state}>
            <Icon aria-hidden />
            {stateText(claim, timeZone)}
          </State>
        </Title>
        <Help>{usageText(claim)}</Help>
        <DefinitionList
          minWidth={220}
          facts={[
            { name: 'Record type', value: 'TXT' },
            { name: 'Last check', value: <TimeOrNever at={checkedAt} timeZone={timeZone} /> },
            { name: 'Record name', value: <Mono text={recordName} copyLabel={`Copy record name of ${domain}`} />, isWide: true },
            {
              name: 'Record value',
              value: <Mono text={recordValue} copyLabel={`Copy record value of ${domain}`} />,
              isWide: true,
            },
            { name: 'Result', value: claim.error && <VisibleText text={claim.error} />, isWide: true },
          ]}
        />
      </div>
      <span className="buttons">
        {onVouch && (
          <Button size="small" disabled={isBusy} aria-label={vouchLabel(claim)} onClick={onVouch}>
            {claim.state === 'vouched' ? 'Stop vouching' : 'Vouch for domain'}
          </Button>
        )}
        <Button size="small" variant="outlined" disabled={isBusy} aria-label={`Check now: ${domain}`} onClick={onCheck}>
          Check now
        </Button>
      </span>
    </Row>
  );
}

const vouchLabel = ({ state, domain }: ClaimedDomain) =>
  state === 'vouched' ? `Stop vouching for ${domain}` : `Vouch for domain ${domain}`;
