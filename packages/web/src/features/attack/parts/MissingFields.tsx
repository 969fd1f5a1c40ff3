/** Fields that rules read and no event has, with the evidence and the collectors that would bring them. */
import type { attackApi } from '@parapet/contract/attack.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Count } from '../../../kit/Count.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { Note, ScrolledRows } from './attack.styles.tsx';

type Missing = AnswerOf<typeof attackApi.matrix>['missing'];

export function MissingFields({ missing, timeZone }: { missing: Missing; timeZone: string }) {
  return (
    <Panel title="Missing fields">
      <Note>
        These log sources send events, but none of at least 100 sampled in the last 6 hours or more has the field, and rules can’t
        match without it. Check what the collector or the audit policy leaves out.
      </Note>
      <ScrolledRows tabIndex={0} role="group" aria-label="Missing fields">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col" className="words">
                Log source
              </th>
              <th scope="col">Rules</th>
              <th scope="col">Last seen</th>
              <th scope="col">Events without it</th>
              <th scope="col" className="words">
                Sent by
              </th>
            </tr>
          </thead>
          <tbody>
            {missing.map((each) => (
              <tr key={`${each.field} ${each.logSource} ${each.code}`}>
                <th scope="row">
                  <VisibleText text={each.field} />
                </th>
                <td className="words">
                  <VisibleText text={each.code === null ? each.logSource : `${each.logSource}, event ${each.code}`} />
                </td>
                <td>
                  <Count value={each.rules} />
                </td>
                <td>{<TimeOrNever at={each.lastSeenTime} timeZone={timeZone} />}</td>
                <td>
                  <Count value={each.events} />
                </td>
                <td className="words">{each.connectors.join(', ') || '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrolledRows>
    </Panel>
  );
}
