import type { EvaluationResult } from '@medloom/contracts'
import type { ReportInput } from '../report-input.js'
import { hasIndicator } from '../sections/data/missing-values.js'

export const SUMMARY_SCHEMA_VERSION = 1

/** reports/summary.json: the results of a run for programs. Keys are added, never renamed. */
export function runSummary({
  job,
  model,
  checkpoints,
  validation,
  heldOut,
  evaluations,
  texts,
}: ReportInput) {
  const { prepared, config } = job
  const best = checkpoints.find(({ name }) => name === 'best')
  return {
    schema_version: SUMMARY_SCHEMA_VERSION,
    job: {
      job_id: job.job_id,
      job_name: job.job_name,
      status: job.status,
      reason: job.reason,
      error: job.error ? { code: job.error.code, message: job.error.message } : null,
      created_at: job.created_at,
      started_at: job.started_at,
      ended_at: job.ended_at,
      attempt: job.attempt,
      resumed_from: job.resumed_from,
      fine_tuned_from: job.fine_tuned_from,
      epoch: job.epoch,
      total_epochs: job.total_epochs,
      best: job.best,
      metrics: job.metrics,
      notes: job.notes,
      seed: config.training.seed,
      device: job.device,
    },
    model: {
      model_id: model?.model_id ?? job.model_id,
      architecture: config.model.vision_backbone,
      fusion_type: config.model.fusion_type,
      task: prepared?.task ?? config.model.task,
      classes: prepared?.classes ?? null,
      parameters: prepared?.parameters ?? null,
      trainable_parameters: prepared?.trainable_parameters ?? null,
      checkpoint_digest: best?.digest || validation?.source.checkpoint_digest || null,
    },
    data: {
      label_column: prepared?.label_column ?? null,
      label_columns: prepared?.label_columns ?? null,
      patient_column: prepared?.patient_column ?? null,
      image_columns: prepared?.image_columns ?? null,
      numeric_columns: prepared?.numeric_columns ?? null,
      categorical_columns: prepared?.categorical_columns ?? null,
      ignored_columns: prepared?.ignored_columns ?? null,
      splits: prepared?.splits ?? null,
      missing: prepared?.missing ?? null,
      volumes: prepared?.volumes ?? null,
      missing_strategy: config.data.missing_strategy,
      missing_indicator: hasIndicator(config.data),
      digests: prepared?.data_digests ?? null,
      allow_leakage: config.data.allow_leakage,
      warnings: prepared?.warnings ?? [],
    },
    report: texts,
    validation: validation ? performance(validation) : null,
    held_out: heldOut ? performance(heldOut) : null,
    evaluations: evaluations.map(({ evaluation_id, evaluated_at, test_evaluations, result }) => ({
      evaluation_id,
      evaluated_at,
      test_evaluations,
      report: `evaluations/${evaluation_id}/report.html`,
      ...performance(result),
    })),
  }
}
export type RunSummary = ReturnType<typeof runSummary>

function performance({
  split,
  source,
  num_cases,
  num_patients,
  threshold,
  metrics,
  notes,
  intervals,
  baselines = [],
}: EvaluationResult) {
  return {
    split,
    csv_digest: source.digest,
    checkpoint_digest: source.checkpoint_digest,
    num_cases,
    num_patients,
    threshold,
    metrics,
    notes,
    intervals,
    baselines: baselines.map(({ name, title, metrics, differences, verdict }) => ({
      name,
      title,
      metrics,
      differences,
      verdict: verdict.verdict,
      text: verdict.text,
    })),
  }
}
