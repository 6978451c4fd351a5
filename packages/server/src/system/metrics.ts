import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'

/** Numbers of one series, read when they are asked for. */
export type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

export interface Gauges {
  /** Register a series of GET /metrics. `read` is called at every scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number | Sample[]>): void
}

export interface Metrics extends Gauges {
  /** Count the requests of `app` and serve GET /metrics. */
  register(app: FastifyInstance): void
  text(): Promise<string>
  close(): void
}

const SAMPLING_MILLISECONDS = 20
const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

/** Prometheus text format 0.0.4. A series that is registered is true; there are none for what does not exist yet. */
export function createMetrics(): Metrics {
  const gauges: { name: string; help: string; read: () => number | Promise<number | Sample[]> }[] = []
  const requests = new Map<string, { labels: Record<string, string>; value: number }>()
  const durations = new Map<string, { route: string; counts: number[]; sum: number; total: number }>()
  const delay = monitorEventLoopDelay({ resolution: SAMPLING_MILLISECONDS })
  delay.enable()
  const gauge: Gauges['gauge'] = (name, help, read) => {
    gauges.push({ name, help, read })
  }
  gauge('medloom_event_loop_lag_seconds', 'Longest delay of the event loop since the last scrape', () => {
    // What is measured is the time between two samples, the sampling time included.
    const longest = Math.max(0, delay.max / 1e9 - SAMPLING_MILLISECONDS / 1000)
    delay.reset()
    return Number.isFinite(longest) ? longest : 0
  })
  gauge('process_resident_memory_bytes', 'Resident memory of the service', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', 'Used heap of the service', () => process.memoryUsage().heapUsed)
  gauge('process_start_time_seconds', 'Start of the service, Unix time', () => performance.timeOrigin / 1000)

  const observe = (method: string, route: string, status: number, seconds: number) => {
    const key = `${method} ${route} ${status}`
    const counter = requests.get(key) ?? { labels: { method, route, status: String(status) }, value: 0 }
    counter.value++
    requests.set(key, counter)
    const histogram = durations.get(route) ?? {
      route,
      counts: DURATION_BUCKETS_SECONDS.map(() => 0),
      sum: 0,
      total: 0,
    }
    DURATION_BUCKETS_SECONDS.forEach((limit, i) => {
      if (seconds <= limit) histogram.counts[i] = (histogram.counts[i] ?? 0) + 1
    })
    histogram.sum += seconds
    histogram.total++
    durations.set(route, histogram)
  }

  const text = async () => {
    const lines: string[] = []
    for (const { name, help, read } of gauges) {
      const value = await read()
      const samples: readonly Sample[] = typeof value === 'number' ? [{ value }] : value
      lines.push(...series(name, 'gauge', help, samples))
    }
    lines.push(
      ...series('medloom_http_requests_total', 'counter', 'Answered HTTP requests', [...requests.values()]),
      ...histogramSeries([...durations.values()]),
    )
    return `${lines.join('\n')}\n`
  }

  return {
    gauge,
    text,
    close: () => delay.disable(),
    register(app) {
      app.addHook('onResponse', async (request, reply) =>
        // The pattern, not the address: a series per job would grow without end.
        observe(
          request.method,
          request.routeOptions.url ?? 'unknown',
          reply.statusCode,
          reply.elapsedTime / 1000,
        ),
      )
      app.get('/metrics', async (_request, reply) =>
        reply.type('text/plain; version=0.0.4; charset=utf-8').send(await text()),
      )
    },
  }
}

function series(name: string, type: string, help: string, samples: readonly Sample[]): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
  ]
}

function histogramSeries(
  histograms: readonly { route: string; counts: number[]; sum: number; total: number }[],
) {
  const name = 'medloom_http_request_duration_seconds'
  return [
    `# HELP ${name} Time to answer`,
    `# TYPE ${name} histogram`,
    ...histograms.flatMap(({ route, counts, sum, total }) => [
      ...counts.map(
        (count, i) =>
          `${name}_bucket${labelText({ route, le: String(DURATION_BUCKETS_SECONDS[i]) })} ${count}`,
      ),
      `${name}_bucket${labelText({ route, le: '+Inf' })} ${total}`,
      `${name}_sum${labelText({ route })} ${sum}`,
      `${name}_count${labelText({ route })} ${total}`,
    ]),
  ]
}

function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  )
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}
