/**
 * Expected numbers of answers, counted from the tables by independent statements. Where a question has two valid readings
 * ("closed last month": opened or closed then), either number is accepted.
 */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import { personaOf } from '@parapet/world/personas.ts';
import type pg from 'pg';
import { accountOf, type EvaluatedTurn, type Reading } from './judge.ts';
import { periodsOf } from './periods.ts';
import { scopeOf } from './questions.ts';

/** Skills whose figures are checked; for others only the parsed intent is. */
const counted = ['cases.count', 'alerts.count', 'devices.count', 'top.rules', 'top.devices', 'top.users'];

/** undefined: the answer has no figure to check. */
export async function isFigureRight(
  pool: pg.Pool,
  evaluated: EvaluatedTurn,
  reading: Reading,
  answer: SapphireAnswer,
): Promise<{ isRight: boolean; expected: string } | undefined> {
  const { skill } = reading;
  const { slots, figure } = evaluated.turn;
  if (figure === false || skill === undefined || !counted.includes(skill)) return undefined;
  if (skill === 'devices.count' && slots.deviceState !== undefined && slots.deviceState !== 'silent') return undefined;
  const answerText = wordsOf(answer);
  const found: string[] = [];
  for (const range of rangesOf(evaluated, reading.slots)) {
    if (skill.startsWith('top.')) {
      const rows = await topOf(pool, evaluated, skill, range);
      if (rows.length === 0) found.push('none');
      if (
        rows.length === 0
          ? mentionsNone(answerText)
          : rows.some(({ name, n }) => answerText.includes(name.toLowerCase()) && mentions(answerText, n))
      )
        return { isRight: true, expected: '' };
      found.push(...rows.map(({ name, n }) => `${name} ${n}`));
    } else {
      for (const n of await countsOf(pool, evaluated, reading.slots, skill, range)) {
        if (mentions(answerText, n)) return { isRight: true, expected: '' };
        found.push(String(n));
      }
    }
  }
  return { isRight: false, expected: [...new Set(found)].join(' or ') };
}

interface Between {
  start: Date;
  end: Date;
}

/** The parsed range, if there is one (judge.ts checks it against the question); otherwise the question's. */
function rangesOf({ turn, conversation, now, timeZone }: EvaluatedTurn, read: SapphireSlots | undefined): Between[] {
  if (read?.timeframe) return [{ start: new Date(read.timeframe.start), end: new Date(read.timeframe.end) }];
  const words = turn.slots.timeframe ? [turn.slots.timeframe] : [conversation.timeframe ?? 'thisMonth', 'allTime'];
  return words.flatMap((word) =>
    periodsOf(word, now, timeZone).map(({ start, end }) => ({
      start: new Date(start),
      end: new Date(Number.isFinite(end) ? end : now + 60_000),
    })),
  );
}

/** Builder of a `where` clause; `?` stands for the value. */
class Where {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = [];
  and(condition: string, ...values: unknown[]): this {
    let next = 0;
    this.conditions.push(
      condition.replace(/\?/g, () => {
        this.values.push(values[next++]);
        return `$${this.values.length}`;
      }),
    );
    return this;
  }
  copy(): Where {
    const other = new Where();
    other.values.push(...this.values);
    other.conditions.push(...this.conditions);
    return other;
  }
  get text(): string {
    return this.conditions.map((condition) => `(${condition})`).join(' and ');
  }
}

function organisationsOf({ turn, conversation }: EvaluatedTurn): number[] {
  const { clients } = turn.slots;
  const scope = scopeOf(conversation.persona);
  if (clients === 'all') return scope;
  if (clients) return clients.filter((id) => scope.includes(id));
  return conversation.client
    ? [conversation.client]
    : scope.length > 1
      ? scope
      : [personaOf(conversation.persona).organisationId];
}

const isPerson = (column: string) => `regexp_replace(regexp_replace(lower(${column}), '^.*\\\\', ''), '@.*$', '') = ?`;

const alertsFrom = `from alerts a join rules r on r.id = a.rule_id`;
function alertsOf(evaluated: EvaluatedTurn, range: Between): Where {
  const { severities, device, user, rule, technique } = evaluated.turn.slots;
  const where = new Where()
    .and('a.organisation_id = any(?)', organisationsOf(evaluated))
    .and('a.at >= ? and a.at < ?', range.start, range.end);
  if (severities)
    where.and(
      'a.criticality = any(?)',
      severities.map((name) => criticalityOf[name]),
    );
  if (device) where.and('lower(a.device_name) = lower(?)', device);
  if (user) where.and(isPerson('a.user_name'), accountOf(user));
  if (rule) where.and('lower(r.title) = lower(?)', rule);
  if (technique)
    where.and(
      `exists (select from jsonb_array_elements_text(r.facts -> 'techniques') t where t = ? or t like ? || '.%')`,
      technique,
      technique,
    );
  return where;
}

