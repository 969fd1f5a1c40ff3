/**
 * Links from numbers of a report to lists with matching filters. Numbers without an equal list, such as cases open at the end of a past
 * month, have no link.
 */
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { paths } from '../../lib/paths.ts';
import { type May, reconciliationHref } from './reconciliationHrefs.ts';
import { parts } from './reconciliationParts.ts';
import { severityNamed } from './reportText.ts';

export interface ReportPlace {
  client: number;
  timeframe: Month;
  /** True once the month is over. */
  isComplete: boolean;
  may: May;
}

export function figureHref(id: string, { client, timeframe, isComplete }: ReportPlace): string | undefined {
  const [part = '', name = ''] = id.split('.');
  const findings = (query: Record<string, string>) => paths.vulnerability({ client, tab: 'findings', ...query });
  switch (part) {
    case 'alerts':
      return paths.alerts(client, { timeframe, severity: name || undefined });
    case 'cases':
      if (name === 'opened') return paths.cases(client, { timeframe });
      return name === 'open' && !isComplete ? paths.cases(client, { timeframe: 'allTime', status: openStatuses }) : undefined;
    case 'response':
      return name === 'asked' ? paths.responses({ client, timeframe }) : undefined;
    case 'targets':
      return paths.cases(client, { timeframe });
    case 'risk':
      return paths.riskScore({ client });
    case 'coverage':
      return name === 'seen'
        ? paths.attackIndicators(client, { timeframe })
        : paths.attackIndicators(client, { timeframe, tab: 'coverage' });
    case 'vulnerabilities':
      if (name === 'score') return paths.vulnerability({ client });
      if (name === 'open') return findings({});
      return name === 'exploited' ? findings({ exploited: 'true' }) : undefined;
    case 'devices':
      if (name === 'known') return paths.devices(client);
      return name === 'reporting' ? paths.devices(client, { state: ['reporting'] }) : undefined;
    case 'balance':
      return paths.reporting({ client, timeframe, tab: 'balance' });
    default:
      return undefined;
  }
}

const partsByLabel = new Map([...parts.events, ...parts.alerts].map(({ id, name }) => [name, id]));

interface CellQuery extends ReportPlace {
  section: string;
  column: string;
  row: readonly (string | number | null)[];
}

/** Link of a table cell to the entity it names or the rows it counts. */
export function cellHref({ section, column, row, client, timeframe, may }: CellQuery): string | undefined {
  const [first] = row;
  const named = String(first ?? '');
  switch (`${section}: ${column}`) {
    case 'caseList: Case':
      return typeof first === 'number' ? paths.case(first) : undefined;
    case 'devices: Silent device':
      return paths.device(client, named);
    case 'vulnerabilities: Vulnerability':
      return paths.vulnerability({ client, tab: 'findings', text: named });
    case 'vulnerabilities: Device':
      return paths.device(client, String(row[1] ?? ''), { tab: 'vulnerabilities' });
    case 'cases: Opened':
      return paths.cases(client, { timeframe, severity: severityNamed(named) });
  }
  const counted = section === 'balance' ? partsByLabel.get(column) : undefined;
  return counted && /^\d{4}-\d\d-\d\d$/.test(named)
    ? reconciliationHref(counted, { client, timeframe, date: named }, may)
    : undefined;
}
