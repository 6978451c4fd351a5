import type {
  ClientErrorCode,
  ErrorCode,
  IssueCode,
  StudyConfig,
  StudyVariant,
  TrainingConfig,
  WarningCode,
} from '@medloom/contracts'

/** Codes whose remedy a person may see on the page. One that is added to the contracts fails the compilation until it is translated. */
export type ShownCode = ErrorCode | IssueCode | ClientErrorCode

/** Every key of the training configuration that a form has a field for. One without words in a translation fails the compilation. */
export type SettingPath = FieldPath<TrainingConfig>
/** The topics that these fields are folded by. */
export type SettingTopic = keyof TrainingConfig

/**
 * Dotted paths of the fields that a form makes of a configuration: sections within sections are groups, a value that may be of several
 * kinds is one field.
 */
export type FieldPath<Config> = {
  [K in keyof Config & string]-?: PathWithin<K, NonNullable<Config[K]>>
}[keyof Config & string]

type PathWithin<Key extends string, Value> = [IsGroup<Value>] extends [true]
  ? `${Key}.${FieldPath<Value>}`
  : Key
type IsGroup<Value> = [Value] extends [object]
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

/** Every key of a study beside those of its base, those of a variant without its number. */
export type StudyPath = FieldPath<Omit<StudyConfig, 'config'>> | `variants.${keyof StudyVariant}`
/** The topics that these fields are folded by. */
export type StudyTopic = 'folds' | 'search'

/** What the contracts say in English, in another language. */
export interface ContractWords {
  /** Key of the configuration → its name for people. */
  readonly titles: Readonly<Record<SettingPath | SettingTopic, string>>
  /** Key of the configuration → what it means. */
  readonly help: Readonly<Record<SettingPath, string>>
  /** The same of a study. */
  readonly study: {
    readonly titles: Readonly<Record<StudyPath | StudyTopic, string>>
    readonly help: Readonly<Record<StudyPath, string>>
  }
  readonly remedies: Readonly<Record<ShownCode, string>>
  readonly warnings: Readonly<Record<WarningCode, readonly [meaning: string, remedy: string]>>
  /** What the service says in English about every error of a code; undefined where the code has nothing general. */
  readonly general: (code: string) => string | undefined
  /** What the service says that has no code: its phrase, with # for a number and @ for a name → the same here. */
  readonly said: Readonly<Record<string, string>>
  /** Of the hint "Did you mean …?", which names what is meant. */
  readonly guess: (name: string) => string
}
