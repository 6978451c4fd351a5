import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { RUN_SCHEMA_VERSION, TrainingConfig, trainerConfig } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TaskParams, TaskPool } from '../../../ports/task-pool.js'
import { nameRoots } from '../../../security/named-roots.js'
import { RunDirectory } from '../../../storage/run-directory.js'
import { ServedData } from './served-data.js'

const JOB_ID = '00000000-0000-4000-8000-000000000000'
let base: string
let run: RunDirectory
let data: ServedData
const write = (path: string, content = 'x') => {
  mkdirSync(dirname(join(base, path)), { recursive: true })
  writeFileSync(join(base, path), content)
}
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-served-')))
  const [root, dataDir] = [join(base, 'root'), join(base, 'data')]
  const uploads = join(dataDir, 'uploads')
  for (const folder of [root, uploads]) mkdirSync(folder, { recursive: true })
  run = new RunDirectory(join(dataDir, 'runs', 'job'))
  data = new ServedData({ named: nameRoots([root, uploads], dataDir), uploads, pool: FIRST_COLUMN })
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(base, { recursive: true })
})

/** The first column of each table names its images. */
const FIRST_COLUMN = {
  run: async (_: string, { tables }: TaskParams<'named_images'>) => ({
    tables: tables.map(({ path, image_root }) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .slice(1, -1)
        .map((line) => join(image_root, line.split(',')[0] ?? ''))
        .map((cell) => ({ folder: dirname(cell), names: [basename(cell)] })),
    ),
    undecided: [],
  }),
} as unknown as TaskPool

/** The training names this table and the other given files. */
function specify({ table = 'root/set/train.csv', image_root = null as string | null, model = {} } = {}) {
  const config = TrainingConfig.parse({
    data: { train_csv: join(base, table), image_root },
    model: { vision_backbone: 'resnet18', fusion_type: 'concatenate', ...model },
    training: { epochs: 1, batch_size: 2 },
  })
  const spec = {
    ...{ schema_version: RUN_SCHEMA_VERSION, job_id: JOB_ID, job_name: 'a', attempt: 1, run_dir: run.path },
    ...{ cache_dir: '/cache', roots: [join(base, 'root')], resume_from: null, fine_tuned_from: null },
    ...{ baselines: [], config: trainerConfig(config) },
  }
  write('data/runs/job/spec.json', JSON.stringify(spec))
}
/** The paths that the training can read. */
async function readable(...paths: string[]): Promise<string[]> {
  const requested = paths.map((path) =>
    path.startsWith('data/')
      ? { root: '@data', path: path.slice('data/'.length) }
      : { root: 'root', path: path.slice('root/'.length) },
  )
  const { facts } = await data.facts(run, requested)
  const found = paths.filter((_, index) => facts[index] !== null)
  const contents = await text(
    await data.contents(
      run,
      requested.map((file) => ({ ...file, offset: 0 })),
    ),
  )
  expect(contents.split('{"missing":true}').length - 1).toBe(paths.length - found.length)
  return found
}

describe('a training can read', () => {
  test('its table and the images that the table names, and nothing else', async () => {
    write('root/set/train.csv', 'image,label\nimages/a.png,1\n../other/b.png,0\n')
    const named = ['root/set/train.csv', 'root/set/images/a.png', 'root/other/b.png']
    const others = ['root/set/images/c.png', 'root/set/val.csv', 'root/other/patients.csv', 'data/medloom.db']
    for (const path of [...named.slice(1), ...others]) write(path)
    specify()
    expect(await readable(...named, ...others)).toEqual(named)
  })

  test('images below the folder that its configuration names, if the table names them', async () => {
    write('root/set/train.csv', 'image,label\na.png,1\n')
    for (const path of ['root/images/a.png', 'root/images/b.png', 'root/set/a.png']) write(path)
    specify({ image_root: join(base, 'root/images') })
    expect(await readable('root/images/a.png', 'root/images/b.png', 'root/set/a.png')).toEqual([
      'root/images/a.png',
    ])
  })

  test('the folder of a series, and from every folder only permitted files', async () => {
    write('root/set/train.csv', 'image,label\nscans/s1,1\n')
    for (const path of ['s1/1.dcm', 's1/2.dcm', 's1/.hidden', 's1/deeper/3.dcm', 's2/1.dcm', 'out.dcm'])
      write(`root/set/scans/${path}`)
    write('root/set/secret.csv')
    symlinkSync(join(base, 'root/set/scans/out.dcm'), join(base, 'root/set/scans/s1/out.dcm'))
    symlinkSync(join(base, 'root/set/scans/s1/1.dcm'), join(base, 'root/set/scans/s1/again.dcm'))
    specify()
    const folder = (path: string) => ({ root: 'root', path })
    const { facts } = await data.facts(run, ['set/scans/s1', 'set', 'set/scans/s2'].map(folder))
    expect(facts.map((one) => Object.keys((one as { files?: object } | null)?.files ?? {}))).toEqual([
      ['1.dcm', '2.dcm', 'again.dcm'],
      ['train.csv'],
      [],
    ])
  })

  test('an image behind a link inside the roots, but not behind one that leads out', async () => {
    write('root/set/train.csv', 'image,label\nlinked/a.png,1\nway-out/b.png,0\n')
    write('root/elsewhere/a.png')
    write('outside/b.png')
    symlinkSync(join(base, 'root/elsewhere'), join(base, 'root/set/linked'))
    symlinkSync(join(base, 'outside'), join(base, 'root/set/way-out'))
    specify()
    expect(await readable('root/set/linked/a.png', 'root/set/way-out/b.png')).toEqual([
      'root/set/linked/a.png',
    ])
  })

  test('of the original run, the checkpoints and their files, but not its predictions', async () => {
    write('root/set/train.csv', 'age,label\n1,1\n')
    const pathOf = (path: string) => `data/runs/before/${path}`
    const named = [pathOf('checkpoints/last/model.safetensors'), pathOf('checkpoints/best/model.safetensors')]
    named.push(pathOf('metrics/epochs.jsonl'))
    named.push(
      pathOf('known-cases.safetensors'),
      pathOf('baselines/tabular/checkpoints/last/model.safetensors'),
    )
    const others = [pathOf('evaluations/e/predictions.csv'), pathOf('metrics/validation.json')]
    for (const path of [...named, ...others]) write(path)
    specify({ model: { fine_tune_from: join(base, pathOf('checkpoints/last')) } })
    expect(await readable(...named, ...others)).toEqual(named)
  })

  test('its own files without a worker', async () => {
    vi.spyOn(FIRST_COLUMN, 'run').mockRejectedValue(new Error('no worker'))
    write('root/set/train.csv', 'image,label\na.png,1\n')
    write('root/set/a.png')
    specify()
    expect(await readable('root/set/train.csv')).toEqual(['root/set/train.csv'])
    await expect(readable('root/set/a.png')).rejects.toThrow('no worker')
  })

  test('the files that its changed table names', async () => {
    write('root/set/train.csv', 'image,label\na.png,1\n')
    for (const path of ['root/set/a.png', 'root/set/b.png']) write(path)
    specify()
    expect(await readable('root/set/a.png', 'root/set/b.png')).toEqual(['root/set/a.png'])
    write('root/set/train.csv', 'image,label\nb.png,1\nb.png,0\n')
    expect(await readable('root/set/a.png', 'root/set/b.png')).toEqual(['root/set/b.png'])
  })
})
