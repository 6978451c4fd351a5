import { monitorEventLoopDelay } from 'node:perf_hooks'
import { firstOrder } from './processes.js'
import { SimulatedLauncher, type SimulatedTrainer } from './simulated-launcher.js'

/** The complete service in a separate process, except for its launcher. Protocol with bench/scale.ts. */
export interface ServiceProcessOrder {
  /** Arguments like those of `medloom serve`. */
  readonly arguments: readonly string[]
  readonly maxJobs: number
}

export type ServiceRequest =
  | { readonly kind: 'end'; readonly id: string }
  | { readonly kind: 'usage' }
  | { readonly kind: 'close' }

export type ServiceReport =
  | { readonly kind: 'ready'; readonly address: string }
  | ({ readonly kind: 'begin' } & SimulatedTrainer)
  | ({ readonly kind: 'usage' } & ServiceProcessUsage)

export interface ServiceProcessUsage {
  /** Usage of all its threads. */
  readonly cpuSeconds: number
  readonly residentBytes: number
  readonly heapBytes: number
  /** Delay of a timer of 10 ms since the previous report. */
  readonly delayP99: number
  readonly delayMax: number
  /** Milliseconds from a free slot until the next trainer was submitted. */
  readonly refills: readonly number[]
}

/** The built service: from sources it lacks, for example, the threads that render reports. */
const BUILT = '../../packages/server/dist'
const { startService }: typeof import('../../packages/server/src/service.js') = await import(
  `${BUILT}/service.js`
)
const { readSettings }: typeof import('../../packages/server/src/settings.js') = await import(
  `${BUILT}/settings.js`
)

const order = await firstOrder<ServiceProcessOrder>()
const tell = (report: ServiceReport) => process.send?.(report)
const launcher = new SimulatedLauncher({
  maxJobs: order.maxJobs,
  begin: (trainer) => tell({ kind: 'begin', ...trainer }),
})
const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
const service = await startService(readSettings(order.arguments, {}), { launcher })
tell({ kind: 'ready', address: service.address })

process.on('message', (request: ServiceRequest) => {
  if (request.kind === 'end') launcher.end(request.id)
  if (request.kind === 'usage') tell({ kind: 'usage', ...usage() })
  if (request.kind === 'close')
    void service.close().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
})

function usage(): ServiceProcessUsage {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const report = {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    delayP99: delay.percentile(99) / 1e6,
    delayMax: delay.max / 1e6,
    refills: launcher.refills.splice(0),
  }
  delay.reset()
  return report
}
