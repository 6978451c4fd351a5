import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * The evaluation report that an action opens in a new tab. Its document is sandboxed: the browser reports an error if something waits in it
 * for an element, so the document is loaded before anything is looked for.
 */
export async function openedReport(page: Page, open: () => Promise<unknown>): Promise<Page> {
  const [report] = await Promise.all([page.context().waitForEvent('page'), open()])
  await report.waitForLoadState()
  expect(await report.content()).toContain('Evaluation report')
  return report
}
