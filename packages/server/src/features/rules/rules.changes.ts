/** Changes to rules. Each is one transaction with its history and audit entry, published to all processes. */
import { randomUUID } from 'node:crypto';
import { providerId } from '@parapet/contract/access.ts';
import type { rulesApi } from '@parapet/contract/detectionRules.ts';
import { criticalityOf, severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { z } from 'zod';
import { publish } from '../../core/bus.ts';
import { storable } from '../../core/db/like.ts';
import { isDuplicate, readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { shareVersions } from '../../domain/ruleVersions.ts';
import { checkRule, filterFault } from '../../pipeline/rule-check.ts';
import { revisionOf } from '../../pipeline/rule-set.ts';
import { requireSecondPerson } from './previews.service.ts';
import { type RulesDeps, sightOf, visibleRules } from './rules.sight.ts';
import { mayFollow, ownerOf, refusalOf, testFault } from './rules.states.ts';
import * as store from './rules.store.ts';

/** A leap year. */
const longestMs = 366 * dayMs;
const maxTests = 100;
const maxExceptions = 200;
const maxVersions = 400;

type Draft = z.output<typeof rulesApi.saveDraft.body>;
type Override = z.output<typeof rulesApi.saveOverride.body>;
type Exception = z.output<typeof rulesApi.addException.body>;
type Test = z.output<typeof rulesApi.addTest.body>;
type State = z.output<typeof rulesApi.changeState.body>;

const by = (actor: Actor) => ({ owner_id: actor.userId, owner_name: actor.displayName });

interface Entry {
  organisationId: number;
  key: string;
  action: string;
  version?: number;
  why: string;
}

const addHistory = (tx: Tx, actor: Actor, { organisationId, key, action, version, why }: Entry) =>
  store.addHistory(tx, {
    organisation_id: organisationId,
    rule_key: key,
    actor_id: actor.userId,
    actor_name: actor.displayName,
    action,
    version: version ?? null,
    why: storable(why),
  });

/** Runs a change and loads it in this process; others load it within seconds. */
async function change<T>({ db, detector }: RulesDeps, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await scoped(db, scope, async (tx) => {
    const result = await work(tx);
    await publish(tx, 'rules.changed', {});
    return result;
  });
  await detector.reload();
  return result;
}

/** The rule in force for the organisation. Another partner’s is missing. */
function ruleFor({ detector }: RulesDeps, organisationId: number, key: string) {
  const set = detector.current();
  const owner = set.owners.get(key);
  const rule = set.rules.get(key) ?? set.correlations.get(key);
  if (!rule || (owner !== undefined && !set.chainOf(organisationId).includes(owner))) throw problem.notFound('rule', key);
  return rule;
}

export async function saveDraft(deps: RulesDeps, actor: Actor, draft: Draft): Promise<{ ruleID: string; version: number }> {
  const organisationId = draft.clientOrganizationID;
  const scope = scopeFor(actor, organisationId);
  const { texts } = deps.detector.builtIn;
  const isBuiltIn = draft.ruleID !== null && texts.has(draft.ruleID);
  if (isBuiltIn && organisationId !== providerId)
    throw problem.forbidden('Built-in rules are changed by the provider. Save a copy without its ID as a rule of your own.');
  const { key, yaml } = identified(draft);
  const set = deps.detector.current();
  const { rule, faults } = checkRule(yaml, visibleRules(set, sightOf(actor, set, organisationId).settings, key));
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (!rule) throw problem.invalid({ yaml: errors.map(({ line, text }) => `Line ${line}: ${text}`) });
  if (rule.id !== key) throw problem.invalid({ yaml: [`The rule’s ID must stay ${key}. Remove the ID to save a new rule.`] });
  // An ID names one rule in the whole installation.
  const { taken, isUsed } = await readScoped(deps.db, 'system', async (tx) => ({
    taken: await store.listVersions(tx, 'system', key),
    // Also by alerts of a rule that an upgrade removed.
    isUsed: (await tx.selectFrom('rules').select('id').where('key', '=', key).executeTakeFirst()) !== undefined,
  }));
  if (draft.ruleID === null && (taken.length > 0 || isUsed || texts.has(key)))
    throw problem.invalid({ yaml: [`The ID ${key} is in use. Remove it to get a new one.`] });
  if (draft.ruleID !== null && !isBuiltIn && !taken.some((version) => version.organisationId === organisationId))
    throw problem.notFound('rule', key);
  const newest = taken[0]?.version ?? 0;
  if (newest !== draft.afterVersion)
    throw problem.conflict(
      `Version ${newest} of this rule was saved since you opened it. Reload to see it; your text stays in the editor.`,
    );
  if (newest >= maxVersions) throw problem.conflict(`A rule has at most ${maxVersions} versions.`);
  const version = newest + 1;
  try {
    await change(deps, scope, async (tx) => {
      await shareVersions(tx);
      await store.insertVersion(tx, {
        organisationId,
        key,
        version,
        yaml,
        base: isBuiltIn ? (texts.get(key) ?? null) : null,
        revision: revisionOf(yaml),
        title: rule.title.slice(0, 500),
        criticality: criticalityOf[rule.level ?? 'medium'],
        note: storable(draft.note),
        noiseBudget: draft.noiseBudget,
        author: { id: actor.userId, name: actor.displayName },
      });
      await addHistory(tx, actor, { organisationId, key, action: 'Draft saved', version, why: draft.note });
      await recordAudit(tx, actor, {
        action: 'rule.drafted',
        organisationId,
        target: key,
        after: { version, note: draft.note, yaml },
      });
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw problem.conflict(`Version ${version} of this rule was saved since you opened it. Reload to see it.`);
  }
  return { ruleID: key, version };
}

/** ID that a text states. */
export const writtenId = (yaml: string): string | undefined =>
  /^id:[ \t]*(['"]?)([\w.:-]{1,64})\1[ \t]*(?:#.*)?$/m.exec(yaml)?.[2];

/** Gives a new rule without an ID one. */
function identified({ ruleID, yaml: given }: Draft): { key: string; yaml: string } {
  const yaml = storable(given);
  const written = writtenId(yaml);
  if (ruleID !== null) return { key: ruleID, yaml };
  if (written !== undefined) return { key: written, yaml };
  const key = randomUUID();
  // At the end, so that faults keep their lines.
  return { key, yaml: `${yaml.trimEnd()}\nid: ${key}\n` };
}

export async function changeState(
  deps: RulesDeps,
  actor: Actor,
  id: number,
  { state, why }: State,
): Promise<Record<never, never>> {
  const scope = scopeOf(actor);
  const now = new Date(deps.clock.now());
  await change(deps, scope, async (tx) => {
    await shareVersions(tx);
    const version = await store.findVersion(tx, scope, id);
    if (!version) throw problem.notFound('version', id);
    const { organisationId, key } = version;
    if (version.state === state) return;
    if (!mayFollow(version.state, state))
      throw problem.conflict(`Version ${version.version} is ${version.state}; it can’t become ${state}.`);
    const set = deps.detector.current();
    const refusal = await refusalOf(tx, actor, set, version, state, now);
    if (refusal) throw problem.forbidden(refusal);
    const stopsShadow = version.state === 'shadow' && state === 'tested';
    if (state !== 'retired' && state !== 'draft' && !stopsShadow) {
      const visible = visibleRules(set, sightOf(actor, set, organisationId).settings, key);
      const own = { organisationIds: [organisationId] };
      const fault = testFault(version.yaml, visible, await store.listTests(tx, own, key), version.packId !== null);
      if (fault) throw problem.conflict(fault);
    }
    if (state === 'live' || (state === 'retired' && version.state === 'live')) requireReaders(deps, version, state === 'live');
    if (state === 'live') await store.leaveState(tx, scope, key, 'live', 'retired');
    if (state === 'shadow') {
      await store.leaveState(tx, scope, key, 'shadow', 'tested');
      await store.forgetShadow(tx, scope, key, version.version);
    }
    await store.setState(tx, scope, id, state, now);
    await addHistory(tx, actor, {
      organisationId,
      key,
      action: `State: ${version.state} → ${state}`,
      version: version.version,
      why,
    });
    await recordAudit(tx, actor, {
      action: 'rule.stateChanged',
      organisationId,
      target: key,
      before: { version: version.version, state: version.state },
      after: { state, why },
    });
  });
  return {};
}

/** Refuses a change after which the owner’s own correlations would no longer load. Those of a partner hold no rule of the provider. */
function requireReaders(
  { detector }: RulesDeps,
  { organisationId, key, version, yaml }: store.VersionRow,
  isLive: boolean,
): void {
  const { before, after } = detector.tryOut((settings) => ({
    ...settings,
    versions: [
      ...settings.versions.filter((each) => each.key !== key || each.isShadow),
      ...(isLive ? [{ organisationId, key, version, yaml, revision: revisionOf(yaml), isShadow: false }] : []),
    ],
  }));
  const isOwn = (id: string) => (before.owners.get(id) ?? providerId) === organisationId;
  const lost = [...before.correlations.values()].filter(({ id }) => id !== key && isOwn(id) && !after.correlations.has(id));
  if (lost.length === 0) return;
  const named = lost.slice(0, 5).map(({ title }) => `“${title}”`);
  throw problem.conflict(`Correlations count this rule and would stop: ${named.join(', ')}. Retire or change them first.`);
}

export async function saveOverride(deps: RulesDeps, actor: Actor, input: Override): Promise<Record<never, never>> {
  const { clientOrganizationID: organisationId, ruleID: key, isOn, reason } = input;
  const scope = scopeFor(actor, organisationId);
  ruleFor(deps, organisationId, key);
  const criticality = input.criticality === null ? null : criticalityOf[input.criticality];
  const tried = {
    kind: 'override' as const,
    clientOrganizationID: organisationId,
    ruleID: key,
    isOn,
    criticality: input.criticality,
  };
  await requireSecondPerson(deps, actor, tried, input.previewID);
  await change(deps, scope, async (tx) => {
    const before = (await store.listOverrides(tx, scope, key)).find((row) => row.organisationId === organisationId);
    if (isOn === null && criticality === null) await store.removeOverride(tx, organisationId, key);
    else
      await store.saveOverride(tx, organisationId, key, {
        is_on: isOn,
        criticality,
        reason: storable(reason),
        ...by(actor),
        changed_at: new Date(deps.clock.now()),
      });
    const what = [
      ...(isOn === null ? [] : [isOn ? 'on' : 'off']),
      ...(criticality === null ? [] : [`severity ${severityOf(criticality)}`]),
    ];
    await addHistory(tx, actor, { organisationId, key, action: `Override: ${what.join(', ') || 'inherited'}`, why: reason });
    await recordAudit(tx, actor, {
      action: 'rule.overridden',
      organisationId,
      target: key,
      before: before ? { isOn: before.isOn, criticality: before.criticality, reason: before.reason } : null,
      after: isOn === null && criticality === null ? null : { isOn, criticality, reason },
    });
  });
  return {};
}

export async function addException(deps: RulesDeps, actor: Actor, input: Exception): Promise<{ id: number }> {
  const { clientOrganizationID: organisationId, ruleID: key, yaml, reason, endTime } = input;
  const scope = scopeFor(actor, organisationId);
  const rule = ruleFor(deps, organisationId, key);
  if ('timespanMs' in rule)
    throw problem.invalid({ ruleID: ['A correlation has no event of its own. Add the exception to the rules that it counts.'] });
  const fault = filterFault(yaml, rule);
  if (fault) throw problem.invalid({ yaml: [fault] });
  const now = deps.clock.now();
  const endsAt = Date.parse(endTime);
  if (endsAt <= now) throw problem.invalid({ endTime: ['The end must be in the future.'] });
  if (endsAt > now + longestMs)
    throw problem.invalid({ endTime: ['An exception can last at most a year. Select an earlier end.'] });
  const tried = { kind: 'exception' as const, clientOrganizationID: organisationId, ruleID: key, yaml };
  await requireSecondPerson(deps, actor, tried, input.previewID);
  const id = await change(deps, scope, async (tx) => {
    const place = await tx.selectFrom('organisations').select('is_partner').where('id', '=', organisationId).executeTakeFirst();
    if (place?.is_partner && !mayAs(actor, 'rules:write'))
      throw problem.forbidden('Exceptions for all clients are added by administrators. Select one client.');
    if ((await store.listExceptions(tx, scope, key)).filter((row) => row.endsAt.getTime() > now).length >= maxExceptions)
      throw problem.conflict(`A rule has at most ${maxExceptions} active exceptions. End some, or change the rule.`);
    const id = await store.insertException(tx, {
      organisation_id: organisationId,
      rule_key: key,
      yaml: storable(yaml),
      reason: storable(reason),
      owner_user_id: actor.userId,
      owner_name: actor.displayName,
      ends_at: new Date(endsAt),
    });
    await addHistory(tx, actor, { organisationId, key, action: 'Exception added', why: reason });
    await recordAudit(tx, actor, {
      action: 'rule.exceptionAdded',
      organisationId,
      target: String(id),
      after: { ruleID: key, yaml, reason, endTime },
    });
    return id;
  });
  return { id };
}

/** Ending an ended one is a no-op. */
export async function endException(deps: RulesDeps, actor: Actor, id: number): Promise<Record<never, never>> {
  const scope = scopeOf(actor);
  const now = new Date(deps.clock.now());
  await change(deps, scope, async (tx) => {
    const found = await store.findException(tx, scope, id);
    if (!found) throw problem.notFound('exception', id);
    if (found.endsAt <= now) return;
    const { organisationId, key } = found;
    const place = await tx.selectFrom('organisations').select('is_partner').where('id', '=', organisationId).executeTakeFirst();
    if (place?.is_partner && !mayAs(actor, 'rules:write'))
      throw problem.forbidden('Exceptions for all clients are ended by administrators.');
    await store.endException(tx, scope, id, now);
    await addHistory(tx, actor, { organisationId, key, action: 'Exception ended', why: '' });
    await recordAudit(tx, actor, {
      action: 'rule.exceptionEnded',
      organisationId,
      target: String(id),
      before: { endTime: found.endsAt },
      after: { endTime: now },
    });
  });
  return {};
}

export async function addTest(deps: RulesDeps, actor: Actor, input: Test): Promise<{ id: number }> {
  const { clientOrganizationID: organisationId, ruleID: key, name, isMatch, document } = input;
  const scope = scopeFor(actor, organisationId);
  let parsed: unknown;
  try {
    parsed = JSON.parse(document);
  } catch (error) {
    throw problem.invalid({ document: [`This is not JSON: ${(error as Error).message.slice(0, 200)}.`] });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw problem.invalid({ document: ['Enter one event as a JSON object.'] });
  const id = await scoped(deps.db, scope, async (tx) => {
    const [newest] = await store.listVersions(tx, scope, key);
    if (ownerOf(deps.detector, key, newest) !== organisationId) throw problem.notFound('rule', key);
    if ((await store.listTests(tx, scope, key)).length >= maxTests)
      throw problem.conflict(`A rule has at most ${maxTests} tests.`);
    const id = await store.insertTest(tx, {
      organisation_id: organisationId,
      rule_key: key,
      name: storable(name),
      is_match: isMatch,
      document: storable(JSON.stringify(parsed)),
      author_name: actor.displayName,
    });
    await addHistory(tx, actor, { organisationId, key, action: `Test added: ${name}`, why: '' });
    await recordAudit(tx, actor, {
      action: 'rule.testAdded',
      organisationId,
      target: String(id),
      after: { ruleID: key, name, isMatch },
    });
    return id;
  });
  return { id };
}

export async function removeTest({ db }: RulesDeps, actor: Actor, id: number): Promise<Record<never, never>> {
  const scope = scopeOf(actor);
  await scoped(db, scope, async (tx) => {
    const found = await store.findTest(tx, scope, id);
    if (!found) throw problem.notFound('test', id);
    const { organisationId, key, name, isMatch } = found;
    await store.removeTest(tx, scope, id);
    await addHistory(tx, actor, { organisationId, key, action: `Test removed: ${name}`, why: '' });
    await recordAudit(tx, actor, {
      action: 'rule.testRemoved',
      organisationId,
      target: String(id),
      before: { ruleID: key, name, isMatch },
    });
  });
  return {};
}
