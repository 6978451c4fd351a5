import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const css = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8')
const THEMES = ['light', 'dark'] as const
/** Color → its value in the light theme and in the dark theme. */
const colors = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map(([, name = '', light, dark]) => [
    name,
    { light, dark },
  ]),
)

const STATES = ['waiting', 'running', 'good', 'bad', 'neutral']
const GROUNDS = ['ground', 'surface', 'raised']
/** Each text color and the background on which it is used. */
const WRITTEN: readonly (readonly [text: string, on: string])[] = [
  ...['ink', 'ink-soft', 'accent', 'accent-strong', ...STATES].flatMap((text) =>
    GROUNDS.map((ground) => [text, ground] as const),
  ),
  ...STATES.flatMap((state) => [[state, `${state}-soft`] as const, ['ink', `${state}-soft`] as const]),
  ['ink', 'accent-soft'],
  ['accent', 'accent-soft'],
  ['accent-strong', 'accent-soft'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
]

/** Relative luminance, WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
    .map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe.each(THEMES)('in the %s theme', (theme) => {
  const colorOf = (name: string) => {
    const value = colors.get(name)?.[theme]
    if (!value) throw new Error(`--${name} is not a light-dark() color of theme.css`)
    return value
  }

  test.each(WRITTEN)('%s on %s can be read: 4.5 : 1 at least', (text, on) => {
    expect(contrast(colorOf(text), colorOf(on))).toBeGreaterThanOrEqual(4.5)
  })

  test.each(GROUNDS)('the focus and the outline of a field are seen on %s: 3 : 1 at least', (ground) => {
    for (const line of ['focus', 'outline'])
      expect(contrast(colorOf(line), colorOf(ground)), line).toBeGreaterThanOrEqual(3)
  })
})

// WCAG 1.3.4. A check on an open page would have to read every style sheet again.
test('no style depends on how a screen is turned', () => {
  const sources = join(import.meta.dirname, '..')
  const sheets = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.css'),
  )
  expect(sheets.length).toBeGreaterThan(50)
  expect(sheets.filter((file) => /orientation/.test(readFileSync(join(sources, file), 'utf8')))).toEqual([])
})
