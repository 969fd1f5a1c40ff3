/**
 * `npm run new -- <name>`: copies the golden feature `tags` under a new name, in the plural and with dashes (`mail-subscriptions`): contract, register,
 * routes, service, store, audit actions, test, queries, list page and its loader. Prints the remaining manual steps.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPage, loader } from './new-feature.web.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Names {
  /** mail-subscriptions */
  dashed: string;
  /** mailSubscriptions */
  camel: string;
  /** MailSubscriptions */
  pascal: string;
  /** mailSubscription */
  one: string;
}

/** Throws for a name that is not lower-case words in the plural. */
export function namesOf(name: string): Names {
  if (!/^[a-z]+(-[a-z]+)*s$/.test(name))
    throw new Error(
      `"${name}" is not a feature name: use lower-case words in the plural, joined by dashes, such as mail-subscriptions.`,
    );
  const words = name.split('-');
  const pascal = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  const camel = (pascal[0]?.toLowerCase() ?? '') + pascal.slice(1);
  const one = camel.endsWith('ies') ? `${camel.slice(0, -3)}y` : camel.slice(0, -1);
  return { dashed: name, camel, pascal, one };
}

/** The text of the golden feature, in the new feature's words. */
export function renamed(text: string, { dashed, camel, pascal, one }: Names): string {
  const onePascal = (one[0]?.toUpperCase() ?? '') + one.slice(1);
  return text
    .replace(/'tag\.(?=[a-z])/g, `'${one}.`)
    .replace(/'tags'/g, `'${dashed.replaceAll('-', '_')}'`)
    .replace(/features\/tags\//g, `features/${dashed}/`)
    .replace(/(['/.])tags\.(register|routes|service|store|audit|queries|loader|ts|test)/g, `$1${dashed}.$2`)
    .replace(/\bTags(?=[A-Z]|\b)/g, pascal)
    .replace(/\btags(?=[A-Z]|\b)/g, camel)
    .replace(/Tags(?=\b|[A-Z])/g, pascal)
    .replace(/\bTag(?=[A-Z]|\b)/g, onePascal)
    .replace(/\btag(?=[A-Z]|\b)/g, one)
    .replace(/Tag(?=\b|[A-Z])/g, onePascal);
}

const golden = [
  'packages/contract/src/tags.ts',
  'packages/server/src/features/tags/tags.register.ts',
  'packages/server/src/features/tags/tags.routes.ts',
  'packages/server/src/features/tags/tags.service.ts',
  'packages/server/src/features/tags/tags.store.ts',
  'packages/server/src/features/tags/tags.audit.ts',
  'packages/server/src/features/tags/tags.test.ts',
  'packages/web/src/features/tags/tags.queries.ts',
];

/** Paths from the root, and texts. */
export function filesOf(names: Names): { path: string; text: string }[] {
  const folder = (file: string) => file.replace('features/tags', `features/${names.dashed}`);
  const copies = golden.map((file) => ({
    path: folder(file).replace(/tags\.(?=[a-z.]+$)/, `${names.dashed}.`),
    text: renamed(readFileSync(root + file, 'utf8'), names),
  }));
  const web = folder('packages/web/src/features/tags');
  return [
    ...copies,
    { path: `${web}/${names.pascal}Page.tsx`, text: renamed(listPage, names) },
    { path: `${web}/${names.dashed}.loader.ts`, text: renamed(loader, names) },
  ];
}

if (import.meta.main) {
  try {
    const names = namesOf(process.argv[2] ?? '');
    const files = filesOf(names);
    const taken = files.find(({ path }) => existsSync(root + path));
    if (taken) throw new Error(`${taken.path} already exists; no files were written.`);
    for (const { path, text } of files) {
      mkdirSync(dirname(root + path), { recursive: true });
      writeFileSync(root + path, text);
      console.log(`created ${path}`);
    }
    console.log(`
Remaining steps:
  a migration packages/server/src/migrations/NNNN_${names.dashed.replaceAll('-', '_')}.sql with row-level security
  the tables in one of packages/server/src/core/db/tables.*.ts
  one line each in packages/contract/src/api.ts and packages/server/src/application.features.ts
  who may read the audit actions in packages/server/src/domain/audit.visibility.ts
  the route of ${names.pascal}Page with its loader in packages/web/src/app/routes/pages.ts, its address in packages/web/src/lib/paths.ts, and
  the place of client and timeframe in that address in packages/web/src/lib/pageRules.ts
  the permissions ${names.camel}:read and ${names.camel}:write in packages/contract/src/access.ts
"npm run check" lists missing parts.`);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