async function countsOf(pool: pg.Pool, evaluated: EvaluatedTurn, read: SapphireSlots | undefined, skill: string, range: Between) {
  const numbers: number[] = [];
  const count = async (from: string, where: Where) => {
    const { rows } = await pool.query<{ n: string }>(`select count(*) as n ${from} where ${where.text}`, where.values);
    numbers.push(Number(rows[0]?.n));
  };
  if (skill === 'alerts.count') {
    const where = alertsOf(evaluated, range);
    await count(alertsFrom, where);
    // A person has several accounts; each is accepted.
    if (read?.user) await count(alertsFrom, where.copy().and('a.user_name = ?', read.user));
  } else if (skill === 'devices.count') {
    const where = new Where().and('d.organisation_id = any(?) and d.merged_into is null', organisationsOf(evaluated));
    if (evaluated.turn.slots.deviceState === 'silent') where.and('d.silent_since is not null');
    await count('from devices d', where);
  } else {
    for (const where of await casesOf(pool, evaluated, range)) await count('from cases c', where);
  }
  return numbers;
}

/** All combinations of valid readings of the states. */
async function casesOf(pool: pg.Pool, evaluated: EvaluatedTurn, range: Between): Promise<Where[]> {
  const { severities, states = [], device, user, assigned } = evaluated.turn.slots;
  const base = new Where().and('c.organisation_id = any(?)', organisationsOf(evaluated));
  if (severities)
    base.and(
      'c.criticality = any(?)',
      severities.map((name) => criticalityOf[name]),
    );
  if (device) base.and('exists (select from unnest(c.device_names) n where lower(n) = lower(?))', device);
  if (user) base.and(`exists (select from unnest(c.user_names) n where ${isPerson('n')})`, accountOf(user));
  if (assigned === 'nobody') base.and('c.analyst_user_id is null');
  if (assigned === 'me') {
    const { rows } = await pool.query('select id from users where email = $1', [personaOf(evaluated.conversation.persona).email]);
    base.and('c.analyst_user_id = ?', rows[0]?.id);
  }
  let wheres = [base.copy().and('c.created_at >= ? and c.created_at < ?', range.start, range.end)];
  if (states.includes('closed')) wheres.push(base.copy().and('c.closed_at >= ? and c.closed_at < ?', range.start, range.end));
  const isOpen = 'c.closed_at is null';
  const meanings: Record<string, string[]> = {
    open: [isOpen],
    closed: ['c.closed_at is not null'],
    malicious: [
      `c.status = 'malicious'`,
      `c.verdict = 'Malicious'`,
      'c.investigation_status = 6',
      `c.verdict = 'Malicious' or c.status = 'malicious'`,
    ],
    benign: [`c.verdict = 'Benign'`, 'c.investigation_status in (4, 5)', `c.verdict = 'Benign' and c.closed_at is not null`],
    escalated: [`c.status = 'escalated'`, `c.status like 'escalated%'`],
    assigned: [`c.status = 'assigned'`],
    investigating: [`c.status = 'investigating'`],
  };
  for (const state of states)
    wheres = wheres.flatMap((where) => (meanings[state] ?? []).map((condition) => where.copy().and(condition)));
  // Unassigned cases are those still open.
  if (assigned) wheres.push(...wheres.map((where) => where.copy().and(isOpen)));
  return wheres;
}

const topColumns: Record<string, string> = { 'top.rules': 'r.title', 'top.devices': 'a.device_name', 'top.users': 'a.user_name' };

/** The first entry and those tied with it. */
async function topOf(pool: pg.Pool, evaluated: EvaluatedTurn, skill: string, range: Between) {
  const column = topColumns[skill]!;
  const where = alertsOf(evaluated, range).and(`${column} is not null`);
  const { rows } = await pool.query<{ name: string; n: string }>(
    `select ${column} as name, count(*) as n ${alertsFrom} where ${where.text} group by 1 order by 2 desc limit 20`,
    where.values,
  );
  return rows.filter(({ n }) => n === rows[0]?.n).map(({ name, n }) => ({ name, n: Number(n) }));
}

const wordsOf = ({ sapphireEndpointResponse, table }: SapphireAnswer): string =>
  [sapphireEndpointResponse, ...(table?.rows.map(({ cells }) => cells.join(' | ')) ?? [])].join('\n').toLowerCase();

const mentionsNone = (answerText: string): boolean => /\b(no|none|nothing|0|never)\b/.test(answerText);
const mentions = (answerText: string, n: number): boolean =>
  (n === 0 && mentionsNone(answerText)) ||
  (n === 1 && /\b(one|a single)\b/.test(answerText)) ||
  new RegExp(`(?<![\\d.,-])${n.toLocaleString('en').replaceAll(',', '[,\\u202f ]?')}(?![\\d-]|[.,]\\d)`).test(answerText);
