import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { runCleanups } from '../tests/testing/cleanup.js'
import type { Bench, Part } from './page/bench.js'
import { openBrowser } from './page/browser.js'
import { cases } from './page/cases.js'
import { curves } from './page/curves.js'
import { editor } from './page/editor.js'
import { type Figure, line, writeFigures } from './page/figures.js'
import { images } from './page/images.js'
import { jobs } from './page/jobs.js'
import { live } from './page/live.js'
import { start } from './page/start.js'

/**
 * Speed of the page in a browser: the built page and service, with data folders like after months of use, also with a four times slower
 * processor. Exits with 1 if a limit is not met, or if a part could not be measured.
 *
 *     npm run bench:page -- [--only start,curves,jobs,cases,images,live,editor] [--live-minutes 3] [--quick] [--write]
 */
const PARTS: Readonly<Record<string, Part>> = { start, curves, jobs, cases, images, live, editor }

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join() },
    'live-minutes': { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const minutes = Number(values['live-minutes'] ?? (values.quick ? 0.25 : 3))
const full = { jobs: 10_000, points: 1_000_000, cases: 100_000, images: 10_000, nodes: [1_000, 5_000] }
const few = { jobs: 1_000, points: 50_000, cases: 2_000, images: 500, nodes: [200] }
const size: Bench['size'] = { ...(values.quick ? few : full), liveSeconds: 60 * minutes }
const names = values.only.split(',')
const unknown = names.filter((name) => !(name in PARTS))
if (unknown.length > 0 || !(minutes > 0)) {
  console.error(`There are the parts ${Object.keys(PARTS).join(', ')}; minutes are more than none.`)
  process.exit(2)
}

// Services, browser and folders are always cleaned up, even after an interruption.
process.once('exit', runCleanups)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    console.log(`ended by ${signal}`)
    void browser
      .close()
      .catch(() => undefined)
      .then(() => process.exit(128 + constants.signals[signal]))
  })
const browser = await openBrowser()
let met = true
for (const name of names) met = (await measured(name)) && met
await browser.close()
process.exit(met ? 0 : 1)

/** Reports whether the part could be measured and met all its limits. The other parts are measured in any case. */
async function measured(name: string): Promise<boolean> {
  console.log(`\n${name}`)
  try {
    const figures: Figure[] = (await PARTS[name]?.({ browser, size })) ?? []
    for (const one of figures) console.log(line(one))
    if (values.write) await writeFigures(name, figures)
    return figures.every((one) => one.met)
  } catch (error) {
    console.error(`${name} could not be measured: ${error instanceof Error ? error.stack : error}`)
    return false
  }
}
