/**
 * Colors of charts and pages. Charts are drawn in the light colors; inside a page each light color becomes a CSS variable, so that one
 * drawing serves both themes. Data colors: the palette of Okabe and Ito, which color-blind readers can distinguish.
 */

interface Shade {
  readonly light: string
  readonly dark: string
}

export const COLORS = {
  ink: { light: '#1d2329', dark: '#e6e9ed' },
  muted: { light: '#5a646f', dark: '#a4aeb9' },
  rule: { light: '#d5dbe1', dark: '#3a434d' },
  paper: { light: '#fefefe', dark: '#14181d' },
  panel: { light: '#f4f6f8', dark: '#1c2229' },
  blue: { light: '#0072b2', dark: '#58b4ea' },
  vermillion: { light: '#d55e00', dark: '#f5893d' },
  green: { light: '#009e73', dark: '#2fc79b' },
  purple: { light: '#b4568b', dark: '#e39cc3' },
  orange: { light: '#b87a00', dark: '#f0b23e' },
  sky: { light: '#3a94c8', dark: '#9ad4f5' },
  danger: { light: '#a4262c', dark: '#ff9a94' },
  'danger-panel': { light: '#fdf1f1', dark: '#33191b' },
  warning: { light: '#8a5a00', dark: '#f0b23e' },
  'warning-panel': { light: '#fdf6e7', dark: '#2e2512' },
} as const satisfies Record<string, Shade>
export type ColorName = keyof typeof COLORS

/** Order in which series take their colors. */
export const SERIES: readonly ColorName[] = [
  'blue',
  'vermillion',
  'green',
  'purple',
  'orange',
  'sky',
  'ink',
  'muted',
]

/** Light value of a color, with which charts are drawn. */
export function color(name: ColorName): string {
  return COLORS[name].light
}

export function seriesColor(index: number): string {
  return color(SERIES[index % SERIES.length] ?? 'blue')
}

/** When all colors are used, they are repeated with dashes. */
export function seriesDash(index: number): 'solid' | 'dashed' | 'dotted' {
  return (['solid', 'dashed', 'dotted'] as const)[Math.floor(index / SERIES.length) % 3] ?? 'solid'
}

export function cssVariables(theme: 'light' | 'dark'): string {
  return Object.entries(COLORS)
    .map(([name, shade]) => `--${name}:${shade[theme]}`)
    .join(';')
}

/** Replaces the colors of a drawing with the page's variables. Only attribute values are changed, never text. */
export function themed(svg: string): string {
  return svg.replace(/\b(fill|stroke)="(#[0-9a-f]{6})"/g, (whole, attribute: string, value: string) => {
    const name = Object.entries(COLORS).find(([, shade]) => shade.light === value)?.[0]
    return name ? `${attribute}="var(--${name})"` : whole
  })
}
