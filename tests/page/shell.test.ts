import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { test } from './testing/test.js'

test.for([1280, 400])(
  'the name is there before a script runs, and stays where it is, %i px wide',
  async (width, { open }) => {
    const page = await open('/', { viewport: { width, height: 700 } })
    const held: Route[] = []
    await page.route(/\.js$/, (route) => void held.push(route))
    await page.reload({ waitUntil: 'commit' })
    const name = page.getByText('Medloom', { exact: true })
    await name.waitFor()
    expect(await page.title()).toContain('Medloom')
    await page.waitForFunction(() =>
      [...document.querySelectorAll('link[rel=stylesheet]')].every((link) => 'sheet' in link && link.sheet),
    )
    expect(await page.getByRole('navigation').count()).toBe(0)
    const icon = page.locator('img').first()
    const before = await icon.boundingBox()
    for (const route of held) await route.continue()
    await page.unrouteAll()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await icon.boundingBox()).toEqual(before)
  },
)

test('language and theme that are chosen in one tab hold in the other tabs of the browser', async ({
  open,
}) => {
  const page = await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const other = await page.context().newPage()
  await other.goto('/')
  await other.getByRole('button', { name: /Language/ }).click()
  await other.getByRole('option', { name: '中文' }).click()
  await page.getByRole('link', { name: '首页' }).waitFor()
  await other.getByRole('button', { name: /主题/ }).click()
  await other.getByRole('option', { name: '深色' }).click()
  await page.locator('html[data-theme=dark]').waitFor()
})

test('with reduced motion a change is there at once, not one frame late', async ({ open }) => {
  const page = await open('/', { reducedMotion: 'reduce' })
  const width = await page.evaluate(() => {
    const element = document.body.appendChild(document.createElement('div'))
    element.style.width = '10px'
    const before = element.offsetWidth
    element.style.width = '20px'
    return [before, element.offsetWidth]
  })
  expect(width).toEqual([10, 20])
})
