import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface Gauges {
  /** Register a series of GET /metrics. `read` is called at every scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Register one series per value of `label`, which must have few values. */
  labeledGauge(
    name: string,
    help: string,
    label: string,
    read: () => Promise<Iterable<readonly [value: string, count: number]>>,
  ): void
}

export interface Metrics extends Gauges {
  /** Count the requests of `app` and serve GET /metrics. */
  register(app: FastifyInstance): void
  close(): void
}

const SAMPLING_MILLISECONDS = 20
const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

/** Prometheus text format 0.0.4. Each domain registers its own series, so that no series exists without a measurement. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const gauges: Gauges = {
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      })
    },
    labeledGauge(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          this.reset()
          for (const [value, count] of await read()) this.set({ [label]: value }, count)
        },
      })
    },
  }
  const stop = measureProcess(gauges)
  return {
    ...gauges,
    close: stop,
    register(app) {
      countRequests(app, registry)
      app.get('/metrics', { config: { access: 'read' } }, async (_request, reply) =>
        reply.type(registry.contentType).send(await registry.metrics()),
      )
    },
  }
}

/** @returns a function that ends the measurement */
function measureProcess({ gauge }: Gauges): () => void {
  const delay = monitorEventLoopDelay({ resolution: SAMPLING_MILLISECONDS })
  delay.enable()
  gauge('medloom_event_loop_lag_seconds', 'Longest delay of the event loop since the last scrape', () => {
    // The measured value is the time between two samples, including the sampling interval.
    const longest = Math.max(0, delay.max / 1e9 - SAMPLING_MILLISECONDS / 1000)
    delay.reset()
    return Number.isFinite(longest) ? longest : 0
  })
  gauge('process_resident_memory_bytes', 'Resident memory of the service', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', 'Used heap of the service', () => process.memoryUsage().heapUsed)
  gauge('process_start_time_seconds', 'Start of the service, Unix time', () => performance.timeOrigin / 1000)
  return () => delay.disable()
}

function countRequests(app: FastifyInstance, registry: Registry): void {
  const requests = new Counter({
    name: 'medloom_http_requests_total',
    help: 'HTTP requests with a response',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'medloom_http_request_duration_seconds',
    help: 'Response time',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    // The pattern, not the address: the number of series must not grow with what clients send. Node refuses unknown methods.
    const route = routeOptions.url ?? 'unknown'
    requests.inc({ method, route, status: reply.statusCode })
    durations.observe({ route }, reply.elapsedTime / 1000)
  })
}
