import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { Caller } from '../../testing/http.js'
import { shared } from './test.js'

/** The example of a condition, whose words are those of its grammar. */
const OF_GRAMMAR = /site is missing/
const DATA = ['code', 'pre', 'bdi', 'script', 'style', 'noscript', '[lang="en"]']

/** No three English words in a row that are neither code, data nor marked as English. @param others selectors of other data */
export async function expectChinese(place: Locator, others: readonly string[] = []): Promise<void> {
  const english = await place.evaluate((element, data) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const found = new Set<string>()
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = node.textContent?.trim() ?? ''
      const isData = node.parentElement?.closest(data)
      if (!isData && /\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b/i.test(text)) found.add(text)
    }
    return [...found]
  }, [...DATA, ...others].join())
  const names = await givenNames()
  const isGiven = (text: string) => OF_GRAMMAR.test(text) || names.some((name) => text.includes(name))
  expect(english.filter((text) => !isGiven(text))).toEqual([])
}

/** Changes the language while the page is open, as its settings in another tab do. */
export async function setLanguage(page: Page, language: 'en' | 'zh'): Promise<void> {
  await page.evaluate((chosen) => {
    const key = 'medloom.preferences'
    const before = JSON.parse(localStorage.getItem(key) ?? '{}')
    localStorage.setItem(key, JSON.stringify({ ...before, language: chosen }))
    dispatchEvent(new StorageEvent('storage', { key }))
  }, language)
  await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' })
}

/** Names that users gave, also other tests of this service. */
async function givenNames(): Promise<string[]> {
  if (!shared) return []
  const lists = ['/api/training', '/api/studies', '/api/workflow', '/api/datasets', '/api/models']
  const caller = new Caller(shared.url)
  const answers = await Promise.all(
    // biome-ignore lint/suspicious/noExplicitAny: responses of several routes
    lists.map(async (list) => (await caller.get<any>(`${list}?page_size=1000`)).body),
  )
  return answers.flatMap((answer) =>
    Object.values<Record<string, string>[]>(answer)
      .filter(Array.isArray)
      .flat()
      .flatMap(({ job_name, name }) => [job_name, name].filter((one) => one !== undefined)),
  )
}
