import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunOnly } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** What a program can check of WCAG 2.2 at the levels A and AA. */
const RULES: RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/** Of these, the rules that read colours: a theme changes nothing else. */
const COLOUR_RULES: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
const THEMES = { light: RULES, dark: COLOUR_RULES }
/** Every page that is looked at reads it: the short form is read sooner. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Until what is found counts as wrong. */
const MOST_LOOKS = 10
/** CSS pixels: 1280 at a zoom of 400 % (WCAG 1.4.10). */
const NARROW = 320

/** What is shown now breaks no rule of WCAG 2.2 at the levels A and AA that a program can check, neither light nor dark. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  // react-aria keeps what it has announced for seconds, also where what names it is gone by then.
  await page.locator('[data-live-announcer] [role="img"]').first().waitFor({ state: 'detached' })
  const still = await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches)
  for (const [theme, rules] of Object.entries(THEMES)) {
    // Colours that still change into those of the other theme are none of either.
    await page.emulateMedia({ colorScheme: theme as keyof typeof THEMES, reducedMotion: 'reduce' })
    const look = () =>
      page.evaluate(async (runOnly) => {
        const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
        // Two frames: what one has drawn already, the other theme included. A colour on its way to the other theme belongs to neither.
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
        const moving = document.getAnimations().filter((one) => one instanceof CSSTransition)
        await Promise.allSettled(moving.map(({ finished }) => finished))
        const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] })
        return violations.map(
          ({ id, help, nodes }) =>
            `${id}: ${help}: ${nodes.map(({ target, any }) => `${target} (${any.map(({ message }) => message).join('; ')})`).join(' ')}`,
        )
      }, rules)
    // Chromium may paint the other theme before it computes all of its colours; what is wrong stays wrong.
    let found = await look()
    for (let looks = 1; found.length > 0 && looks < MOST_LOOKS; looks++) found = await look()
    expect(found.join('\n'), theme).toBe('')
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: still ? 'reduce' : null })
}

/** What is shown now fits into a width, 320 px where none is given, without scrolling sideways. */
export async function expectNarrow(page: Page, limit = NARROW): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: limit, height: 800 })
  const wide = await page.evaluate((width) => {
    if ((document.scrollingElement?.scrollWidth ?? 0) <= width) return []
    const elements = [...document.body.querySelectorAll('*')]
    return elements
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map(({ tagName, className }) => `${tagName.toLowerCase()}.${className}`)
  }, limit)
  expect(wide.join('\n'), 'too wide').toBe('')
  if (before) await page.setViewportSize(before)
}
