import type { Task } from '../configuration/choices.js'

/** Range of a metric, and the scale on which its estimate is nearly normal; intervals are computed there. */
export type MetricScale =
  /** 0 to 1; logit. */
  | 'share'
  /** 0 and above; logarithm. */
  | 'positive'
  /** 1 and below; logarithm of the distance from 1. */
  | 'below_one'
  /** −1 to 1; Fisher's z. */
  | 'correlation'
  /** Any number; as it is. */
  | 'real'

/** A row of the catalogue: the properties of a metric that the service, the trainer, the reports and the page share. */
export interface Metric {
  /** Printed name. Reports and the command line print the English one. */
  readonly label: { readonly en: string; readonly zh: string }
  /** Definition in one phrase, for a reader who does not know the metric; '' if the label is sufficient. */
  readonly meaning: string
  /** Definition for a task where it differs. */
  readonly meanings?: Partial<Record<Task, string>>
  /** Publication that defines the metric; '' for elementary ones. */
  readonly source: string
  /** Tasks whose results have it. */
  readonly tasks: readonly Task[]
  /** Tasks whose reports have it at their head. */
  readonly headline?: readonly Task[]
  /** Direction of improvement; null where no direction is better, as with a prevalence or a slope. */
  readonly better: 'higher' | 'lower' | null
  readonly scale: MetricScale
  /** The value has the unit of the label, so its size depends on the data. */
  readonly in_label_units?: true
  /** Variants of a study can be compared by it. */
  readonly compares_variants?: true
  /** Name of the same metric on the validation split after an epoch, where it is computed there. */
  readonly epoch?: `val_${string}`
  /** The epoch, and the setting of a search, can be chosen by it. Needs `epoch` and `better`. */
  readonly monitorable?: true
  /** Numbers of patients below which its interval is printed with a caution; measured by `bench:coverage`. */
  readonly fewest?: {
    /** All patients. */
    readonly patients?: number
    /** Patients of the rarest class; 5 where it is absent. */
    readonly of_rarest_class?: number
  }
}
