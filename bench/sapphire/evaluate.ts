/** Sends all questions of a part through the portal's API as their personas, and evaluates the answers. */
import { randomUUID } from 'node:crypto';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import type pg from 'pg';
import { isFigureRight } from './figures.ts';
import { type EvaluatedTurn, isSkillRight, kindOf, type Reading, wrongSlots } from './judge.ts';
import type { openPeople } from './people.ts';
import { type Conversation, kindsOf, type Part, readQuestions, withThings } from './questions.ts';

const callers = 4;
const timeZones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'];

export interface Judged {
  skill: string;
  isSkillRight: boolean;
  areSlotsRight: boolean;
  isFigureRight: boolean | undefined;
  /** Question, expectation and parsed intent, for tuning. */
  miss: object | undefined;
}

export async function evaluate(
  part: Part,
  { url, pool, people }: { url: string; pool: pg.Pool; people: Awaited<ReturnType<typeof openPeople>> },
): Promise<Judged[]> {
  const conversations = await withThings(pool, readQuestions(part));
  const judged: Judged[][] = [];
  const waiting = [...conversations.entries()];
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) judged[next[0]] = await converse(next[1], next[0]);
    }),
  );
  return judged.flat();

  async function converse(conversation: Conversation, index: number): Promise<Judged[]> {
    const isAboutThem = conversation.turns.some(({ slots }) => slots.assigned === 'me');
    const { token } = await (isAboutThem ? people.self : people.like)(conversation.persona);
    const conversationUUID = randomUUID();
    const timeZone = timeZones[index % timeZones.length]!;
    const results: Judged[] = [];
    for (const turn of conversation.turns) {
      const evaluated: EvaluatedTurn = { conversation, turn, now: Date.now(), timeZone };
      const response = await fetch(`${url}/api/v1/dashboard/sapphire-chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          clientRequest: turn.text,
          conversationUUID,
          clientOrganizationID: conversation.client ?? 0,
          timeZone,
          ...(conversation.timeframe && { timeframe: conversation.timeframe }),
        }),
      });
      if (!response.ok) {
        const miss = { text: turn.text, status: response.status, answer: (await response.text()).slice(0, 300) };
        const [skill = ''] = kindsOf(turn);
        results.push({ skill, isSkillRight: false, areSlotsRight: false, isFigureRight: undefined, miss });
        continue;
      }
      results.push(await judge(evaluated, (await response.json()) as SapphireAnswer));
    }
    return results;
  }

  async function judge(evaluated: EvaluatedTurn, answer: SapphireAnswer): Promise<Judged> {
    const { rows } = await pool.query<{ reading: Omit<Reading, 'kind'> }>('select reading from sapphire_messages where id = $1', [
      answer.messageID,
    ]);
    const reading: Reading = { ...rows[0]?.reading, kind: answer.kind };
    const isRight = isSkillRight(evaluated, reading);
    const wrong = wrongSlots(evaluated, reading);
    const figure = isRight ? await isFigureRight(pool, evaluated, reading, answer) : undefined;
    const { persona, client, timeframe, turns } = evaluated.conversation;
    return {
      skill: kindsOf(evaluated.turn)[0]!,
      isSkillRight: isRight,
      areSlotsRight: isRight && wrong.length === 0,
      isFigureRight: figure?.isRight,
      miss:
        isRight && wrong.length === 0 && figure?.isRight !== false
          ? undefined
          : {
              text: evaluated.turn.text,
              ...(turns[0] !== evaluated.turn && {
                after: turns.slice(0, turns.indexOf(evaluated.turn)).map(({ text }) => text),
              }),
              persona,
              ...(client && { client }),
              ...(timeframe && { selected: timeframe }),
              expected: { skill: evaluated.turn.skill, ...evaluated.turn.slots },
              read: { kind: answer.kind, skill: kindOf(reading), ...reading.slots },
              ...(isRight && wrong.length > 0 && { wrong }),
              ...(figure?.isRight === false && { figure: figure.expected }),
              understood: answer.understood,
              answer: answer.sapphireEndpointResponse.slice(0, 300),
            },
    };
  }
}

/** One line per skill: the count, and the shares with correct skill, slots and figure. */
export function tableOf(judged: readonly Judged[]): string {
  const skills = [...new Set(judged.map(({ skill }) => skill))].sort();
  const line = (name: string, some: readonly Judged[]) => {
    const figures = some.filter((each) => each.isFigureRight !== undefined);
    const share = (right: number, of: number) => (of === 0 ? '–' : `${right}/${of}`).padStart(10);
    return `  ${name.padEnd(20)}${share(some.filter((each) => each.isSkillRight).length, some.length)}${share(some.filter((each) => each.areSlotsRight).length, some.length)}${share(figures.filter((each) => each.isFigureRight).length, figures.length)}`;
  };
  return [
    `  ${''.padEnd(20)}${'skill'.padStart(10)}${'and slots'.padStart(10)}${'figure'.padStart(10)}`,
    ...skills.map((skill) =>
      line(
        skill,
        judged.filter((each) => each.skill === skill),
      ),
    ),
    line('all', judged),
  ].join('\n');
}
