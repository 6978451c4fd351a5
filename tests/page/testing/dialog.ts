import type { Locator, Page } from 'playwright-core'
import { expectChinese, setLanguage } from './chinese.js'
import { expectFitting, SMALL } from './fitting.js'

/** Checks an open dialog on a phone and on a large page, and its Chinese texts; afterwards the page is as before. */
export async function expectDialog(page: Page, shown: Locator): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize(SMALL)
  await expectFitting(page, shown)
  await setLanguage(page, 'zh')
  await expectChinese(shown)
  await setLanguage(page, 'en')
  if (before) await page.setViewportSize(before)
}
