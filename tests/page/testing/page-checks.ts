import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunOnly } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** The rules of WCAG 2.2 at the levels A and AA that a program can check. */
const RULES: RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/** The rules among them that read colors: a theme changes nothing else. */
const COLOR_RULES: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
const RULES_OF = { light: RULES, dark: COLOR_RULES }
type Theme = keyof typeof RULES_OF
/** Every checked page loads it: the minified form loads faster. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Maximum number of checks until a finding counts as an error. */
const MOST_LOOKS = 10
/** CSS pixels: 1280 at a zoom of 400 % (WCAG 1.4.10). */
const NARROW = 320

/** `within`: only this part of the page; `dark`: checks the colors of the dark theme as well. */
interface Look {
  readonly within?: Locator
  readonly dark?: boolean
}

/**
 * Checks that the current content violates no rule of WCAG 2.2 at the levels A and AA that a program can check. The colors of the dark theme
 * are checked by the tests that open every page and every dialog (every-page, dialogs, components); theme.test.ts checks each text color on
 * each background in both themes.
 */
export async function expectAccessible(page: Page, { within, dark = false }: Look = {}): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  // react-aria keeps announcements for seconds, even if the element that labels them has disappeared.
  await page.locator('[data-live-announcer] [role="img"]').first().waitFor({ state: 'detached' })
  const still = await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches)
  const part = (await within?.elementHandle()) ?? null
  const lookAt = (theme: Theme) => () => page.evaluate(brokenRules, { part, theme, runOnly: RULES_OF[theme] })
  if (!still) await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const theme of dark ? (['light', 'dark'] as const) : (['light'] as const))
    await expectNothing(lookAt(theme), theme)
  if (!still) await page.emulateMedia({ reducedMotion: null })
}

async function expectNothing(look: () => Promise<string[]>, theme: Theme): Promise<void> {
  let found = await look()
  // A real violation persists.
  for (let looks = 1; found.length > 0 && looks < MOST_LOOKS; looks++) found = await look()
  expect(found.join('\n'), theme).toBe('')
}

/** Runs in the page. */
async function brokenRules({
  part,
  theme,
  runOnly,
}: {
  part: SVGElement | HTMLElement | null
  theme: Theme
  runOnly: RunOnly
}): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
  // Sets the theme like a user: the colors change immediately, whereas the browser's preference takes effect in later frames.
  const { dataset } = document.documentElement
  const chosen = dataset.theme
  if (theme === 'dark') dataset.theme = theme
  // A color in transition belongs to neither theme.
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()
  // Waits two frames, so that pending changes and the theme are rendered.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  const { violations } = await axe.run(part ?? document, {
    ...{ runOnly, resultTypes: ['violations'] },
    // It would read every style sheet again for one rule, which theme.test.ts checks in the sources.
    preload: false,
  })
  if (chosen === undefined) delete dataset.theme
  else dataset.theme = chosen
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ target, any }) => `${target} (${any.map(({ message }) => message).join('; ')})`).join(' ')}`,
  )
}

/** Checks that the current content fits into a width (default 320 px) without horizontal scrolling. */
export async function expectNarrow(page: Page, limit = NARROW): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: limit, height: 800 })
  // Scripts adapt to the width in the next frames.
  let wide = await page.evaluate(tooWide, limit)
  for (let looks = 1; wide.length > 0 && looks < MOST_LOOKS; looks++)
    wide = await page.evaluate(tooWide, limit)
  expect(wide.join('\n'), 'too wide').toBe('')
  if (before) await page.setViewportSize(before)
}

/** Runs in the page: elements beyond its width. */
async function tooWide(width: number): Promise<string[]> {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  if ((document.scrollingElement?.scrollWidth ?? 0) <= width) return []
  const elements = [...document.body.querySelectorAll('*')]
  return elements
    .filter((element) => element.getBoundingClientRect().right > width + 1)
    .map(({ tagName, className }) => `${tagName.toLowerCase()}.${className}`)
}
