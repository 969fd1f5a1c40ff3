/** Packs: rules from an archive or a Git repository, reviewed as a difference before they are accepted. */
import { z } from 'zod';
import { ruleStates } from './detectionRules.ts';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, line, listOf, name, nameLine, page, results, severity } from './primitives.ts';
import { maxRuleLength, ruleKey, ruleYaml } from './rulePreviews.ts';

export const maxPackBytes = 64 * 1024 * 1024;

export const packItemStatuses = ['new', 'changed', 'edited', 'same', 'removed', 'duplicate', 'inUse', 'refused'] as const;
export type PackItemStatus = (typeof packItemStatuses)[number];

/** Of a rule that was changed here, or that left the pack. */
export const packDecisions = ['accept', 'keep', 'merge'] as const;
export type PackDecision = (typeof packDecisions)[number];
const decision = z
  .enum(packDecisions)
  .nullable()
  .describe(
    'accept: the text of the pack, or retired if it left the pack; keep: the text here; merge: a draft of both; null if undecided: the text here stays, with that of the pack as a draft.',
  );

/** States in which rules of a pack can be accepted. */
export const takenStates = ['draft', 'shadow', 'live'] as const;
export type TakenState = (typeof takenStates)[number];

export const packOrigins = ['builtIn', 'archive', 'git'] as const;

const states = z
  .object(
    Object.fromEntries(
      ruleStates.map((state) => [
        state,
        count.describe(`Rules with a ${state} version; draft, tested and retired of rules without a live or shadow one.`),
      ]),
    ),
  )
  .describe('Rules by state: a rule can be live and in shadow.');

export const rulePack = z.object({
  id: id.nullable().describe('ID of the pack; null for the rules of the product.'),
  name: name.describe('Name.'),
  origin: z.enum(packOrigins).describe('Source: the product, an archive or a Git repository.'),
  address: line.describe('Address of the repository; empty without one.'),
  branch: line.describe('Branch or tag; empty for the default one.'),
  folder: line.describe('Folder of the rules within archive or repository; empty for all.'),
  version: line.describe('Version or commit that was accepted last.'),
  publisher: line.describe('Publisher that the pack names.'),
  licence: line.describe('Licences of its rules.'),
  signer: line.nullable().describe('Fingerprint of the key that signs it; null if it is unsigned.'),
  rules: count.describe('Number of rules.'),
  states,
  changedTime: instant.nullable().describe('Time of the last take-over; null for the rules of the product.'),
});
export type RulePack = z.infer<typeof rulePack>;

export const importStates = ['waiting', 'running', 'ready', 'accepted', 'discarded', 'failed'] as const;
export type ImportState = (typeof importStates)[number];

export const packImport = z.object({
  id: id.describe('ID of the import.'),
  packID: id.nullable().describe('The pack that it updates; null for a new one.'),
  name: name.describe('Name of the pack.'),
  state: z.enum(importStates).describe('ready: reviewed rules wait for acceptance.'),
  version: line.describe('Version or commit.'),
  signer: line.nullable().describe('Fingerprint of the key that signs it; null if it is unsigned.'),
  isFirstOfSigner: z.boolean().describe('True if no pack signed with this key was accepted before.'),
  failure: line.describe('Cause of a failure; empty without one.'),
  requestedBy: line.describe('Requester.'),
  requestedTime: instant.describe('Time of the request.'),
  read: count.describe('Files read so far.'),
  files: count.describe('Files in the archive; 0 until it is unpacked.'),
  counts: z
    .object(Object.fromEntries(packItemStatuses.map((status) => [status, count.describe(`Rules: ${status}.`)])))
    .describe('Rules by status.'),
});
export type PackImport = z.infer<typeof packImport>;

export const packItem = z.object({
  ruleID: ruleKey.nullable().describe('Rule ID; null for a file that holds no rule.'),
  title: line.describe('Title.'),
  path: line.describe('File.'),
  criticality: severity.nullable().describe('Severity; null if it does not load.'),
  logSource: line.describe('Log source: product, category, service.'),
  isKnownSource: z.boolean().describe('False if the portal identifies no event of this log source.'),
  status: z
    .enum(packItemStatuses)
    .describe(
      'edited: changed here and in the pack; duplicate: same detection as another rule; inUse: another rule has the ID; refused: it does not load.',
    ),
  detail: line.describe('Reason, or the other rule; empty without one.'),
  decision,
  author: line.describe('Author.'),
  licence: line.describe('Licence that the rule names.'),
});
export type PackItem = z.infer<typeof packItem>;

const reason = z.string().trim().min(5, 'Enter a justification of at least 5 characters.').max(2000).describe('Reason.');
const ruleText = z.string().max(maxRuleLength);
const ofImport = z.object({ id: id.describe('ID of the import.') });
const folder = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^\\]*$/, 'Separate folders by a slash.')
  .default('')
  .describe('Folder of the rules; empty for all.');

