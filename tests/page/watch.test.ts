import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { test } from './testing/test.js'

type Open = (path?: string) => Promise<Page>

/** The page, after it is displayed. */
async function shown(open: Open): Promise<Page> {
  const page = await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** A small response, for mistakes that any document of the service can make. */
const small = (open: Open) => open('/api/system/health')

/** A mistake, the browser event that reports it, and the document that makes it. */
const MISTAKES = [
  ['an error in the console', 'console', small, () => console.error('a word')],
  [
    'an uncaught error',
    'weberror',
    small,
    () =>
      void setTimeout(() => {
        throw new Error('thrown')
      }),
  ],
  [
    'a violation of the policy',
    'console',
    shown,
    () => document.head.append(Object.assign(document.createElement('script'), { text: '1' })),
  ],
  ['a request that leaves the origin', 'request', small, () => void open('http://127.0.0.1:9/')],
  [
    'a page that hides while it is open',
    'console',
    shown,
    () => document.querySelector('#main > *')?.setAttribute('style', 'display: none'),
  ],
] as const

for (const [name, event, opened, mistake] of MISTAKES)
  test.fails(`${name} fails a test that looks at something else`, async ({ open }) => {
    const page = await opened(open)
    // A missing event is not a failure here, so that the test then fails for its actual reason.
    const announced = page
      .context()
      .waitForEvent(event as 'console')
      .catch(() => undefined)
    await page.evaluate(mistake)
    await announced
  })

test('what a test expects does not fail it', async ({ open, expected }) => {
  expected.push(/^console: a word/)
  const page = await small(open)
  await page.evaluate(() => console.error('a word'))
})

test('a page that hides until the next one is there does not fail it', async ({ open }) => {
  const page = await shown(open)
  await page.evaluate(async () => {
    history.replaceState(history.state, '', '/elsewhere')
    document.querySelector('#main > *')?.setAttribute('style', 'display: none')
    await new Promise(requestAnimationFrame)
  })
})

test('weak contrast in one theme or in a dialog, small and covered buttons, a nameless one and a line that is too wide are found', async ({
  open,
}) => {
  const page = await shown(open)
  // A violation is looked at several times: the styles of the page are enough.
  await page.evaluate(() => document.body.replaceChildren())
  const show = (html: string) =>
    page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), html)
  const clear = () => page.evaluate(() => document.body.replaceChildren())
  const button = (style: string) =>
    `<button aria-label="b" style="position: absolute; padding: 0; ${style}"></button>`
  const small = 'width: 12px; height: 12px; top: 300px'
  await show(button(`${small}; left: 40px`) + button(`${small}; left: 80px`))
  await expectAccessible(page)
  await show(button(`${small}; left: 53px`))
  await expect(expectAccessible(page)).rejects.toThrow(/^light: .*target-size/)
  await clear()
  const large = 'width: 60px; height: 60px; left: 40px'
  await show(button(`${large}; top: 300px`) + button(`${large}; top: 330px`))
  await expectAccessible(page)
  await show(button(`${large}; top: 312px`))
  await expect(expectAccessible(page)).rejects.toThrow(/^light: .*target-size/)
  await clear()
  await show(
    '<main inert>behind</main><div role="dialog" aria-label="d" style="background: white; color: #ccc">text</div>',
  )
  const within = page.getByRole('dialog')
  await expect(expectAccessible(page, { within, colors: true })).rejects.toThrow(/^light: .*color-contrast/)
  await clear()
  await show('<p style="color: light-dark(black, #333); background: light-dark(white, black)">text</p>')
  await expect(expectAccessible(page, { colors: true })).rejects.toThrow(/^dark: .*color-contrast/)
  await show('<button></button>')
  await expect(expectAccessible(page, { colors: true })).rejects.toThrow(/^light: .*button-name/)
  await show('<p style="width: 400px">wide</p>')
  await expect(expectNarrow(page)).rejects.toThrow(/'p\./)
})
