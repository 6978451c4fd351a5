#!/usr/bin/env node
// npm run demo: sets up, creates synthetic data, starts a service, trains with image and table and with each alone at the same
// time as far as the machine allows, evaluates, and prints the results next to the best that the data allows. All its files are in medloom-demo/.
// It opens its page on a desktop unless --no-open is given.
// --quick runs everything in a fraction of the time, with too few cases and epochs to learn much.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { pythonIn, trainerEnvironment } from './setup/environment.mjs'
import { ready, root } from './setup.mjs'

const quick = process.argv.includes('--quick')
const CASES = quick ? 200 : 800
const SETTINGS = quick ? ['training.epochs=2', 'data.image_size=[32, 32]'] : []
const MODELS = [
  { title: 'Image and table', file: 'synthetic-fusion.yaml', best: 'both' },
  { title: 'Image only', file: 'synthetic-image-only.yaml', best: 'image' },
  { title: 'Table only', file: 'synthetic-table-only.yaml', best: 'table' },
]
const folder = join(root, 'medloom-demo')
const data = join(folder, quick ? 'quick' : 'synthetic')
const began = Date.now()

await ready('demo')
const { MedloomClient, MedloomError } = await import('../packages/client/dist/node.js')
const { followJob, formatTable, openPage, readConfigFile } = await import('../packages/cli/dist/index.js')

let service
let client
const runningJobs = new Set()
let interrupted = false
process.once('SIGINT', () => interrupt(130))
process.once('SIGTERM', () => interrupt(143))

try {
  await makeData()
  service = await startService()
  client = new MedloomClient({ baseUrl: service.url })
  console.log(
    `A service runs for the time of the demo; its page is at ${service.url}, its interface at ${service.url}/docs`,
  )
  if (process.env.MEDLOOM_OPEN !== 'off' && !process.argv.includes('--no-open')) openPage(service.url)
  await stopLeftOvers()
  const started = []
  for (const model of MODELS) started.push({ ...model, jobId: await start(model) })
  const results = []
  // Followed one after the other, from their first message, so that their lines do not mix.
  for (const [index, model] of started.entries()) {
    console.log(`\n${index + 1}/${MODELS.length}  ${model.title}  (examples/configs/${model.file})`)
    results.push({ ...model, modelId: await follow(model) })
  }
  console.log('\nEvaluating the three models on the test split …')
  for (const result of results) {
    result.evaluation = await client.evaluateModel({ model_id: result.modelId })
    // Requested this late because the report of a training is written after its end.
    result.trainingReport = (await client.getJobStatus({ job_id: result.jobId })).report_path
  }
  show(results, await workflow())
} catch (error) {
  if (!interrupted) report(error)
  process.exitCode = 1
} finally {
  if (!interrupted) await service?.stop()
}

async function makeData() {
  mkdirSync(folder, { recursive: true })
  console.log(`Making ${CASES} synthetic cases in ${relative(root, data)} …`)
  const generator = join(root, 'examples', 'make_dataset.py')
  const flags = ['--cases', String(CASES), '--size', '64', '--seed', '0']
  await promisify(execFile)(pythonIn(trainerEnvironment(root)), [generator, data, ...flags]).catch(
    (error) => {
      throw new Error(`The synthetic data could not be made:\n${error.stderr || error.message}`)
    },
  )
}

