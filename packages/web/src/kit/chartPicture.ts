/**
 * A drawn chart as a PNG file. The drawing's looks come from the page's style sheets and variables, which a picture of its own does not
 * have: they are written into a copy of it. Title and legend are drawn beside it, so that the picture stands alone.
 */
const copied = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
];
const scale = 2;
const margin = 16;
const titleHeight = 32;
const legendHeight = 26;

export interface LegendEntry {
  name: string;
  color: string;
}

export async function pictureOf(svg: SVGSVGElement, title: string, legend: readonly LegendEntry[]): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll<SVGElement>('*')].forEach((element, index) => {
    const source = from[index];
    if (!source) return;
    const look = getComputedStyle(source);
    element.removeAttribute('class');
    // Not by setAttribute, which the content-security policy refuses.
    element.style.cssText = copied.map((name) => `${name}:${look.getPropertyValue(name)}`).join(';');
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const root = getComputedStyle(svg);
  const family = root.fontFamily;
  copy.style.fontFamily = family;

  const drawing = new Image();
  drawing.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await drawing.decode();

  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil((width + 2 * margin) * scale);
  canvas.height = Math.ceil((height + titleHeight + legendHeight + 2 * margin) * scale);
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('This browser cannot draw pictures.');
  pen.scale(scale, scale);
  pen.fillStyle = paperBehind(svg);
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = root.color;
  pen.font = `600 16px ${family}`;
  pen.fillText(title, margin, margin + 16);
  pen.font = `12px ${family}`;
  let x = margin;
  for (const { name, color } of legend) {
    pen.fillStyle = resolved(svg, color);
    pen.fillRect(x, margin + titleHeight, 10, 10);
    pen.fillStyle = root.color;
    pen.fillText(name, x + 16, margin + titleHeight + 10);
    x += 16 + pen.measureText(name).width + 16;
  }
  pen.drawImage(drawing, margin, margin + titleHeight + legendHeight, width, height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('Couldn’t create the picture.'))), 'image/png'),
  );
}

/** The colour that a variable stands for here. */
function resolved(near: Element, color: string): string {
  const probe = document.createElement('span');
  probe.style.color = color;
  near.parentElement?.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function paperBehind(element: Element): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (backgroundColor !== 'transparent' && backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor;
  }
  return '#ffffff';
}
