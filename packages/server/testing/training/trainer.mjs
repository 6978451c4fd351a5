#!/usr/bin/env node
// A small program that speaks the protocol of the run directory without learning anything, so that tests of the life cycle take
// milliseconds. It is started as the interpreter: trainer.mjs -m medloom_trainer prewarmed. What it does beyond an ordinary training
// stands in the name of the job, as words:
//   batches=N       per epoch (4)                      delay=MS        per batch (5)
//   die=accept      before it takes its order          die=E           SIGKILL itself in epoch E
//   fail=E          error event in epoch E             deaf            does not look at control files
//   immortal        deaf, and ignores SIGTERM          linger          does not go after its end
//   mute            result.json, but no terminal line  torn            dies in the middle of a line
//   damaged         writes lines that are no events
//   by=rate         validates worse the higher the learning rate is, and writes metrics.json
//   diverge=R       as fail=1, from the learning rate R on
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const say = (reply) => process.stdout.write(`${JSON.stringify(reply)}\n`)
const prewarmedOrder = async () => {
  say({ type: 'ready' })
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line)
    if (request.type === 'fork') say({ type: 'forked', pid: process.pid })
    else return request.spec
  }
}
// A cluster starts it with the order: trainer.mjs -m medloom_trainer train --log spec.json.
const order = process.argv.includes('train') ? process.argv.at(-1) : await prewarmedOrder()
if (!order) process.exit(0)
const spec = JSON.parse(readFileSync(order, 'utf8'))
const words = new Map(spec.job_name.split(' ').map((word) => word.split('=')))
const { attempt, run_dir, config } = spec
const events = join(run_dir, `events.${attempt}.jsonl`)
if (words.get('die') === 'accept') process.exit(3)

const now = () => new Date().toISOString()
const emit = (event) => appendFileSync(events, `${JSON.stringify({ timestamp: now(), attempt, ...event })}\n`)
// On a machine that counts as lost it may still run while a newer attempt does: like the trainer, it then replaces nothing.
const endIfReplaced = () => {
  if (JSON.parse(readFileSync(order, 'utf8')).attempt > attempt) process.exit(1)
}
const write = (path, value) => {
  endIfReplaced()
  writeFileSync(`${path}.${attempt}.tmp`, JSON.stringify(value))
  renameSync(`${path}.${attempt}.tmp`, path)
}
let terminated = false
process.on('SIGTERM', () => {
  terminated = !words.has('immortal')
})
const request = () => {
  if (terminated) return 'stop'
  const control = join(run_dir, `control.${attempt}.json`)
  if (words.has('deaf') || words.has('immortal') || !existsSync(control)) return null
  return JSON.parse(readFileSync(control, 'utf8')).request
}
const rate = config.training.learning_rate
const metricsOf = (epoch) => ({
  train_loss: 1 / epoch,
  val_loss: words.get('by') === 'rate' ? rate + 1 / epoch : 1.1 / epoch,
  val_accuracy: 1 - 0.5 / epoch,
  val_auc: 1 - 0.4 / epoch,
})
const checkpoint = (name, epoch) => {
  endIfReplaced()
  const folder = join(run_dir, 'checkpoints', name)
  mkdirSync(folder, { recursive: true })
  const files = Object.fromEntries(
    ['model', 'optimizer'].map((part) => {
      const file = `${part}.safetensors`
      const content = `${part} of epoch ${epoch}`
      writeFileSync(join(folder, file), content)
      const sha256 = createHash('sha256').update(content).digest('hex')
      return [part, { file, sha256, size_bytes: content.length }]
    }),
  )
  write(join(folder, 'checkpoint.json'), {
    schema_version: 1,
    job_id: spec.job_id,
    attempt,
    epoch,
    created_at: now(),
    metrics: metricsOf(epoch),
    files,
  })
  emit({ type: 'checkpoint', epoch, name })
}
const end = async (event) => {
  const terminal = { timestamp: now(), attempt, ...event }
  write(join(run_dir, 'result.json'), terminal)
  if (!words.has('mute')) appendFileSync(events, `${JSON.stringify(terminal)}\n`)
  if (words.has('linger')) await delay(600_000)
  process.exit(0)
}

