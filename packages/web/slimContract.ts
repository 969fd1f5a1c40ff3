/**
 * Removes unused schemas of the contract from the build. The web trusts the server's responses and validates form input only, so the other
 * schemas go with everything that only they use, often zod itself; otherwise every page would start by creating hundreds of them.
 */
import { globSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const shapes = ['summary', 'params', 'query', 'answer'];
const inContract = /\/packages\/contract\/src\/[\w-]+\.ts$/;
const inWeb = /\/packages\/web\/src\/.+\.tsx?$/;
const readsShape = /\b\w+Api\.\w+\.(?:summary|params|query|answer)\b/;

/** Groups of calls, such as usersApi, whose body schemas validate a form. */
function groupsOfForms(): Set<string> {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: import.meta.dirname, exclude: (name) => name.includes('.test.') });
  const texts = files.map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\b(\w+Api)\.\w+\.body\b/g)].map(([, group = '']) => group)));
}
let ofForms = new Set<string>();

interface Node {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

export const slimContract: Plugin = {
  name: 'parapet:slim-contract',
  apply: 'build',
  // The input is JavaScript, without types.
  enforce: 'post',
  buildStart() {
    ofForms = groupsOfForms();
  },
  transform(code, id) {
    if (inWeb.test(id)) {
      const read = readsShape.exec(code)?.[0];
      if (read !== undefined)
        this.error(`${read} is left out of the build (slimContract.ts): export that shape under its own name.`);
    }
    if (!inContract.test(id)) return null;
    const group = /export const (\w+Api) =/.exec(code)?.[1] ?? '';
    const unused = ofForms.has(group) ? shapes : [...shapes, 'body'];
    const edits: [start: number, end: number, text: string][] = [];
    const program = this.parse(code) as unknown as Node;
    visit(program, (node) => {
      // The definition of a call, and the object that `endpoint` builds from it.
      const isCall = node.type === 'CallExpression' && (node.callee as Node).name === 'endpoint';
      const definition = isCall ? (node.arguments as Node[])[0] : id.endsWith('/endpoint.ts') ? node : undefined;
      for (const property of definition?.type === 'ObjectExpression' ? (definition.properties as Node[]) : [])
        if (property.type === 'Property' && unused.includes(String((property.key as Node).name)))
          edits.push([property.start, code[property.end] === ',' ? property.end + 1 : property.end, '']);
    });
    // Creating a schema has no side effect, which the bundler cannot infer.
    for (const statement of program.body as Node[]) {
      const declaration = (statement.declaration ?? statement) as Node;
      if (declaration.type !== 'VariableDeclaration') continue;
      for (const { init } of declaration.declarations as { init: Node | null }[])
        if (init && !init.type.includes('Function')) {
          edits.push([init.start, init.start, '/* @__PURE__ */ (() => (']);
          edits.push([init.end, init.end, '))()']);
        }
    }
    edits.sort(([a], [b]) => b - a);
    return { code: edits.reduce((text, [start, end, by]) => text.slice(0, start) + by + text.slice(end), code), map: null };
  },
};

function visit(node: Node, look: (node: Node) => void): void {
  look(node);
  for (const part of Object.values(node)) for (const each of [part].flat()) if (isNode(each)) visit(each, look);
}
