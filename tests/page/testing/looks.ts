import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunOnly } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** What a program can check of WCAG 2.2 at the levels A and AA. */
const RULES: RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/** Of these, the rules that read colours: a theme changes nothing else. */
const COLOUR_RULES: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
const RULES_OF = { light: RULES, dark: COLOUR_RULES }
type Theme = keyof typeof RULES_OF
/** Every page that is looked at reads it: the short form is read sooner. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Until what is found counts as wrong. */
const MOST_LOOKS = 10
/** CSS pixels: 1280 at a zoom of 400 % (WCAG 1.4.10). */
const NARROW = 320

/** `within`: only this part of the page; `dark`: the colours of the dark theme as well as those of the light one. */
interface Look {
  readonly within?: Locator
  readonly dark?: boolean
}

/**
 * What is shown now breaks no rule of WCAG 2.2 at the levels A and AA that a program can check. The colours of the dark theme are read where
 * every page and every dialog is opened (every-page, dialogs, components); theme.test.ts has each text colour on each ground in both.
 */
export async function expectAccessible(page: Page, { within, dark = false }: Look = {}): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  // react-aria keeps what it has announced for seconds, also where what names it is gone by then.
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
  // What is wrong stays wrong.
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
  // As a person chooses it: the colours change at once, where those of the browser's preference come with the frames after it.
  const { dataset } = document.documentElement
  const chosen = dataset.theme
  if (theme === 'dark') dataset.theme = theme
  // A colour on its way to the other theme belongs to neither.
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()
  // Two frames: what one has drawn already, the other theme included.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  const { violations } = await axe.run(part ?? document, {
    ...{ runOnly, resultTypes: ['violations'] },
    // It reads every style sheet again for one rule, which theme.test.ts checks in the sources.
    preload: false,
  })
  if (chosen === undefined) delete dataset.theme
  else dataset.theme = chosen
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ target, any }) => `${target} (${any.map(({ message }) => message).join('; ')})`).join(' ')}`,
  )
}

/** What is shown now fits into a width, 320 px where none is given, without scrolling sideways. */
export async function expectNarrow(page: Page, limit = NARROW): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: limit, height: 800 })
  // What follows the width by a script does so after the next frames.
  let wide = await page.evaluate(tooWide, limit)
  for (let looks = 1; wide.length > 0 && looks < MOST_LOOKS; looks++)
    wide = await page.evaluate(tooWide, limit)
  expect(wide.join('\n'), 'too wide').toBe('')
  if (before) await page.setViewportSize(before)
}

/** Runs in the page: what stands beyond its width. */
async function tooWide(width: number): Promise<string[]> {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  if ((document.scrollingElement?.scrollWidth ?? 0) <= width) return []
  const elements = [...document.body.querySelectorAll('*')]
  return elements
    .filter((element) => element.getBoundingClientRect().right > width + 1)
    .map(({ tagName, className }) => `${tagName.toLowerCase()}.${className}`)
}