/** Every epoch so far, those of the job that this one continues too. */
const writeMetrics = (last) => {
  const epochs = Array.from({ length: last }, (_, at) => ({ epoch: at + 1, metrics: metricsOf(at + 1) }))
  mkdirSync(join(run_dir, 'metrics'), { recursive: true })
  write(join(run_dir, 'metrics/metrics.json'), { schema_version: 1, attempt, epochs })
}

emit({ type: 'phase', phase: 'preparing', epoch: 0 })
const counts = { cases: 8, patients: 8, class_counts: { no: 4, yes: 4 } }
emit({
  type: 'prepared',
  prepared: {
    task: 'classification',
    classes: ['no', 'yes'],
    label_column: 'label',
    patient_column: 'patient_id',
    split_column: null,
    image_columns: ['image'],
    numeric_columns: ['age'],
    categorical_columns: [],
    ignored_columns: {},
    splits: { train: counts, val: counts },
    parameters: 10,
    trainable_parameters: 10,
    device: 'cpu',
    mixed_precision: 'off',
    monitor: 'val_auc',
    warnings: [],
    data_digests: { train: 'a', val: 'b' },
  },
})
const batches = Number(words.get('batches') ?? 4)
const pause = Number(words.get('delay') ?? 5)
const first = spec.resume_from
  ? JSON.parse(readFileSync(join(spec.resume_from, 'checkpoint.json'), 'utf8')).epoch
  : 0
const began = Date.now()
const seconds = () => (Date.now() - began) / 1000
const completed = (status, reason, epoch) =>
  end({
    type: 'completed',
    status,
    reason,
    epoch,
    metrics: epoch > first ? metricsOf(epoch) : {},
    best: epoch > first ? { epoch, metrics: metricsOf(epoch) } : null,
    best_checkpoint: epoch > first ? 'checkpoints/best' : null,
    duration_seconds: seconds(),
  })

for (let epoch = first + 1; epoch <= config.training.epochs; epoch++) {
  emit({ type: 'phase', phase: 'training', epoch })
  for (let batch = 1; batch <= batches; batch++) {
    await delay(pause)
    if (words.has('damaged')) appendFileSync(events, '{"type": "progress", "epo\n{"type": "unheard of"}\n')
    emit({
      type: 'progress',
      epoch,
      batch,
      total_batches: batches,
      metrics: {
        loss: 1 / (epoch + batch / batches),
        accuracy: 0.5,
        learning_rate: 0.001,
        samples_per_second: 100,
      },
      eta_seconds: (config.training.epochs - epoch) * batches * pause * 0.001,
    })
    if (words.get('die') === String(epoch)) process.kill(process.pid, 'SIGKILL')
    if (words.has('torn')) {
      appendFileSync(events, `{"type": "epoch_end", "epoch": ${epoch}, "metr`)
      process.kill(process.pid, 'SIGKILL')
    }
    if (words.get('fail') === String(epoch) || rate >= Number(words.get('diverge') ?? 99))
      await end({
        type: 'error',
        epoch,
        code: 'LOSS_NOT_FINITE',
        message: 'the loss is NaN',
        details: 'Lower it.',
        trace: null,
      })
    if (request() === 'stop') {
      checkpoint('last', epoch - 1)
      await completed('stopped', 'stopped on request', epoch - 1)
    }
  }
  emit({ type: 'phase', phase: 'validating', epoch })
  if (words.has('by')) writeMetrics(epoch)
  emit({ type: 'validation', epoch, metrics: { ...metricsOf(epoch), train_loss: undefined }, notes: {} })
  emit({
    type: 'epoch_end',
    epoch,
    total_epochs: config.training.epochs,
    metrics: metricsOf(epoch),
    duration_seconds: 0.1,
    is_best: true,
  })
  checkpoint('best', epoch)
  checkpoint('last', epoch)
  if (request() === 'finish') await completed('completed', 'finished on request', epoch)
}
await completed('completed', 'all epochs done', config.training.epochs)
