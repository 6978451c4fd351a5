import { EPOCH_SUMMARY, type Job, type Metrics } from '@medloom/contracts'

/** Formatted numbers, times and names. An unknown value is "–". */
export const UNKNOWN = '–'

/** Fixed digits; a number that would lose its significant digits has two of them: 0.0031, 1.2e-7. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined) return UNKNOWN
  return value !== 0 && Math.abs(value) < 10 ** (1 - digits) ? value.toPrecision(2) : value.toFixed(digits)
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return UNKNOWN
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const two = (part: number) => String(part).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

export function age(timestamp: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(timestamp)) / 1000)
  if (seconds < 120) return `${Math.round(seconds)} s ago`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} d ago`
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let value = count / 1000
  while (value >= 1000 && units.length > 1) {
    value /= 1000
    units.shift()
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[0]}`
}

export function shortId(jobId: string): string {
  return jobId.slice(0, 8)
}

/** The main metrics in one line: losses first, then those of the task. */
export function headline(metrics: Metrics): string {
  return ['train_loss', 'val_loss', ...EPOCH_SUMMARY.slice(0, -1)]
    .filter((key) => typeof metrics[key] === 'number')
    .map((key) => `${key} ${number(metrics[key])}`)
    .join('  ')
}

/** The metric of the best epoch, for lists. */
export function bestScore(job: Pick<Job, 'best'>): string {
  const metrics = job.best?.metrics ?? {}
  for (const key of EPOCH_SUMMARY)
    if (typeof metrics[key] === 'number') return `${key} ${number(metrics[key])}`
  return UNKNOWN
}
