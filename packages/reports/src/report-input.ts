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

/** Everything that a report contains, read from the run directory and the database before: plain data for a thread. */
export interface ReportInput {
  readonly job: Job
  readonly model: Model | null
  readonly history: readonly EpochRecord[]
  /** The best, the last and the earliest by epoch. */
  readonly checkpoints: readonly Checkpoint[]
  readonly moreCheckpoints: number
  /** Of the best checkpoint on the validation split. */
  readonly validation: EvaluationResult | null
  /** Of the best checkpoint on the fold of a cross-validation that was held out. */
  readonly heldOut: EvaluationResult | null
  /** The evaluation that the report is about; null: the report is about the run. */
  readonly subject: EvaluationRecord | null
  /** Every evaluation of this run, oldest first. */
  readonly evaluations: readonly EvaluationRecord[]
  /** Files that exist but cannot be read, by path in the run directory. */
  readonly unreadable: readonly string[]
  /** What the authors say. */
  readonly texts: ReportTexts
  /** Of the subject; null: the report shows no images. */
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
  /** How often the model had been evaluated on this split, this time included; null where it was not recorded. */
  readonly test_evaluations: number | null
  readonly result: EvaluationResult
}

/** The result that the section on performance describes. */
export function subjectResult({ subject, heldOut, validation }: ReportInput): EvaluationResult | null {
  return subject ? subject.result : (heldOut ?? validation)
}

/** Everything that the report of a workflow contains: the inputs of the node, and the training of the evaluated checkpoint. */
export interface WorkflowReportInput extends NodeConfig<'GenerateReport'> {
  readonly evaluation: EvaluationResult
  /** The metrics of the evaluation node, in its order; some are means that the evaluation itself does not list. */
  readonly headline: Readonly<Record<string, number | null>>
  /** Null where the job of the checkpoint is not known to this service. */
  readonly training: Pick<ReportInput, 'job' | 'history' | 'validation' | 'unreadable'> | null
  /** Evaluations of the model on these data as this split, and on any test data, when the report was written; null: unknown. */
  readonly evaluationCounts: { readonly split: number; readonly test: number } | null
  readonly plots: readonly { readonly title: string; readonly svg: string }[]
  /** Plots that were requested and could not be drawn. */
  readonly notDrawn: readonly { readonly title: string; readonly reason: string }[]
  /** The model summary: any JSON. */
  readonly modelFacts: Readonly<Record<string, unknown>>
  readonly workflowName: string
  /** What the authors say, whatever place they said it in. */
  readonly texts: ReportTexts
  /** Null: the report shows no images. */
  readonly failureImages: FailureImages | null
  /** What nodes above the report warned of. */
  readonly nodeWarnings: readonly ({ readonly node: string } & Readonly<Warning>)[]
}

/** Everything that the report of a comparison contains: plain data for a thread. */
export interface ComparisonReportInput {
  readonly comparison: ComparisonResult
  readonly comparison_id: string
  /** ISO 8601, UTC. */
  readonly compared_at: string
  /** In the order of the comparison: which model each is, and its evaluations on this split, this one included. */
  readonly models: readonly {
    readonly model_id: string
    readonly architecture: string
    readonly fusion_type: string
    readonly job_id: string
    readonly test_evaluations: number
  }[]
}

/** Everything that the report of a study contains. */
export interface StudyReportInput {
  readonly study: Study
  readonly results: StudyResults
  /** On which cases the trainings were measured. */
  readonly measuredOn: 'held-out' | 'test' | 'validation'
  /** What the first complete training found in the tables; null where its job is not known any more. */
  readonly prepared: Prepared | null
  /** Key of the configuration → the table and its sha256 when the study was accepted. */
  readonly tables: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>
  /** study.yaml: starts the same study again. */
  readonly configuration: string
}
