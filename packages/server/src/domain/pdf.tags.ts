/**
 * Tagged PDF: headings, paragraphs, tables, and figures with alternative texts, for screen readers. pdfkit can mark content, but pdfmake does not
 * pass on the structure; so texts carry a `tag`, with which their lines are marked as they are drawn. Everything else (rules, backgrounds, page
 * numbers, repeated headers) is marked as an artifact.
 */
export interface Tag {
  type: 'Document' | 'Sect' | 'H1' | 'H2' | 'P' | 'L' | 'LI' | 'Lbl' | 'LBody' | 'Table' | 'TR' | 'TH' | 'TD' | 'Figure';
  /** None for the document itself. */
  parent: Tag | undefined;
  /** The same in words, of a figure. */
  alt?: string;
  /** Scope of a TH; default column. */
  scope?: 'Row';
}

interface Element {
  dictionary: { data: Record<string, unknown> };
  add(child: unknown): void;
  end(): void;
}
interface Document {
  struct(type: string, options: object): Element;
  addStructure(element: Element): void;
  markStructureContent(type: string): unknown;
  markContent(type: string, options: object): void;
  endMarkedContent(): void;
  registerFont(name: string, bytes: Uint8Array): void;
}
interface Renderer {
  pdfDocument: Document;
  /** Ours: the elements of the document that is drawn, and which lines were. */
  elements?: Map<Tag, Element>;
  drawn?: Set<unknown>;
}
type Method = (this: Renderer, ...args: unknown[]) => unknown;

function elementOf(renderer: Renderer, tag: Tag): Element {
  renderer.elements ??= new Map();
  const known = renderer.elements.get(tag);
  if (known) return known;
  const document = renderer.pdfDocument;
  const made = document.struct(tag.type, tag.alt === undefined ? {} : { alt: tag.alt });
  if (tag.type === 'TH') made.dictionary.data.A = { O: 'Table', Scope: tag.scope ?? 'Column' };
  if (tag.parent) elementOf(renderer, tag.parent).add(made);
  else document.addStructure(made);
  renderer.elements.set(tag, made);
  return made;
}

function marked(renderer: Renderer, tag: Tag | undefined, draw: () => unknown): void {
  const document = renderer.pdfDocument;
  if (tag) {
    // Made before its content, so that elements stand in the order of reading.
    const element = elementOf(renderer, tag);
    const content = document.markStructureContent(tag.type);
    draw();
    document.endMarkedContent();
    element.add(content);
  } else {
    document.markContent('Artifact', { type: 'Layout' });
    draw();
    document.endMarkedContent();
  }
}

const tagOf = (item: unknown): Tag | undefined => (item as { tag?: Tag } | undefined)?.tag;

/** Once a process: pdfmake's renderer is taught to mark what it draws. The version of pdfmake is pinned; pdf.test.ts looks at what comes out. */
export function teachTags(inPdfmake: NodeJS.Require, faces: ReadonlyMap<string, Uint8Array>): void {
  const { prototype } = inPdfmake('pdfmake/js/Renderer.js').default as { prototype: Record<string, Method> };
  const wrap = (name: string, around: (renderer: Renderer, draw: () => unknown, args: unknown[]) => void) => {
    const original = prototype[name];
    if (!original) throw new Error(`pdfmake no longer has ${name}; adapt pdf.tags.ts to its drawing.`);
    prototype[name] = function (this: Renderer, ...args: unknown[]) {
      return around(this, () => original.apply(this, args), args);
    };
  };
  wrap('renderLine', (renderer, draw, [line]) => {
    const { inlines } = line as { inlines: unknown[] };
    if (inlines.length === 0) return;
    renderer.drawn ??= new Set();
    // The head of a table stands on each of its pages, and is read once.
    const isRepeated = renderer.drawn.has(inlines);
    renderer.drawn.add(inlines);
    marked(renderer, isRepeated ? undefined : tagOf(inlines[0]), draw);
  });
  wrap('renderImage', (renderer, draw, [item]) => marked(renderer, tagOf(item), draw));
  wrap('renderSVG', (renderer, draw, [item]) => {
    // Fonts of a drawing, which are read as files.
    for (const [name, bytes] of faces) renderer.pdfDocument.registerFont(name, bytes);
    marked(renderer, tagOf(item), draw);
  });
  wrap('renderVector', (renderer, draw) => marked(renderer, undefined, draw));
  wrap('renderPages', (renderer, draw) => {
    draw();
    for (const [tag, element] of renderer.elements ?? []) if (!tag.parent) element.end();
  });
}

/** Text decorations of pdfmake need no mark of their own: they are drawn with their line. */
export const tag = (type: Tag['type'], parent: Tag | undefined, alt?: string): Tag => ({
  type,
  parent,
  ...(alt !== undefined && { alt }),
});
