import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** CSS pixels: 1280 at a zoom of 400 % (WCAG 1.4.10). */
const NARROW = 320

/** What is shown now breaks no rule of WCAG 2.2 at the levels A and AA that a program can check, neither light nor dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(axe.source)
    const broken = await page.evaluate(async (values) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      const { violations } = await axe.run(document, { runOnly: { type: 'tag', values } })
      return violations.map(
        ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target).join(' ')}`,
      )
    }, RULES)
    expect(broken.join('\n'), colorScheme).toBe('')
  }
  await page.emulateMedia({ colorScheme: null })
}

/** What is shown now fits into a width of 320 px without scrolling sideways. */
export async function expectNarrow(page: Page): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: NARROW, height: 800 })
  const wide = await page.evaluate((width) => {
    if ((document.scrollingElement?.scrollWidth ?? 0) <= width) return []
    const elements = [...document.body.querySelectorAll('*')]
    return elements
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map(({ tagName, className }) => `${tagName.toLowerCase()}.${className}`)
  }, NARROW)
  expect(wide.join('\n'), 'too wide').toBe('')
  if (before) await page.setViewportSize(before)
}
