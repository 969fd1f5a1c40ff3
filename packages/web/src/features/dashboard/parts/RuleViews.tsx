/** Rules and their alerts in three views (spec §2.7): agile, MITRE and NIST, derived from one response by `rules/indicators.ts`. */
import Button from '@mui/material/Button';
import { severityOf } from '@parapet/contract/primitives.ts';
import { agileRows, mitreRows, nistPageSize, nistRows, shownAgileRules } from '@parapet/contract/rules/indicators.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Count } from '../../../kit/Count.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { numberIn, oneIn, useSearchState } from '../../../lib/address.ts';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { alertsByTypeQuery, refreshMs } from '../dashboard.queries.ts';
import { Choices, Foot, Scroll, Table } from './dashboard.styles.tsx';

const views = ['agile', 'mitre', 'nist'] as const;
const viewLabels = { agile: 'Agile', mitre: 'MITRE', nist: 'NIST' };
/** Maximum rows of the MITRE view; the whole matrix has its own page. */
const shownMitreRules = 10;

/** Maximum rule names of a control. */
const shownNames = 3;

export function RuleViews({ scope, hrefOf }: { scope: Scope; hrefOf: (query: Query) => string }) {
  const { search, change } = useSearchState();
  const view = oneIn(search.view, views, 'agile');
  const types = useQuery({ ...alertsByTypeQuery(scope), refetchInterval: refreshMs });
  const rows = useMemo(
    () =>
      types.data && {
        agile: agileRows(types.data.attackIndicators),
        mitre: mitreRows(types.data.attackIndicators),
        nist: nistRows(types.data.nistAttackIndicators),
      },
    [types.data],
  );
  const pages = Math.max(1, Math.ceil((rows?.nist.length ?? 0) / nistPageSize));
  const page = Math.min(numberIn(search.nistPage, 1), pages);
  const turn = (to: number) => change({ nistPage: to === 1 ? undefined : to }, { replace: true });
  const count = (value: number, query: Query) => (
    <AppLink href={hrefOf(query)}>
      <Count value={value} />
    </AppLink>
  );
  return (
    <Panel
      title="Alerts by rule"
      end={
        <Choices aria-label="Rule view">
          {views.map((each) => (
            <AppLink
              key={each}
              href={paths.dashboard(scope.client, { ...search, view: each === 'agile' ? undefined : each, nistPage: undefined })}
              aria-current={each === view ? 'true' : undefined}
            >
              {viewLabels[each]}
            </AppLink>
          ))}
        </Choices>
      }
    >
      <Loaded
        query={types}
        what="alerts by rule"
        lines={8}
        isEmpty={rows?.[view].length === 0}
        empty={
          view === 'agile' ? 'No alerts in this timeframe.' : `No alerts in this timeframe for the ${viewLabels[view]} view.`
        }
      >
        <Scroll tabIndex={0} role="group" aria-label={`Alerts by rule, ${viewLabels[view]} view`}>
          <Table>
            {view === 'agile' && (
              <>
                <thead>
                  <tr>
                    <th scope="col">Rule</th>
                    <th scope="col" className="words less">
                      Category
                    </th>
                    <th scope="col" className="words">
                      Criticality
                    </th>
                    <th scope="col">Alerts</th>
                  </tr>
                </thead>
                <tbody>
                  {rows?.agile.slice(0, shownAgileRules).map((row) => (
                    <tr key={row.ruleID}>
                      <th scope="row">
                        <VisibleText text={row.rule} />
                        <small>
                          <VisibleText text={row.mitreDescription} />
                        </small>
                      </th>
                      <td className="words less">
                        <VisibleText text={row.category} />
                      </td>
                      <td className="words">
                        <SeverityLabel severity={severityOf(row.criticalityNumber)} />
                      </td>
                      <td>{count(row.count, { rule: row.ruleID })}</td>
                    </tr>
                  ))}
                </tbody>
              </>
            )}
            {view === 'mitre' && (
              <>
                <thead>
                  <tr>
                    <th scope="col">Rule</th>
                    <th scope="col" className="words">
                      Tactic
                    </th>
                    <th scope="col" className="words">
                      Technique
                    </th>
                    <th scope="col" className="words less">
                      Log source
                    </th>
                    <th scope="col">Alerts</th>
                  </tr>
                </thead>
                <tbody>
                  {rows?.mitre.slice(0, shownMitreRules).map((row) => (
                    <tr key={row.ruleID}>
                      <th scope="row">
                        <VisibleText text={row.rule} />
                      </th>
                      <td className="words">
                        <VisibleText text={row.mitreCategory} />
                      </td>
                      <td className="words">
                        <VisibleText text={row.mitreTechnique} />
                        {row.mitreSubcategory !== '' && (
                          <small>
                            <VisibleText text={row.mitreSubcategory} />
                          </small>
                        )}
                      </td>
                      <td className="words less">
                        <VisibleText text={row.logSource} />
                      </td>
                      <td>{count(row.count, { rule: row.ruleID })}</td>
                    </tr>
                  ))}
                </tbody>
              </>
            )}
            {view === 'nist' && (
              <>
                <thead>
                  <tr>
                    <th scope="col">Control</th>
                    <th scope="col" className="words">
                      Technique
                    </th>
                    <th scope="col" className="words less">
                      Rules
                    </th>
                    <th scope="col">Alerts</th>
                  </tr>
                </thead>
                <tbody>
                  {rows?.nist.slice((page - 1) * nistPageSize, page * nistPageSize).map((row) => (
                    <tr key={`${row.nistControlID} ${row.mitreTechniqueID}`}>
                      <th scope="row">
                        {row.nistControlID} {row.nistControlName}
                      </th>
                      <td className="words">
                        {row.mitreTechniqueID} {row.mitreTechniqueName}
                        <small>{row.mitreCategory}</small>
                      </td>
                      <td className="words less">
                        <VisibleText text={namesOf(row.agileRule)} />
                      </td>
                      <td>{count(row.count, { technique: row.mitreTechniqueID })}</td>
                    </tr>
                  ))}
                </tbody>
              </>
            )}
          </Table>
        </Scroll>
        <Foot>
          {view === 'nist' ? (
            <>
              Page {page} of {pages}
              <Button size="small" disabled={page === 1} onClick={() => turn(page - 1)}>
                Back
              </Button>
              <Button size="small" disabled={page === pages} onClick={() => turn(page + 1)}>
                Next
              </Button>
            </>
          ) : (
            <AppLink href={paths.attackIndicators(scope.client, { timeframe: scope.timeframe })}>Attack indicators</AppLink>
          )}
        </Foot>
      </Loaded>
    </Panel>
  );
}

function namesOf(rules: string | readonly string[]): string {
  if (typeof rules === 'string') return rules;
  const rest = rules.length - shownNames;
  return [...rules.slice(0, shownNames), ...(rest > 0 ? [`${rest} more`] : [])].join(' · ');
}
