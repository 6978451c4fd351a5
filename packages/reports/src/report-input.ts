import type {
  Checkpoint,
  ComparisonResult,
  EvaluationResult,
  FailureImages,
  Job,
  Model,
  NodeConfig,
  Prepared,
  ReportTexts,
  Study,
  StudyResults,
  Warning,
} from '@medloom/contracts'

/** Complete content of a report, read beforehand from the run directory and the database: plain data for a thread. */
export interface ReportInput {
  readonly job: Job
  readonly model: Model | null
  readonly history: readonly EpochRecord[]
  /** The best, the last and the earliest checkpoint by epoch. */
  readonly checkpoints: readonly Checkpoint[]
  readonly moreCheckpoints: number
  /** Results of the best checkpoint on the validation split. */
  readonly validation: EvaluationResult | null
  /** Results of the best checkpoint on the held-out fold of a cross-validation. */
  readonly heldOut: EvaluationResult | null
  /** Evaluation that is the subject of the report; null: the report describes the run. */
  readonly subject: EvaluationRecord | null
  /** Every evaluation of this run, oldest first. */
  readonly evaluations: readonly EvaluationRecord[]
  /** Files that exist but cannot be read, by path in the run directory. */
  readonly unreadable: readonly string[]
  /** Texts of the authors. */
  readonly texts: ReportTexts
  /** Failure images of the subject; null: the report shows no images. */
  readonly failureImages: FailureImages | null
}

export interface EpochRecord {
  readonly epoch: number
  readonly metrics: Readonly<Record<string, number | null>>
  readonly seconds: number | null
}

export interface EvaluationRecord {
  readonly evaluation_id: string
  /** ISO 8601, UTC. */
  readonly evaluated_at: string
  /** Number of evaluations of the model on this split, including this one; null if it was not recorded. */
  readonly test_evaluations: number | null
  readonly result: EvaluationResult
}

/** The result that the performance section describes. */
export function subjectResult({ subject, heldOut, validation }: ReportInput): EvaluationResult | null {
  return subject ? subject.result : (heldOut ?? validation)
}

/** Complete content of a workflow report: the inputs of the node, and the training of the evaluated checkpoint. */
export interface WorkflowReportInput extends NodeConfig<'GenerateReport'> {
  readonly evaluation: EvaluationResult
  /** Metrics of the evaluation node, in its order; some are means that the evaluation itself does not list. */
  readonly headline: Readonly<Record<string, number | null>>
  /** Null if the job of the checkpoint is unknown to this service. */
  readonly training: Pick<ReportInput, 'job' | 'history' | 'validation' | 'unreadable'> | null
  /** Evaluations of the model on these data as this split, and on any test data, when the report was written; null: unknown. */
  readonly evaluationCounts: { readonly split: number; readonly test: number } | null
  readonly plots: readonly { readonly title: string; readonly svg: string }[]
  /** Plots that were requested and could not be drawn. */
  readonly notDrawn: readonly { readonly title: string; readonly reason: string }[]
  /** Model summary: any JSON. */
  readonly modelFacts: Readonly<Record<string, unknown>>
  readonly workflowName: string
  /** Texts of the authors, from any source. */
  readonly texts: ReportTexts
  /** Null: the report shows no images. */
  readonly failureImages: FailureImages | null
  /** Warnings of the nodes above the report. */
  readonly nodeWarnings: readonly ({ readonly node: string } & Readonly<Warning>)[]
}

/** Complete content of a comparison report: plain data for a thread. */
export interface ComparisonReportInput {
  readonly comparison: ComparisonResult
  readonly comparison_id: string
  /** ISO 8601, UTC. */
  readonly compared_at: string
  /** In the order of the comparison: identity of each model, and its evaluations on this split, including this one. */
  readonly models: readonly {
    readonly model_id: string
    readonly architecture: string
    readonly fusion_type: string
    readonly job_id: string
    readonly test_evaluations: number
  }[]
}

/** Complete content of a study report. */
export interface StudyReportInput {
  readonly study: Study
  readonly results: StudyResults
  /** Cases on which the trainings were measured. */
  readonly measuredOn: 'held-out' | 'test' | 'validation'
  /** Inferred values of the first complete training; null if its job no longer exists. */
  readonly prepared: Prepared | null
  /** Configuration key → the table and its sha256 when the study was accepted. */
  readonly tables: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>
  /** study.yaml: starts the same study again. */
  readonly configuration: string
}