export const rulePacksApi = {
  list: endpoint({
    id: 'rulePacks.list',
    route: 'GET /rulePacks',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Lists the packs, with the states of their rules.',
    answer: results(rulePack, 200).extend({
      imports: z.array(packImport).max(20).describe('Imports that are under way or wait for acceptance, newest first.'),
      signer: line.describe('Fingerprint of the key that signs packs exported here.'),
    }),
  }),
  upload: endpoint({
    id: 'rulePacks.upload',
    route: 'POST /rulePacks/imports',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Uploads an archive of Sigma rules (.zip, .tar or .tar.gz) for review. Nothing changes before acceptance.',
    query: z.object({
      name: nameLine.describe('Name of the pack; an existing one is updated.'),
      version: line.default('').describe('Version; that of the manifest if it has one.'),
      folder,
    }),
    upload: {
      types: ['application/octet-stream'],
      maxBytes: maxPackBytes,
    },
    answer: z.object({ id: id.describe('ID of the import.') }),
  }),
  fetch: endpoint({
    id: 'rulePacks.fetch',
    route: 'POST /rulePacks/fetches',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Fetches Sigma rules from a Git repository over https for review.',
    body: z.object({
      name: nameLine.describe('Name of the pack; an existing one is updated.'),
      address: z.url().max(500).describe('Address of the repository.'),
      branch: z
        .string()
        .trim()
        .max(200)
        .regex(/^[\w./-]*$/, 'Enter the name of a branch or tag.')
        .default('')
        .describe('Branch or tag; empty for the default branch.'),
      folder,
    }),
    answer: z.object({ id: id.describe('ID of the import.') }),
  }),
  getImport: endpoint({
    id: 'rulePacks.getImport',
    route: 'GET /rulePacks/imports/:id',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Returns an import with its rules as a difference to what is here.',
    params: ofImport,
    query: z.object({
      ...page,
      status: listOf(z.enum(packItemStatuses)).describe('Statuses.'),
      severity: listOf(severity).describe('Severities.'),
      search: z.string().trim().max(200).default('').describe('Part of title, ID or file.'),
    }),
    answer: results(packItem, 200).extend({ packImport: packImport.describe('The import.') }),
  }),
  getItem: endpoint({
    id: 'rulePacks.getItem',
    route: 'GET /rulePacks/imports/:id/rules/:ruleID',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Returns the three texts of a rule that was changed here, or that left the pack.',
    params: ofImport.extend({ ruleID: ruleKey.describe('Rule ID.') }),
    answer: z.object({
      ruleID: ruleKey.describe('Rule ID.'),
      title: line.describe('Title.'),
      status: z.enum(packItemStatuses).describe('edited or removed.'),
      decision,
      base: ruleText.nullable().describe('Text of the pack as accepted last; null if it is not known.'),
      own: ruleText.nullable().describe('Text here; null if all versions are retired.'),
      theirs: ruleText.nullable().describe('Text of the pack now; null if the rule left it.'),
      merged: ruleText.nullable().describe('Text of the merge; null for other decisions.'),
    }),
  }),
  decide: endpoint({
    id: 'rulePacks.decide',
    route: 'PUT /rulePacks/imports/:id/rules/:ruleID',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Decides on a rule that was changed here, or that left the pack. It applies when the import is accepted.',
    params: ofImport.extend({ ruleID: ruleKey.describe('Rule ID.') }),
    body: z.object({
      decision,
      yaml: ruleYaml.nullable().default(null).describe('Merged text; required for merge.'),
    }),
    answer: nothing,
  }),
  accept: endpoint({
    id: 'rulePacks.accept',
    route: 'PUT /rulePacks/imports/:id',
    allow: 'rulePacks:write',
    freshness: 'fresh',
    summary:
      'Takes over new and changed rules of an import. Critical ones never go live this way, correlations start as drafts unless live, and rules changed here keep their text beside a draft unless it was decided otherwise.',
    params: ofImport,
    body: z.object({
      state: z.enum(takenStates).describe('State of the rules.'),
      severities: z.array(severity).max(5).default([]).describe('Severities to accept; empty for all.'),
      onlyKnownSources: z.boolean().default(false).describe('Leaves out rules of log sources that the portal does not identify.'),
      retireRemoved: z
        .boolean()
        .default(true)
        .describe('Retires rules that the pack no longer has, except those changed or kept here.'),
      why: reason,
    }),
    answer: z.object({ taken: count.describe('Rules accepted.'), retired: count.describe('Rules retired.') }),
  }),
  discard: endpoint({
    id: 'rulePacks.discard',
    route: 'DELETE /rulePacks/imports/:id',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Discards an import.',
    params: ofImport,
    answer: nothing,
  }),
  changeState: endpoint({
    id: 'rulePacks.changeState',
    route: 'PUT /rulePacks/:id/state',
    allow: 'rulePacks:write',
    freshness: 'fresh',
    summary: 'Changes the state of all rules of a pack that may take it. Critical ones and those that were too noisy stay.',
    params: z.object({ id: id.describe('ID of the pack.') }),
    body: z.object({ state: z.enum(['shadow', 'live', 'retired']).describe('State.'), why: reason }),
    answer: z.object({ changed: count.describe('Rules changed.'), left: count.describe('Rules that stay as they are.') }),
  }),
  download: endpoint({
    id: 'rulePacks.download',
    route: 'GET /rulePacks/archives/:pack',
    allow: 'rulePacks:write',
    freshness: 'none',
    summary: 'Returns a signed archive: the rules of a pack, of the product (builtin), or the own ones (own).',
    params: z.object({
      pack: z
        .string()
        .max(10)
        .regex(/^(builtin|own|\d{1,10})$/)
        .describe('ID of the pack, builtin or own.'),
    }),
    answers: 'file',
    answer: nothing,
  }),
};
