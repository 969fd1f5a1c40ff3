/** One target: state, figures, newest failure and actions. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, RowHead } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useSendTest } from '../deliveries.queries.ts';
import { quietText } from '../ruleText.ts';
import { TargetMark } from './DeliveryMark.tsx';
import { TargetActions } from './TargetActions.tsx';

export function TargetRow({ target }: { target: DeliveryTarget }) {
  const { client, hasSelector, timeZone } = useScope();
  const { id, name, title, error, errorAt, acceptedAt, quiet, previousSecretUntil, clientOrganizationID: owner } = target;
  const test = useSendTest();
  const at = (instant: string | null) => instant && <RelativeTime at={instant} timeZone={timeZone} />;
  return (
    <Row aria-label={name}>
      <div className="fields" style={{ display: 'grid', gap: 10 }}>
        <RowHead>
          <strong>
            <VisibleText text={name} />
          </strong>
          <TargetMark state={target.state} />
          <span className="about">
            {name !== title && title}
            {client === allClients && (
              <>
                {name !== title && ' · '}
                <VisibleText text={target.clientOrganizationName} />
              </>
            )}
          </span>
        </RowHead>
        <DefinitionList
          minWidth={150}
          facts={[
            { name: 'Last accepted', value: at(acceptedAt) },
            { name: 'Waiting', value: exact(target.waiting) },
            { name: 'Given up, last 30 days', value: exact(target.givenUp) },
            { name: 'Quiet time', value: quiet && quietText(quiet) },
            { name: 'Previous secret valid until', value: at(previousSecretUntil) },
          ]}
        />
        {error && error !== test.data?.words && (
          <Note tone="warning">
            Failed {at(errorAt)}: <VisibleText text={error} />
          </Note>
        )}
        {test.data && (
          <Note role="alert" tone={test.data.state === 'accepted' ? 'info' : 'warning'}>
            {test.data.state === 'accepted' ? 'Test accepted' : 'Test failed'}
            {test.data.acceptedId && ` as ${visibleText(test.data.acceptedId)}`}
            {test.data.words && (
              <>
                : <VisibleText text={test.data.words} />
              </>
            )}
          </Note>
        )}
      </div>
      <span className="buttons" style={{ flexWrap: 'wrap' }}>
        <Button
          size="small"
          component={AppLink}
          href={paths.deliveries({ client: hasSelector ? client : undefined, target: id })}
          aria-label={`Deliveries to ${name}`}
        >
          Deliveries
        </Button>
        <Button
          size="small"
          aria-label={`Send test to ${name}`}
          loading={test.isPending}
          onClick={() => test.mutate({ params: { client: owner, target: id } })}
        >
          Send test
        </Button>
        <TargetActions target={target} />
      </span>
    </Row>
  );
}
