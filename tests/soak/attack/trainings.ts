import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../packages/server/testing/eventually.js'
import { processesWith } from '../../../packages/server/testing/processes.js'
import { makeDataset } from '../../testing/dataset.js'
import { type RunningService, startService } from '../../testing/service.js'
import { type Attack, defended } from './attack.js'
import { type Reply, send } from './send.js'
import type { Target } from './target.js'

/** Attacks on trainings, and by them. Each trains on a separate service, whose queue is empty. */
export const TRAINING_ATTACKS: readonly Attack[] = [
  {
    name: 'A spreadsheet formula in a table of predictions',
    defense: 'One writer of tables puts an apostrophe before what a spreadsheet would compute',
    run: plantFormula,
  },
  {
    name: 'The token of a training on a node, for files and trainings of others',
    defense: 'The token grants access to one attempt, and to the files that its training reads',
    run: readOtherFiles,
  },
  {
    name: 'A trainer on a node whose service is gone after it began, and SIGTERM',
    defense: 'SIGTERM ends it',
    run: endTrainer,
  },
]

/** Patients whose ids are formulas in a spreadsheet. */
const FORMULAS = ['=HYPERLINK(1)', '+1+1', '@SUM(1)', '-1+1']
const WAIT = { within: 120_000, every: 200 }

async function plantFormula(target: Target): Promise<string> {
  const root = target.newFolder('formulas')
  const row = (index: number) =>
    `${FORMULAS[index % FORMULAS.length]}${index},${30 + (index % 40)},${index % 2 ? 'yes' : 'no'}`
  const table = (from: number, count: number) =>
    ['patient_id,age,label', ...Array.from({ length: count }, (_, index) => row(from + index))].join('\n')
  for (const [name, from, count] of [
    ['train', 0, 60],
    ['val', 100, 20],
    ['test', 200, 20],
  ] as const)
    writeFileSync(join(root, `${name}.csv`), `${table(from, count)}\n`)
  const service = await startService({ roots: [root] })
  try {
    const job = await startTraining(service, root, { vision_backbone: 'none', fusion_type: 'concatenate' }, 1)
    const { status } = await jobWhen(service, job, ({ status }) =>
      ['completed', 'failed'].includes(`${status}`),
    )
    if (status !== 'completed') throw new Error(`the training is ${status}`)
    const { json } = await send(service.url, 'GET', `/api/training/${job}/files?page_size=1000`)
    const paths = (json.files as { path: string }[])
      .map(({ path }) => path)
      .filter((path) => /\.csv$/.test(path))
    let formulas = 0
    for (const path of paths) {
      const { text } = await send(service.url, 'GET', `/api/training/${job}/files/${path}`)
      const computed = FORMULAS.filter((formula) =>
        text.split(/[,\n"]/).some((cell) => cell.startsWith(formula)),
      )
      defended(computed.length === 0, `${path} has ${computed.join(' ')}`)
      formulas += text.split("'=HYPERLINK").length - 1
    }
    if (formulas === 0) throw new Error(`no table has a patient: ${paths.join(', ')}`)
    return `${paths.length} tables of a training, ${formulas} formulas with an apostrophe`
  } finally {
    await service.kill()
  }
}

async function readOtherFiles(target: Target): Promise<string> {
  const training = await trainOnNode(target, 'token')
  try {
    const { service, job, root, remote } = training
    writeFileSync(join(root, 'secret.csv'), 'secret of another study')
    const token = /MEDLOOM_EXCHANGE_TOKEN=([^\0]+)/.exec(readFileSync(`/proc/${remote}/environ`, 'utf8'))?.[1]
    const headers = { authorization: `Bearer ${token}` }
    const place = `/api/exchange/${job}/1`
    const order = await send(service.url, 'GET', place, { headers })
    if (order.status !== 200) throw new Error(`the token of the training is refused: ${order.text}`)
    const [named] = order.json.roots as { name: string }[]
    const read = (path: string): Promise<Reply> =>
      send(service.url, 'POST', `${place}/data/files`, {
        headers,
        body: { files: [{ root: named?.name, path }] },
      })
    const own = await read('set/train.csv')
    if (!own.text.includes('label')) throw new Error(`the training cannot read its table: ${own.text}`)
    const others = ['secret.csv', '../secret.csv', 'set/../secret.csv', '/etc/passwd']
    for (const path of others) {
      const { text } = await read(path)
      defended(!text.includes('secret') && !text.includes('root:'), `${path}: ${text}`)
    }
    const statuses = [
      await send(service.url, 'GET', `/api/exchange/${job}/2`, { headers }),
      await send(service.url, 'GET', `/api/exchange/${crypto.randomUUID()}/1`, { headers }),
    ].map(({ status }) => status)
    defended(
      statuses.every((status) => status >= 400),
      `statuses ${statuses.join(', ')}`,
    )
    return `${others.length} files are refused; statuses ${statuses.join(', ')}`
  } finally {
    await training.end()
  }
}

async function endTrainer(target: Target): Promise<string> {
  const training = await trainOnNode(target, 'orphan')
  try {
    const { service, job, remote } = training
    await service.kill()
    process.kill(remote, 'SIGTERM')
    const began = Date.now()
    const left = await eventually(
      () => Promise.resolve(processesWith(job).length),
      (count) => count === 0,
      { within: 60_000, every: 100 },
    ).catch(() => processesWith(job).length)
    defended(left === 0, 'it is still running 60 s after SIGTERM')
    return `it ended after ${Math.round((Date.now() - began) / 1000)} s`
  } finally {
    await training.end()
  }
}

/** A training that has begun, and that gets its data and sends its output as on a node without a shared folder. */
async function trainOnNode(target: Target, name: string) {
  const root = target.newFolder(name)
  const set = makeDataset(join(root, 'set'), { cases: 40 })
  const service = await startService({
    roots: [root],
    arguments: ['--exchange', 'http'],
    env: { MEDLOOM_NODE_CACHE: join(target.folder, `${name}-node`) },
  })
  const job = await startTraining(service, set, { vision_backbone: 'none', fusion_type: 'concatenate' }, 5000)
  const end = async () => {
    await service.kill()
    for (const { pid, parent } of processesWith(job))
      for (const id of [parent, pid])
        try {
          if (id > 1) process.kill(id, 'SIGKILL')
        } catch {
          // It has ended meanwhile.
        }
  }
  try {
    await jobWhen(service, job, ({ status, epoch }) => status === 'failed' || Number(epoch) >= 1)
    const [trainer] = processesWith(job)
    if (!trainer) throw new Error('the training has no process')
    return { service, job, root, remote: trainer.parent, end }
  } catch (error) {
    await end()
    throw error
  }
}

async function startTraining(
  service: RunningService,
  folder: string,
  model: object,
  epochs: number,
): Promise<string> {
  const csv = (name: string) => join(folder, `${name}.csv`)
  const config = {
    data: { train_csv: csv('train'), val_csv: csv('val'), test_csv: csv('test') },
    model: { ...model, task: 'classification', members: 1 },
    training: { epochs, batch_size: 8, device: 'cpu' },
    baselines: [],
  }
  const { status, json, text } = await send(service.url, 'POST', '/api/training/start', {
    body: { config, job_name: 'attack' },
  })
  if (status !== 200) throw new Error(`the training was refused: ${text}`)
  return String(json.job_id)
}

async function jobWhen(service: RunningService, job: string, isReached: (job: Reply['json']) => boolean) {
  const status = async () => (await send(service.url, 'GET', `/api/training/${job}/status`)).json
  return eventually(status, isReached, WAIT)
}
