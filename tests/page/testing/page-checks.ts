import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunOnly, RunOptions } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { hasCloseTargets } from './close-targets.js'

/** The rules of WCAG 2.2 at the levels A and AA that a program can check. */
const RULES: RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/** The rules among them that read colors, which takes as long as all others: a theme changes nothing else. */
const OF_COLORS = ['color-contrast', 'link-in-text-block']
const COLOR_RULES: RunOnly = { type: 'rule', values: OF_COLORS }
const WITHOUT_COLORS = Object.fromEntries(OF_COLORS.map((rule) => [rule, { enabled: false }]))
type Theme = 'light' | 'dark'
/** Every checked page loads it: the minified form loads faster. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Maximum number of checks until a finding counts as an error. */
const MOST_LOOKS = 10
/** CSS pixels: 1280 at a zoom of 400 % (WCAG 1.4.10). */
const NARROW = 320

/** `within`: only this part of the page; `colors`: checks the colors of both themes as well. */
interface Look {
  readonly within?: Locator
  readonly colors?: boolean
}

/**
 * Checks that the current content violates no rule of WCAG 2.2 at the levels A and AA that a program can check. Colors are checked by the
 * tests that open every page and every dialog (every-page, dialogs, components); theme.test.ts checks each text color on each background in
 * both themes.
 */
export async function expectAccessible(page: Page, { within, colors = false }: Look = {}): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  // react-aria keeps announcements for seconds, even if the element that labels them has disappeared.
  await page.locator('[data-live-announcer] [role="img"]').first().waitFor({ state: 'detached' })
  const still = await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches)
  const part = (await within?.elementHandle()) ?? null
  const lookAt = (theme: Theme, options: RunOptions) => async () => {
    const sizes = { 'target-size': { enabled: await page.evaluate(hasCloseTargets) } }
    const rules = { ...options.rules, ...(theme === 'light' && sizes) }
    return page.evaluate(brokenRules, { part, theme, options: { ...options, rules } })
  }
  if (!still) await page.emulateMedia({ reducedMotion: 'reduce' })
  const first = { runOnly: RULES, ...(colors ? {} : { rules: WITHOUT_COLORS }) }
  await expectNothing(lookAt('light', first), 'light')
  if (colors) await expectNothing(lookAt('dark', { runOnly: COLOR_RULES }), 'dark')
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
  options,
}: {
  part: SVGElement | HTMLElement | null
  theme: Theme
  options: RunOptions
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
  // axe reads the position of every element for the background of a text. Behind an open dialog they are inert, and it is opaque.
  const walk = document.createTreeWalker
  const acceptNode = (node: Node) =>
    (node as HTMLElement).inert ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT
  document.createTreeWalker = (root, kinds) => walk.call(document, root, kinds, acceptNode)
  const { violations } = await axe.run(part ?? document, {
    ...options,
    resultTypes: ['violations'],
    // It would read every style sheet again for one rule, which theme.test.ts checks in the sources.
    preload: false,
  })
  document.createTreeWalker = walk
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
