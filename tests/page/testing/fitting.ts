import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible, expectNarrow } from './page-checks.js'

/** A phone, and 1280 px at a zoom of 400 %. */
export const SMALL = { width: 320, height: 800 }
const LARGE = { width: 1280, height: 800 }

/** Parts of the page that cover a dialog. */
function covered(dialog: Element): string[] {
  // An inert element is painted but cannot be found.
  const inert = [...document.querySelectorAll<HTMLElement>('[inert]')]
  for (const element of inert) element.inert = false
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  const [from, until] = [Math.max(top, 0) + 2, Math.min(bottom, innerHeight)]
  const found = new Set<string>()
  for (let x = left + 4; x < right; x += 16)
    for (let y = from; y < until; y += 8) {
      const above = document.elementFromPoint(x, y)
      if (above && !dialog.contains(above) && !above.contains(dialog))
        found.add(above.outerHTML.slice(0, 100))
    }
  for (const element of inert) element.inert = true
  return [...found]
}

/** Parts of a dialog outside a page of this width. */
function beyond(dialog: Element, width: number): string[] {
  const { right } = dialog.getBoundingClientRect()
  return [
    ...(right > width ? [`it ends at ${right} px`] : []),
    ...(dialog.scrollWidth - dialog.clientWidth > 1
      ? [`${dialog.scrollWidth} px of it scroll sideways`]
      : []),
  ]
}

/** Checks that an open dialog on a small page is accessible, fits there and on a large page, and shows the focus in forced colors. */
export async function expectFitting(page: Page, shown: Locator): Promise<void> {
  await expectAccessible(page, { within: shown, colors: true })
  await expectNarrow(page)
  // Much of the page is visible next to the dialog.
  await page.setViewportSize(LARGE)
  // A list next to its button follows the page size by script, in a later frame.
  await expect.poll(() => shown.evaluate(covered)).toEqual([])
  await page.setViewportSize(SMALL)
  await expect.poll(() => shown.evaluate(beyond, SMALL.width)).toEqual([])
  await page.emulateMedia({ forcedColors: 'active' })
  await page.keyboard.press('Tab')
  // For a field with a button inside, the frame around both has the outline.
  const outlined = await page.evaluate(() => {
    for (let index = document.activeElement; index; index = index.parentElement)
      if (getComputedStyle(index).outlineStyle === 'solid') return true
    return false
  })
  expect(outlined).toBe(true)
  await page.emulateMedia({ forcedColors: null })
}
