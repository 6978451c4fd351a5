/**
 * The paths inside a run directory, relative to it, with `/` between folders. The service and the trainer take them from here (the
 * trainer as contract/run-directory.json). The directory is portable: it holds everything about the run. Below `start` lies the checkpoint
 * that a workflow gave the training to start from, as in the run directory that it was made in.
 */
export const RUN_PATHS = {
  config: 'config.yaml',
  spec: 'spec.json',
  control: 'control.{attempt}.json',
  events: 'events.{attempt}.jsonl',
  event_payloads: 'events.{attempt}',
  event_payload: 'events.{attempt}/{sha256}.json',
  heartbeat: 'heartbeat.{attempt}.json',
  resources: 'resources.{attempt}.jsonl',
  reserve: 'reserve.{attempt}.bin',
  batch_script: 'slurm.{attempt}.sh',
  batch_claim: 'slurm.{attempt}.job',
  exchange: 'exchange.{attempt}.json',
  incoming: 'incoming',
  result: 'result.json',
  known_cases: 'known-cases.safetensors',
  log: 'logs/training.log',
  batch_log: 'logs/slurm.{attempt}.log',
  log_part: 'logs/training.log.{start}',
  log_pending: 'logs/training.log.{start}-{size}.pending',
  metrics_folder: 'metrics',
  epochs: 'metrics/epochs.jsonl',
  metrics: 'metrics/metrics.json',
  validation: 'metrics/validation.json',
  held_out: 'metrics/held-out.json',
  checkpoints: 'checkpoints',
  checkpoint: 'checkpoints/{name}',
  manifest: 'checkpoints/{name}/checkpoint.json',
  start: 'start/checkpoints/start',
  start_known_cases: 'start/known-cases.safetensors',
  baselines: 'baselines',
  baseline: 'baselines/{name}',
  baseline_model: 'baselines/{name}/model.json',
  reports: 'reports',
  summary: 'reports/summary.json',
  report_page: 'reports/report.html',
  report_text: 'reports/report.md',
  artifacts: 'artifacts',
  evaluations: 'evaluations',
  evaluation: 'evaluations/{evaluation_id}',
  evaluation_result: 'evaluations/{evaluation_id}/evaluation.json',
  failure_images: 'evaluations/{evaluation_id}/failure-images.json',
  ablation: 'evaluations/{evaluation_id}/ablation.csv',
  evaluation_page: 'evaluations/{evaluation_id}/report.html',
  evaluation_text: 'evaluations/{evaluation_id}/report.md',
  exports: 'exports',
  comparisons: 'comparisons',
  comparison: 'comparisons/{comparison_id}',
  comparison_result: 'comparisons/{comparison_id}/comparison.json',
  comparison_page: 'comparisons/{comparison_id}/report.html',
  comparison_text: 'comparisons/{comparison_id}/report.md',
} as const

/**
 * What a node without a common folder sends of the run directory of its trainer, beside the streams: files, and folders with all that is
 * in them.
 */
export const MIRRORED_PATHS = [
  'event_payloads',
  'result',
  'known_cases',
  'metrics_folder',
  'checkpoints',
  'baselines',
] as const satisfies readonly RunPath[]

/** Bytes of the file `reserve`, of which the result of an attempt is made when the disk is full. The service makes it with the spec. */
export const RESERVE_BYTES = 256 * 1024

export type RunPath = keyof typeof RUN_PATHS

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never
type Values<Path extends RunPath> = { readonly [N in Placeholder<(typeof RUN_PATHS)[Path]>]: string | number }

/** The relative path of a file or folder of a run: runPath('events', { attempt: 2 }) is "events.2.jsonl". */
export function runPath<Path extends RunPath>(
  path: Path,
  ...[values]: Record<never, never> extends Values<Path> ? [] : [values: Values<Path>]
): string {
  const given: Readonly<Record<string, string | number>> = values ?? {}
  return RUN_PATHS[path].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(given[name]))
}
