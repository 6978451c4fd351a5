import type { PeerFigure } from './peers.js'

export const misses: string[] = []

/**
 * Milliseconds of the fastest of several attempts. On a busy machine, the processor time is used instead of the elapsed time; if another
 * process does a part of the work, the elapsed time.
 */
export async function quickest(
  attempts: number,
  work: () => unknown,
  what: 'work' | 'elapsed' = 'work',
): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < attempts; i++) {
    const begin = performance.now()
    const used = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(used)
    const elapsed = performance.now() - begin
    best = Math.min(best, elapsed, what === 'work' ? (user + system) / 1000 : elapsed)
  }
  return best
}

export function report(what: string, value: number, limit: number, unit: 'ms' | 'MB' = 'ms'): void {
  const held = value < limit
  if (!held) misses.push(what)
  const shown = value.toFixed(unit === 'ms' ? 3 : 0)
  console.log(
    `${what.padEnd(58)} ${shown.padStart(9)} ${unit}   limit ${limit} ${unit}   ${held ? 'held' : 'MISSED'}`,
  )
}

/** Our overhead compared with that of other engines for the same graph, per empty node. */
export function reportPeers(inProcess: number, warm: number, peers: readonly PeerFigure[]): void {
  for (const { peer, what, milliseconds } of peers) {
    const ours = what.includes('worker') ? warm : inProcess
    const times = (milliseconds / ours).toFixed(1)
    console.log(
      `${`${peer}: ${what}`.padEnd(58)} ${milliseconds.toFixed(3).padStart(9)} ms   ${times} × ours`,
    )
  }
}
