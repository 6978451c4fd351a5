#!/usr/bin/env node
// Replays recorded trainings (tests/recordings), so that tests of the life cycle, the interface and the page need no PyTorch. It is started
// as the interpreter: trainer.mjs -m medloom_trainer prewarmed, or train --log spec.json. A training with more epochs than the recording
// repeats the last one. If MEDLOOM_REPLAY_TRAINER names an interpreter, only recordings of the same configuration and tables are replayed,
// and all other jobs are trained there; otherwise such a job gets the recording of a similar one. Words in the name of the job control it:
//   recording=NAME  selects the recording              whole           writes results and weights in spite of these words
//   batches=N       progress events per epoch          delay=MS        for each of them (5, later 40 if it has many epochs)
//   flood=N         repeats each progress event        die=accept      before it takes its order
//   die=E           SIGKILLs itself in epoch E         die-at=N        before event N
//   hang-at=N       writes nothing from event N on     half-at=N       half of event N, then SIGKILL
//   fail=E          error event in epoch E             torn            dies in the middle of a line
//   deaf            does not read control files        immortal        deaf, and ignores SIGTERM
//   linger          keeps running after its end        mute            result.json, but no terminal line
//   damaged         writes invalid event lines         diverge=R       like fail=1, for learning rates of R or more
//   by=rate         validates worse at higher learning rates
//   pause=E         waits after epoch E until it is requested to end, unless it resumes another job
//   pause-from=R    pause applies to learning rates of R or more only
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { breakBefore, breakInEpoch, hasValues, isSteered, wordsOf } from './replay/faults.mjs'
import { orderOf, readSpec } from './replay/order.mjs'
import { RecordedFiles } from './replay/recorded-files.mjs'
import { preparedFor, recordedFailure, recordedRun, similarRun } from './replay/recorded-run.mjs'
import { RunWriter } from './replay/run-directory.mjs'
import { trainWith } from './replay/unrecorded.mjs'

const order = await orderOf(process.argv)
if (!order) process.exit(0)
const spec = readSpec(order)
const words = wordsOf(spec.job_name)
if (words.get('die') === 'accept') process.exit(3)
const recorded = recordedRun(spec, words)
const trainer = process.env.MEDLOOM_REPLAY_TRAINER
if (!recorded && trainer && !isSteered(words)) process.exit(await trainWith(trainer, order))
const run = recorded ?? similarRun(spec)
/** The same training: it ends like the recorded one. */
const isExact = recorded !== undefined && !isSteered(words)
const files = new RecordedFiles(run, spec)
const writer = new RunWriter(order, spec)
const { training } = spec.config
// Tests of the life cycle read no results; they are left out if words control the training.
const isWhole = !hasValues(words) || words.has('whole')

let terminated = false
process.on('SIGTERM', () => {
  terminated = !words.has('immortal')
})
const readRequest = () => {
  if (terminated) return 'stop'
  return words.has('deaf') || words.has('immortal') ? null : writer.request()
}

/** A training with so many epochs lasts until a test ends it; its events cost the service more than those of all others. */
const ENDLESS_EPOCHS = 100
/** The epochs for which a test may wait. */
const QUICK_EPOCHS = 5

const began = Date.now()
let written = 0
const emit = async (event) => {
  await breakBefore(written, words, writer)
  written += 1
  writer.event(event)
}

const isOf = (type) => (event) => event.type === type
const { preamble, epochs } = divided(run.events)
const lastEpoch = isExact ? epochs.length : training.epochs
const epochOf = (number) => epochs[Math.min(number, epochs.length) - 1] ?? []
const rate = training.learning_rate
const measured = (metrics, epoch) =>
  words.get('by') === 'rate' && 'val_loss' in metrics ? { ...metrics, val_loss: rate + 1 / epoch } : metrics
const metricsOf = (epoch) => measured(epochOf(epoch).find(isOf('epoch_end'))?.metrics ?? {}, epoch)

const pausesAfter = (epoch) =>
  !spec.resume_from && words.get('pause') === String(epoch) && rate >= Number(words.get('pause-from') ?? 0)

const checkpoint = (name, epoch) => {
  const parts =
    isWhole && files.has(name)
      ? files.parts(name)
      : ['model', 'optimizer'].map((part) => ({
          part,
          extension: 'safetensors',
          content: `${part} of epoch ${epoch}`,
        }))
  writer.checkpoint(name, { epoch, metrics: metricsOf(epoch), parts })
}

/** Every epoch so far, including those of the job that this one continues. */
const writeMetrics = (last) => {
  const header = { schema_version: 1, attempt: spec.attempt }
  const epochs = Array.from({ length: last }, (_, index) => ({
    epoch: index + 1,
    metrics: metricsOf(index + 1),
  }))
  writer.write(
    'metrics/epochs.jsonl',
    [header, ...epochs].map((line) => `${JSON.stringify(line)}\n`).join(''),
  )
  if (last === lastEpoch) writer.writeJson('metrics/metrics.json', { ...header, epochs })
}

