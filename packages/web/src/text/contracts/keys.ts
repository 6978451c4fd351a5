import type {
  ClientErrorCode,
  ErrorCode,
  IssueCode,
  PhraseCode,
  Recipe,
  StudyConfig,
  StudyVariant,
  TrainingConfig,
  WarningCode,
} from '@medloom/contracts'

/** Codes whose remedy can appear on the page. A code added to the contracts is a type error until it is translated. */
export type ShownCode = ErrorCode | IssueCode | ClientErrorCode

/** Keys of the training configuration that a form has a field for. A key without a translation is a type error. */
export type SettingPath = FieldPath<TrainingConfig>
/** Topics that group these fields. */
export type SettingTopic = keyof TrainingConfig

/**
 * Dotted paths of the fields that a form shows for a configuration. Nested sections are groups; a value that can have several types is
 * one field.
 */
export type FieldPath<Config> = {
  [K in keyof Config & string]-?: PathWithin<K, NonNullable<Config[K]>>
}[keyof Config & string]

type PathWithin<Key extends string, Value> = [IsGroup<Value>] extends [true]
  ? `${Key}.${FieldPath<Value>}`
  : Key
/** A recipe is written as YAML, in one field. */
type IsGroup<Value> = [Value] extends [Recipe]
  ? false
  : [Value] extends [object]
    ? [Value] extends [readonly unknown[]]
      ? false
      : IsUnion<Value> extends true
        ? false
        : string extends keyof Value
          ? false
          : true
    : false
type IsUnion<T, Whole = T> = (T extends Whole ? ([Whole] extends [T] ? false : true) : never) extends false
  ? false
  : true

/** Keys of a study except those of its base; keys of a variant have no index. */
export type StudyPath = FieldPath<Omit<StudyConfig, 'config'>> | `variants.${keyof StudyVariant}`
/** Topics that group these fields. */
export type StudyTopic = 'folds' | 'search'

export interface TemplateWords {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
}

export interface GeneralWords {
  readonly meaning: string
  readonly remedy: string
}

/** Translation of the texts of the contracts. */
export interface ContractWords {
  /** Title of each configuration key. */
  readonly titles: Readonly<Record<SettingPath | SettingTopic, string>>
  /** Help of each configuration key. */
  readonly help: Readonly<Record<SettingPath, string>>
  /** Titles and help of the study keys. */
  readonly study: {
    readonly titles: Readonly<Record<StudyPath | StudyTopic, string>>
    readonly help: Readonly<Record<StudyPath, string>>
  }
  readonly remedies: Readonly<Record<ShownCode, string>>
  readonly warnings: Readonly<Record<WarningCode, readonly [meaning: string, remedy: string]>>
  readonly meanings: Readonly<Record<ErrorCode | ClientErrorCode, string>>
  /** English meaning and remedy that every error of a code has; undefined for an unknown code. */
  readonly general: (code: string) => GeneralWords | undefined
  /** Phrases of service messages; `{name}` is a value. */
  readonly phrases: Readonly<Record<PhraseCode, string>>
  /** Templates of workflows, by template id. */
  readonly workflows: Readonly<Record<string, TemplateWords>>
}
