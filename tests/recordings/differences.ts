import { isDeepStrictEqual } from 'node:util'
import type { RecordedRun } from './recording.js'

/** Differences between two recordings of one kind, other than times and identifiers. */
export function differences(
  stored: readonly RecordedRun[],
  fresh: readonly RecordedRun[],
  kind: string,
): string[] {
  if (stored.length !== fresh.length)
    return [`${stored.length} trainings are kept, ${fresh.length} were made`]
  return stored.flatMap((run, index) => {
    const other = fresh[index]
    return other
      ? differencesOfRuns(run, other, STOPPED.includes(kind)).map((text) => `training ${index + 1}: ${text}`)
      : []
  })
}

/** Kinds that are stopped while they run: the epoch depends on the machine. */
const STOPPED = ['stopped', 'resumed']

function differencesOfRuns(stored: RecordedRun, fresh: RecordedRun, isStopped: boolean): string[] {
  const found: string[] = []
  if (!isDeepStrictEqual(stored.config, fresh.config)) found.push('the configuration differs')
  const [before, now] = [byPlace(stored), byPlace(fresh)]
  for (const [place, event] of before) {
    const other = now.get(place)
    if (other ? isDeepStrictEqual(event, other) : isStopped) continue
    found.push(`${place}: ${JSON.stringify(event)} became ${JSON.stringify(other)}`)
  }
  if (!isStopped) for (const place of now.keys()) if (!before.has(place)) found.push(`${place} is new`)
  const names = (run: RecordedRun) => Object.keys(run.files).map(withoutDigest).sort()
  if (!isDeepStrictEqual(names(stored), names(fresh))) found.push('the files differ')
  return found
}

/** Events by type, epoch and detailed name. The number of progress reports depends on the speed of the machine, as does the epoch of a stop. */
function byPlace({ events }: RecordedRun): Map<string, object> {
  const compared = events.filter(
    ({ type, status, name }) => type !== 'progress' && status !== 'stopped' && name !== 'last',
  )
  return new Map(
    compared.map((event) => [
      [event.type, event.epoch, event.phase, event.name].join(' ').trim(),
      lasting(event),
    ]),
  )
}

const PASSING = ['timestamp', 'duration_seconds', 'eta_seconds']

function lasting(event: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !PASSING.includes(name)))
}

function withoutDigest(path: string): string {
  return path.replace(/\.[\da-f]{16}\./, '.')
}
