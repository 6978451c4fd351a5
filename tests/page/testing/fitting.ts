import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible, expectNarrow } from './looks.js'

/** A phone, and 1280 px at a zoom of 400 %. */
export const SMALL = { width: 320, height: 800 }
const LARGE = { width: 1280, height: 800 }

/** What of the page lies over a dialog. */
function covered(dialog: Element): string[] {
  // What is inert is painted and not found.
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

/** The parts of a dialog that a page of this width does not show. */
function beyond(dialog: Element, width: number): string[] {
  const { right } = dialog.getBoundingClientRect()
  return [
    ...(right > width ? [`it ends at ${right} px`] : []),
    ...(dialog.scrollWidth - dialog.clientWidth > 1
      ? [`${dialog.scrollWidth} px of it scroll sideways`]
      : []),
  ]
}

/** A dialog that is open on a small page breaks no rule, fits there and on a large one, and shows the focus in forced colours. */
export async function expectFitting(
  page: Page,
  shown: Locator,
  { dark = true }: { dark?: boolean } = {},
): Promise<void> {
  await expectAccessible(page, { within: shown, dark })
  await expectNarrow(page)
  // Where much of the page is seen beside it.
  await page.setViewportSize(LARGE)
  // A list beside its button follows the size of the page by a script, in a frame after it.
  await expect.poll(() => shown.evaluate(covered)).toEqual([])
  await page.setViewportSize(SMALL)
  await expect.poll(() => shown.evaluate(beyond, SMALL.width)).toEqual([])
  await page.emulateMedia({ forcedColors: 'active' })
  await page.keyboard.press('Tab')
  // Of a field with a button in it the frame around both is outlined.
  const outlined = await page.evaluate(() => {
    for (let at = document.activeElement; at; at = at.parentElement)
      if (getComputedStyle(at).outlineStyle === 'solid') return true
    return false
  })
  expect(outlined).toBe(true)
  await page.emulateMedia({ forcedColors: null })
}
