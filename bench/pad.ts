import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { check, StudyConfig, StudyResults } from '@medloom/contracts'
import { parse } from 'yaml'
import { REPOSITORY } from '../tests/testing/service.js'
import { pageWith } from './pad/page.js'
import { trainStudy } from './pad/train-study.js'

/**
 * Results page of PAD-UFES-20: runs the study examples/studies/pad-ufes-20.yaml in its own service, and writes the results into the page.
 * An interrupted study continues where it was.
 *
 *     npm run results:pad -- --data FOLDER [--jobs 2] [--work FOLDER] [--set KEY=VALUE]   the whole study, then the page
 *     npm run results:pad -- --study FOLDER                                               only the page, from the folder of a finished study
 *
 * FOLDER of --data contains data.csv and the images; that of --study contains study.yaml and results.json. --set changes a key of the study,
 * such as config.data.image_size=[80,80]; the page states the actual settings.
 */
const PAGE = join(REPOSITORY, 'docs/results-pad-ufes-20.md')

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    study: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    set: { type: 'string', multiple: true, default: [] },
    work: { type: 'string', default: join(REPOSITORY, 'medloom-data/results-pad') },
  },
})
if ((values.data === undefined) === (values.study === undefined)) {
  console.error(
    'Give either --data FOLDER, with data.csv and the images, or --study FOLDER, of a finished study.',
  )
  process.exit(2)
}
const folder = values.study === undefined ? await train(values.data ?? '') : resolve(values.study)
if (folder === null) {
  console.error(
    'The study is not complete, and the page is as it was. The same command goes on with the study.',
  )
  process.exit(1)
}
const text = readFileSync(PAGE, 'utf8')
writeFileSync(PAGE, pageWith(text, read(folder)))
console.log(`wrote ${PAGE}`)

async function train(data: string): Promise<string | null> {
  const table = resolve(data, 'data.csv')
  if (!existsSync(table)) throw new Error(`there is no ${table}`)
  return await trainStudy({ table, jobs: values.jobs, settings: values.set, dataDir: resolve(values.work) })
}

/** Content of a study folder, validated. */
function read(folder: string) {
  const study = check(StudyConfig, parse(readFileSync(join(folder, 'study.yaml'), 'utf8')))
  if (!study.ok) throw new Error(`${folder}/study.yaml is not a study of this version`)
  const results = StudyResults.parse(JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')))
  return { study: study.value, results }
}
