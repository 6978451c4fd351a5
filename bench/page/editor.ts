import type { Workflow } from '@medloom/contracts'
import type { Browser, Page } from 'playwright-core'
import { bytesInAddition, loadedScripts, SCRIPT_LIMITS } from '../../tests/page/testing/scripts.js'
import { Caller } from '../../tests/testing/http.js'
import { Workflows } from '../../tests/testing/workflow.js'
import { bareFrame } from './bare.js'
import { type Bench, counted, on, SLOWER } from './bench.js'
import { countWork, median, quantile, withPage } from './browser.js'
import { framesWhileDragging, framesWhilePanning, middleNode, zoomTo } from './editor-drive.js'
import { FastRun } from './fast-run.js'
import { attempted, type Figure, shown } from './figures.js'
import { manyNodes } from './many-nodes.js'
import { drawCases, longTable } from './pictures.js'
import { withService } from './service.js'
import { untilChanged } from './until-changed.js'

const FRAMES = 60
const ATTEMPTS = 3
const MESSAGE_SECONDS = 5
const SETTLE_MILLISECONDS = 1_000
/** Maximum wait for a page that does not become idle. */
const REST_MILLISECONDS = 10_000
/** From a whole workflow in view to a few cards; 0.31 is just above the zoom at which the overview is required by the specification. */
const ZOOMS = [0.05, 0.25, 0.31, 0.46, 0.6, 1]
const OPEN_LIMITS = [
  { nodes: 1_000, limit: 1_500 },
  { nodes: 5_000, limit: 3_000 },
]
/** Larger workflows are only opened and panned. */
const MOST_EDITED = 1_000

interface Opened {
  readonly browser: Browser
  readonly url: string
  readonly id: string
  readonly document: Workflow
}

/** The editor with very large workflows. A failure is reported, and the rest is measured. */
export function editor({ browser, size }: Bench): Promise<Figure[]> {
  const fill = async ({ root }: { root: string }) => longTable(drawCases(root), 200)
  return withService({ fill }, async ({ url }, csv) => {
    const what = 'Editor of workflows, scripts in addition to those of Home'
    const figures = [await attempted(what, SCRIPT_LIMITS.workflow, 'kB', () => scripts(browser, url))]
    for (const nodes of size.nodes) {
      const document = manyNodes(nodes, csv)
      const id = await new Workflows(new Caller(url)).create(document)
      const opened = { browser, url, id, document }
      for (const slower of SLOWER) {
        figures.push(...(await looking(opened, slower)))
        if (nodes <= MOST_EDITED) figures.push(...(await working(opened, slower)))
      }
    }
    return figures
  })
}

/** Opening, and panning at every zoom; followed by the library alone. */
async function looking(opened: Opened, slower: number): Promise<Figure[]> {
  const count = opened.document.nodes.length
  const nodes = `${counted(count)} nodes`
  const limit = OPEN_LIMITS.find((one) => count <= one.nodes)?.limit ?? Number.NaN
  const open = () => median(ATTEMPTS, () => looked(opened, slower, untilOpen))
  const figures = [await attempted(`${nodes}, open${on(slower)}`, limit, 'ms', open)]
  for (const zoom of ZOOMS) {
    const what = `panning at zoom ${zoom}, frame p95${on(slower)}`
    const frame = () => looked(opened, slower, (page) => panning(page, zoom))
    figures.push(await attempted(`${nodes}, ${what}`, 33, 'ms', frame))
    if (slower === 1)
      figures.push(...(await measureBare(opened, zoom, `${nodes} in bare React Flow, ${what}`)))
  }
  return figures
}

async function measureBare({ browser, document }: Opened, zoom: number, what: string): Promise<Figure[]> {
  try {
    return [shown(what, await bareFrame(browser, document, zoom), 'ms')]
  } catch (error) {
    console.log(`${what} is left out: ${error instanceof Error ? error.message : error}`)
    return []
  }
}

