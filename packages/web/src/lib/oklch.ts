/**
 * Colours by lightness 0…1, chroma (0 grey, about 0.2 vivid) and hue in degrees (Ottosson’s OKLCH). Colours outside sRGB lose chroma until
 * they fit.
 */
type Rgb = [red: number, green: number, blue: number];

function linear(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const isShown = (rgb: Rgb) => rgb.every((value) => value >= -0.0005 && value <= 1.0005);

/** #rrggbb. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  let most = chroma;
  if (!isShown(linear(lightness, most, hue))) {
    let least = 0;
    for (let step = 0; step < 12; step++) {
      const middle = (least + most) / 2;
      if (isShown(linear(lightness, middle, hue))) least = middle;
      else most = middle;
    }
    most = least;
  }
  const parts = linear(lightness, most, hue).map((value) => {
    const part = Math.min(Math.max(value, 0), 1);
    const encoded = part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

/** Blends `share` of one colour over another, as browsers do. */
export function mixed(one: string, share: number, other: string): string {
  const parts = [1, 3, 5].map((at) => {
    const [front, back] = [one, other].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number];
    return Math.round(front * share + back * (1 - share))
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}
