import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { RunDirectory } from '../../packages/server/src/storage/run-directory.js'
import { EVENTS_PER_EPOCH, endLine, eventLine, heartbeat, resourceLine } from './lines.js'

/**
 * Many trainers in one process, as the service sees them: event files, heartbeats and measurements, written as often as by trainers.
 * Protocol with bench/scale.ts.
 */
export type TrainersOrder =
  | { readonly kind: 'attach'; readonly trainers: readonly TrainerPlace[] }
  /** Events per second of each trainer, evenly distributed; 0: none. */
  | { readonly kind: 'rate'; readonly perSecond: number }
  /** This many events of each trainer, at once. */
  | { readonly kind: 'burst'; readonly count: number }
  /** Its training completes. */
  | { readonly kind: 'end'; readonly id: string }
  | { readonly kind: 'report' }

export interface TrainerPlace {
  readonly id: string
  readonly run: string
  readonly attempt: number
}

export type TrainersReport =
  | { readonly kind: 'ended'; readonly id: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly written: Readonly<Record<string, number>> }

const TICK_MILLISECONDS = 10
const HEARTBEAT_SECONDS = 1
const RESOURCES_SECONDS = 5
const IN_PLACE = constants.O_WRONLY | constants.O_CREAT

interface Trainer extends TrainerPlace {
  readonly events: number
  written: number
}

const trainers = new Map<string, Trainer>()
let order: Trainer[] = []

/** Writes in turn, at this rate per trainer. */
class Pace {
  perSecond = 0
  #owed = 0
  #next = 0

  constructor(private readonly write: (trainer: Trainer) => void) {}

  tick(seconds: number): void {
    this.#owed += this.perSecond * order.length * seconds
    for (; this.#owed >= 1; this.#owed--) {
      const trainer = order[this.#next++ % order.length]
      if (trainer) this.write(trainer)
    }
  }
}

const events = new Pace(writeEvent)
const beats = new Pace(({ run, attempt, written }) =>
  writeTo(new RunDirectory(run).heartbeat(attempt), IN_PLACE, (file) =>
    writeSync(file, heartbeat(written), 0),
  ),
)
const measurements = new Pace(({ run, attempt, written }) =>
  writeTo(new RunDirectory(run).resources(attempt), 'a', (file) => writeSync(file, resourceLine(written))),
)
beats.perSecond = 1 / HEARTBEAT_SECONDS
measurements.perSecond = 1 / RESOURCES_SECONDS

let last = performance.now()
setInterval(() => {
  const now = performance.now()
  for (const pace of [events, beats, measurements]) pace.tick((now - last) / 1000)
  last = now
}, TICK_MILLISECONDS)

process.on('message', (message: TrainersOrder) => {
  const report = carryOut(message)
  process.send?.(report satisfies TrainersReport)
})

function carryOut(message: TrainersOrder): TrainersReport {
  switch (message.kind) {
    case 'attach':
      for (const place of message.trainers)
        trainers.set(place.id, {
          ...place,
          events: openSync(join(new RunDirectory(place.run).events(place.attempt)), 'a'),
          written: 0,
        })
      order = [...trainers.values()]
      return { kind: 'done' }
    case 'rate':
      events.perSecond = message.perSecond
      return { kind: 'done' }
    case 'burst':
      for (const trainer of order) for (let count = 0; count < message.count; count++) writeEvent(trainer)
      return { kind: 'done' }
    case 'end':
      return end(message.id)
    case 'report':
      return {
        kind: 'report',
        written: Object.fromEntries(order.map(({ id, written }) => [id, written])),
      }
  }
}

function writeEvent(trainer: Trainer): void {
  trainer.written += 1
  writeSync(trainer.events, eventLine(trainer.written, trainer.attempt))
}

function end(id: string): TrainersReport {
  const trainer = trainers.get(id)
  if (trainer) {
    writeSync(trainer.events, endLine(Math.ceil(trainer.written / EVENTS_PER_EPOCH), trainer.attempt))
    closeSync(trainer.events)
    trainers.delete(id)
    order = [...trainers.values()]
  }
  return { kind: 'ended', id }
}

function writeTo(path: string, flags: number | string, write: (file: number) => void): void {
  const file = openSync(path, flags)
  write(file)
  closeSync(file)
}
