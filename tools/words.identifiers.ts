/** Names and literals of TypeScript files, read from the syntax tree. */
import { parseSync } from 'rolldown/utils';

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

const members = new Set(['TSPropertySignature', 'TSMethodSignature', 'PropertyDefinition', 'MethodDefinition']);

/** Patterns and identifiers that a node declares itself. */
function declarations(node: Node): unknown[] {
  const isNamed = node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration';
  const own = members.has(node.type) ? node.key : isNamed && node.id;
  return [own, ...(Array.isArray(node.params) ? node.params : [])];
}

/** Identifiers of a pattern such as `{ a, b: [c = 1, ...d] }`. */
function namesOf(pattern: unknown): Node[] {
  if (!isNode(pattern)) return [];
  switch (pattern.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
      return [pattern];
    case 'ObjectPattern':
      return (pattern.properties as Node[]).flatMap((each) => namesOf(each.type === 'RestElement' ? each : each.value));
    case 'ArrayPattern':
      return (pattern.elements as unknown[]).flatMap(namesOf);
    case 'AssignmentPattern':
      return namesOf(pattern.left);
    case 'RestElement':
      return namesOf(pattern.argument);
    case 'TSParameterProperty':
      return namesOf(pattern.parameter);
    default:
      return [];
  }
}

function parse(file: string, text: string) {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return program;
}

/** Offsets of matching variables, parameters, functions, methods and fields of types; imports and keys of object literals are none. */
export function declarationsOf(names: RegExp, file: string, text: string): number[] {
  const found: number[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    for (const { name, start } of declarations(value).flatMap(namesOf)) if (names.test(name as string)) found.push(start);
    for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) visit(each);
  };
  visit(parse(file, text));
  return found;
}

const testCall = /^\s*(describe|it|test)(\.[a-z]+)*\($/;

/** The text with blanks for its strings, templates and regular expressions; lines, test titles and expressions in templates stay. */
export function withoutLiterals(file: string, text: string): string {
  let rest = text;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    const { type, start, end } = value;
    const isTitle = testCall.test(text.slice(text.lastIndexOf('\n', start) + 1, start));
    if ((type === 'Literal' || type === 'TemplateElement') && !isTitle)
      rest = rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, ' ') + rest.slice(end);
    for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) visit(each);
  };
  visit(parse(file, text));
  return rest;
}