/** Effects of user actions and of a run. */
async function working(opened: Opened, slower: number): Promise<Figure[]> {
  const nodes = `${counted(opened.document.nodes.length)} nodes`
  const each: [what: string, limit: number, unit: 'ms' | '%', measure: () => Promise<number>][] = [
    ['dragging one, frame p95', 33, 'ms', () => looked(opened, slower, dragging)],
    ['undo', 50, 'ms', () => looked(opened, slower, undoing)],
    [
      'answer of check and plan while typing',
      100,
      'ms',
      () => looked(opened, slower, checking, '?node=node-100'),
    ],
    ['200 states a second, of the main thread', 10, '%', () => telling(opened, slower)],
  ]
  const figures: Figure[] = []
  for (const [what, limit, unit, measure] of each)
    figures.push(await attempted(`${nodes}, ${what}${on(slower)}`, limit, unit, measure))
  return figures
}

/** kB of 1000 bytes, gzip. */
function scripts(browser: Browser, url: string): Promise<number> {
  return withPage(browser, { url }, async (page) => {
    await page.goto('/')
    const home = await loadedScripts(page)
    const id = await new Workflows(new Caller(url)).create({ name: 'empty' })
    await page.goto(`/workflows/${id}`)
    return bytesInAddition(home, await loadedScripts(page)) / 1000
  })
}

function looked<Result>(
  { browser, url, id }: Opened,
  slower: number,
  look: (page: Page) => Promise<Result>,
  search = '',
): Promise<Result> {
  return withPage(browser, { url, slower }, async (page) => {
    await page.goto(`/workflows/${id}${search}`, { waitUntil: 'commit' })
    return look(page)
  })
}

/** Milliseconds after the navigation until the nodes are drawn, as elements or as an overview. */
function untilOpen(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((done) => {
        const look = (now: number) => {
          if (document.querySelector('.react-flow__node, .react-flow canvas[role="img"]')) done(now)
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
  )
}

async function panning(page: Page, zoom: number): Promise<number> {
  await settled(page)
  await zoomTo(page, zoom)
  return quantile(await framesWhilePanning(page, FRAMES), 0.95)
}

async function dragging(page: Page): Promise<number> {
  await settled(page)
  await zoomTo(page, 1)
  return quantile(await framesWhileDragging(page, await middleNode(page), FRAMES), 0.95)
}

/** Undo of a move of all nodes by one step. */
async function undoing(page: Page): Promise<number> {
  await settled(page)
  await zoomTo(page, 1)
  const node = await middleNode(page)
  await page.locator(node).focus()
  await page.keyboard.press('Control+a')
  return median(ATTEMPTS, async () => {
    await page.keyboard.press('ArrowRight')
    await page.waitForTimeout(SETTLE_MILLISECONDS)
    return untilChanged(page, node, () => page.keyboard.press('Control+z'))
  })
}

/** With a selected node: milliseconds of the check request that typing causes, as the page sees it. */
async function checking(page: Page): Promise<number> {
  await settled(page)
  const field = page.getByLabel('Seed', { exact: true })
  await field.waitFor()
  return median(ATTEMPTS, async () => {
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/workflow/check'))
    await field.press('End')
    await field.press('1')
    const response = await answered
    await response.finished()
    await page.waitForTimeout(SETTLE_MILLISECONDS)
    return response.request().timing().responseEnd
  })
}

/** Share, in percent, of main thread time used while a run reports its nodes, at close zoom. */
function telling({ browser, url, id, document }: Opened, slower: number): Promise<number> {
  const run = new FastRun(
    id,
    document.nodes.map((node) => node.id),
  )
  return withPage(browser, { url, slower, bypassCSP: true }, async (page) => {
    await run.lead(page)
    await page.goto(`/workflows/${id}`)
    await settled(page)
    await zoomTo(page, 1)
    const worked = await countWork(page)
    const began = performance.now()
    await run.sendMessages(MESSAGE_SECONDS)
    return (100 * (await worked())) / (performance.now() - began)
  }).finally(() => run.close())
}

async function settled(page: Page): Promise<void> {
  await page.locator('.react-flow').waitFor()
  await page.waitForLoadState('networkidle', { timeout: REST_MILLISECONDS }).catch(() => undefined)
  await page.waitForTimeout(SETTLE_MILLISECONDS)
}
