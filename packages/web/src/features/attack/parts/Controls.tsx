/** NIST SP 800-53 controls, ordered by the alerts of the techniques they mitigate. */
import { useQuery } from '@tanstack/react-query';
import { Count } from '../../../kit/Count.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import type { Query } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { controlsQuery } from '../attack.queries.ts';
import { Note, Rows } from './attack.styles.tsx';

const shownTechniques = 4;

export function Controls({ scope, alertsHref }: { scope: Scope; alertsHref: (query: Query) => string }) {
  const controls = useQuery(controlsQuery(scope));
  const rows = controls.data?.results;
  return (
    <Panel title="NIST SP 800-53 controls">
      <Note>
        Controls that mitigate the attempted techniques. Improving those in the first rows would have affected the most alerts.
      </Note>
      <Loaded
        query={controls}
        what="controls"
        lines={18}
        isEmpty={rows?.length === 0}
        empty="No alerts with mitigating controls in this timeframe."
      >
        <Rows tabIndex={0} role="group" aria-label="NIST SP 800-53 controls">
          <table>
            <thead>
              <tr>
                <th scope="col">Control</th>
                <th scope="col" className="words">
                  Techniques
                </th>
                <th scope="col">Alerts</th>
              </tr>
            </thead>
            <tbody>
              {rows?.map((row) => (
                <tr key={row.nistControlID}>
                  <th scope="row">
                    {row.nistControlID} {row.nistControlName}
                  </th>
                  <td className="words">
                    {row.techniques.slice(0, shownTechniques).map(({ id, name, count }) => (
                      <span key={id}>
                        <AppLink href={alertsHref({ technique: id })}>
                          {id} {name}
                        </AppLink>{' '}
                        (<Count value={count} />)
                      </span>
                    ))}
                    {row.techniques.length > shownTechniques && <span>and {row.techniques.length - shownTechniques} more</span>}
                  </td>
                  <td>
                    {/* The alert list accepts at most 50 techniques as a filter. */}
                    {row.techniques.length <= 50 ? (
                      <AppLink href={alertsHref({ technique: row.techniques.map(({ id }) => id) })}>
                        <Count value={row.count} />
                      </AppLink>
                    ) : (
                      <Count value={row.count} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Rows>
      </Loaded>
    </Panel>
  );
}
