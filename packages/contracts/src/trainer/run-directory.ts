/**
 * Relative paths inside a run directory, with `/` between folders. Both the service and the trainer use this list (the trainer as
 * contract/run-directory.json). The directory is portable: it contains everything about the run. The folder `start` contains the checkpoint
 * from which a workflow started the training, with the layout of its original run directory.
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
  image_reference: 'image-reference.safetensors',
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
 * Paths of the run directory that a node without a shared folder sends in addition to the streams: files, and folders with all their
 * content.
 */
export const MIRRORED_PATHS = [
  'event_payloads',
  'result',
  'known_cases',
  'image_reference',
  'metrics_folder',
  'checkpoints',
  'baselines',
] as const satisfies readonly RunPath[]

/** Size of the file `reserve`, whose space holds the result of an attempt if the disk is full. The service creates it together with the spec. */
export const RESERVE_BYTES = 256 * 1024

export type RunPath = keyof typeof RUN_PATHS

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never
type Values<Path extends RunPath> = { readonly [N in Placeholder<(typeof RUN_PATHS)[Path]>]: string | number }

/** Relative path of a file or folder of a run: runPath('events', { attempt: 2 }) is "events.2.jsonl". */
export function runPath<Path extends RunPath>(
  path: Path,
  ...[values]: Record<never, never> extends Values<Path> ? [] : [values: Values<Path>]
): string {
  const given: Readonly<Record<string, string | number>> = values ?? {}
  return RUN_PATHS[path].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(given[name]))
}
