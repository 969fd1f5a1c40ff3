/** Question files, and the organisations, cases and alerts that questions refer to. */
import { readFileSync } from 'node:fs';
import { type SapphireSkill, type SapphireSlots, sapphireSkills } from '@parapet/contract/rules/sapphire.ts';
import { organisations } from '@parapet/world/organisations.ts';
import { personaOf } from '@parapet/world/personas.ts';
import type pg from 'pg';

/** Expected slots in the user's terms: time expressions (periods.ts), `{case:10:1}` for Alder's newest case but one. */
export interface Expected extends Omit<SapphireSlots, 'timeframe' | 'before' | 'clients' | 'caseId' | 'alertId'> {
  timeframe?: string;
  before?: string;
  clients?: number[] | 'all';
  caseId?: string;
  alertId?: string;
}

/** `unknown`: a clarifying question or an admission. `support`: escalation to a person. */
export type Kind = SapphireSkill | 'unknown' | 'support';

export interface Turn {
  text: string;
  /** Accepted alternatives. */
  skill: Kind | Kind[];
  slots: Expected;
  /** false: skips the check of the number. */
  figure?: false;
}

export interface Conversation {
  persona: string;
  /** Selected client; default 0, all. */
  client?: number;
  /** Selected timeframe. */
  timeframe?: string;
  turns: Turn[];
}

export const parts = ['tuning', 'heldout'] as const;
export type Part = (typeof parts)[number];

export function readQuestions(part: Part): Conversation[] {
  const conversations = JSON.parse(readFileSync(new URL(`./${part}.json`, import.meta.url), 'utf8')) as Conversation[];
  const kinds: readonly string[] = [...sapphireSkills, 'unknown', 'support'];
  for (const turn of conversations.flatMap(({ turns }) => turns)) {
    const strange = kindsOf(turn).find((kind) => !kinds.includes(kind));
    if (strange) throw new Error(`${part}.json expects ${strange}, which is no skill.`);
  }
  return conversations;
}

export const kindsOf = ({ skill }: Turn): Kind[] => (Array.isArray(skill) ? skill : [skill]);

/** Organisations visible to a persona: for a manager only the own one, also at a partner. */
export function scopeOf(persona: string): number[] {
  const { organisationId, role } = personaOf(persona);
  if (role === 'Manager') return [organisationId];
  return organisations
    .filter(({ id, parentId }) => organisationId === 1 || id === organisationId || parentId === organisationId)
    .map(({ id }) => id);
}

const thing = /\{(case|alert):(\d+):(\d+)\}/g;

/** Replaces `{case:10:1}` with numbers of real cases and alerts. */
export async function withThings(pool: pg.Pool, conversations: Conversation[]): Promise<Conversation[]> {
  let text = JSON.stringify(conversations);
  for (const [whole, kind, organisation, place] of new Set(text.matchAll(thing))) {
    const { rows } = await pool.query<{ id: number }>(
      kind === 'case'
        ? 'select id from cases where organisation_id = $1 order by id desc limit 1 offset $2'
        : 'select id from alerts where organisation_id = $1 and criticality >= 3 order by id desc limit 1 offset $2',
      [Number(organisation), Number(place) - 1],
    );
    if (!rows[0]) throw new Error(`The world has no ${whole}.`);
    text = text.replaceAll(whole, String(rows[0].id));
  }
  return JSON.parse(text) as Conversation[];
}