const writeResults = () => {
  for (const prefix of ['metrics/', 'baselines/', 'known-cases'])
    for (const [path, content] of files.below(prefix))
      if (isExact || path !== 'metrics/metrics.json') writer.write(path, content)
}

const end = async (event) => {
  const terminal = writer.stamped(event)
  writer.writeJson('result.json', terminal)
  if (!words.has('mute')) writer.appendEvents(`${JSON.stringify(terminal)}\n`)
  if (words.has('linger')) await delay(600_000)
  process.exit(0)
}

const first = spec.resume_from
  ? JSON.parse(readFileSync(join(spec.resume_from, 'checkpoint.json'), 'utf8')).epoch
  : 0

const complete = async (status, reason, epoch) => {
  const isTrained = epoch > first
  const metrics = isTrained ? metricsOf(epoch) : {}
  if (isWhole && isTrained) writeResults()
  const recordedEnd = run.events.find(isOf('completed')) ?? {}
  if (isExact && epoch === lastEpoch) await end(recordedEnd)
  await end({
    ...recordedEnd,
    ...{ type: 'completed', status, reason, epoch, metrics },
    best: isTrained ? { epoch, metrics } : null,
    best_checkpoint: isTrained ? 'checkpoints/best' : null,
    duration_seconds: (Date.now() - began) / 1000,
  })
}

for (const event of preamble)
  await emit(event.type === 'prepared' && !isExact ? preparedFor(spec, event) : event)
const failure = run.events.find(isOf('error'))
if (epochs.length === 0 && failure) await end(failure)

for (let epoch = first + 1; epoch <= lastEpoch; epoch++) {
  for (const event of withBatches(epochOf(epoch))) {
    const now = { ...event, epoch }
    if (event.type === 'progress') await progress(now)
    else if (event.type === 'checkpoint') {
      checkpoint(event.name, epoch)
      await emit(now)
    } else if (event.type === 'epoch_end')
      await emit({ ...now, total_epochs: training.epochs, metrics: metricsOf(epoch) })
    else await emit(event.metrics ? { ...now, metrics: measured(event.metrics, epoch) } : now)
  }
  if (isWhole || words.has('by')) writeMetrics(epoch)
  if (epoch >= epochs.length && failure) await end(failure)
  while (pausesAfter(epoch) && readRequest() === null) await delay(5)
  if (readRequest() === 'finish') await complete('completed', 'finished on request', epoch)
}
await complete('completed', 'all epochs done', lastEpoch)

async function progress(event) {
  const { epoch } = event
  const isSlow = training.epochs >= ENDLESS_EPOCHS && epoch > first + QUICK_EPOCHS
  await delay(Number(words.get('delay') ?? (isSlow ? 40 : 5)))
  if (words.has('damaged'))
    appendFileSync(
      writer.path(`events.${spec.attempt}.jsonl`),
      '{"type": "progress", "epo\n{"type": "unheard of"}\n',
    )
  for (let time = 0; time < Number(words.get('flood') ?? 1); time++) await emit(event)
  breakInEpoch(epoch, words, writer)
  if (words.get('fail') === String(epoch) || rate >= Number(words.get('diverge') ?? Number.POSITIVE_INFINITY))
    await end({ ...recordedFailure(), epoch })
  if (readRequest() !== 'stop') return
  checkpoint('last', epoch - 1)
  await complete('stopped', 'stopped on request', epoch - 1)
}

/**
 * The events of an epoch with one progress event for each batch. The recorded trainer reported at most ten times a second: its measurements
 * of other batches replace the missing ones.
 */
function withBatches(events) {
  const measurements = run.events.filter(isOf('progress'))
  const total = Number(words.get('batches') ?? measurements[0].total_batches)
  const all = Array.from({ length: total }, (_, index) => ({
    ...measurements[index % measurements.length],
    ...{ batch: index + 1, total_batches: total },
  }))
  const others = events.filter((event) => event.type !== 'progress')
  // After the event that begins the training of the epoch.
  return [...others.slice(0, 1), ...all, ...others.slice(1)]
}

/** The events before the first epoch, and those of each epoch. */
function divided(events) {
  const starts = events.flatMap(({ type, phase }, index) =>
    type === 'phase' && phase === 'training' ? [index] : [],
  )
  const isTerminal = ({ type }) => type === 'completed' || type === 'error'
  return {
    preamble: events.slice(0, starts[0] ?? events.length).filter((event) => !isTerminal(event)),
    epochs: starts.map((start, index) => {
      const block = events.slice(start, starts[index + 1]).filter((event) => !isTerminal(event))
      const last = block.findIndex(isOf('epoch_end'))
      return last < 0 ? block : block.slice(0, last + 1)
    }),
  }
}