/** The service as "medloom serve" runs it, on a free port and without the user's own settings. */
async function startService() {
  const settings = Object.keys(process.env).filter((name) => name.startsWith('MEDLOOM_'))
  const env = { ...process.env, ...Object.fromEntries(settings.map((name) => [name, undefined])) }
  const flags = [
    '--port',
    '0',
    '--data-dir',
    join(folder, 'service'),
    '--root',
    folder,
    '--log-level',
    'warn',
  ]
  const child = spawn(
    process.execPath,
    [
      join(root, 'packages/cli/bin/medloom.js'),
      'serve',
      ...flags,
      '--python',
      pythonIn(trainerEnvironment(root)),
    ],
    // A separate process group: Ctrl-C must reach the service through this process, after the job was stopped.
    { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  )
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const url = await new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk) => {
      output = (output + chunk).slice(-20_000)
      const address = /^Medloom is ready at (\S+)$/m.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    exited.then(() => reject(new Error(`The service did not start:\n${output}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await exited
    clearTimeout(timer)
  }
  return { url, stop }
}

/** A killed demo leaves a training behind, which the service has resumed. */
async function stopLeftOvers() {
  for (const status of ['started', 'running'])
    for (const job of (await client.listJobs({ status })).jobs) await client.stopJob({ job_id: job.job_id })
}

async function start({ title, file }) {
  const tables = ['train', 'val', 'test'].map((split) => `data.${split}_csv=${join(data, `${split}.csv`)}`)
  const { config } = readConfigFile(join(root, 'examples', 'configs', file), [...tables, ...SETTINGS])
  const job = await client.startTraining({ config, job_name: `demo: ${title.toLowerCase()}` })
  runningJobs.add(job.job_id)
  return job.job_id
}

/** Prints the progress of a training until its end. Returns the id of its model. */
async function follow({ title, jobId }) {
  const last = await followJob(client, jobId, { since: 0 })
  runningJobs.delete(jobId)
  if (last?.type !== 'completed' || !last.model_id)
    throw new Error(`The training "${title}" did not complete.`)
  return last.model_id
}

/** The first training as a workflow that can be viewed and changed: one workflow, however often the demo runs. */
async function workflow() {
  const file = readFileSync(join(root, 'examples/workflows/fusion.json'), 'utf8')
  const document = JSON.parse(file)
  for (const { config } of document.nodes)
    if (config.dataset_id) config.dataset_id = join(data, basename(config.dataset_id))
  const { workflows } = await client.listWorkflows({ page_size: 1000 })
  const made = workflows.find(({ name }) => name === document.metadata.name)
  return made?.workflow_id ?? (await client.createWorkflow(document)).workflow_id
}

function show(results, workflowId) {
  const best = JSON.parse(readFileSync(join(data, 'facts.json'), 'utf8')).best_auc
  const rows = results.map(({ title, best: key, modelId, evaluation: { metrics, intervals } }) => {
    const { low = null, high = null } = intervals.auc ?? {}
    const range = low === null ? '–' : `${low.toFixed(3)} to ${high.toFixed(3)}`
    return [
      title,
      modelId,
      metrics.auc?.toFixed(3) ?? '–',
      range,
      best[key].toFixed(3),
      metrics.accuracy?.toFixed(3) ?? '–',
    ]
  })
  const [fusion] = results
  console.log(
    `\nTest split, ${fusion.evaluation.num_cases} cases of ${fusion.evaluation.num_patients} patients; "best possible" is what the data allows.\n`,
  )
  console.log(formatTable(['trained on', 'model', 'test AUROC', '95% CI', 'best possible', 'accuracy'], rows))
  console.log('\nReports (open them in a browser):')
  for (const { title, evaluation, trainingReport } of results) {
    console.log(`  ${title}: ${evaluation.report_path}`)
    if (trainingReport) console.log(`  ${' '.repeat(title.length)}  ${trainingReport} (training)`)
  }
  const service = `npm start -- --data-dir ${relative(root, join(folder, 'service'))} --root ${relative(root, folder)}`
  console.log(`\nThe first of them as a workflow: start the service again with\n  ${service}`)
  console.log(`and open\n  http://127.0.0.1:8000/workflows/${workflowId}`)
  console.log(
    `\nThe demo took ${Math.round((Date.now() - began) / 1000)} s on ${availableParallelism()} processor cores. Next: docs/tutorial.md leads to your own data.`,
  )
}

async function interrupt(exitCode) {
  interrupted = true
  console.error('\nInterrupted; stopping the trainings and the service …')
  for (const job_id of runningJobs) await client.stopJob({ job_id }).catch(() => {})
  await service?.stop()
  process.exit(exitCode)
}

function report(error) {
  if (error instanceof MedloomError) console.error(`\n${error.message} [${error.code}]\n${error.details}`)
  else console.error(`\n${error instanceof Error ? error.message : error}`)
  console.error(
    `The log of the service is in ${join(folder, 'service')}. "npx medloom doctor" checks the environment.`,
  )
}
