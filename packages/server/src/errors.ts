import {
  atPlace,
  ERRORS,
  type ErrorCode,
  type ErrorIssue,
  fieldsOf,
  joinTexts,
  phrase,
  type Text,
  textOf,
  type Wording,
} from '@medloom/contracts'

/** A text with phrases. The English alone must be written as `{ english }`: a text of another program or of the catalog. */
export type Said = Exclude<Wording, string>

/** An error that a caller may see. Its HTTP status and remedy come from the catalog. */
export class AppError extends Error {
  readonly http: number
  /** Location in the trainer that raised the error. Never part of a response. */
  trace: string | null = null

  readonly text: Text
  readonly remedy: Text

  constructor(
    readonly code: ErrorCode,
    message: Said,
    details: Said = { english: ERRORS[code].remedy },
    readonly issues: readonly ErrorIssue[] = [],
  ) {
    const text = textOf(message)
    super(text.english)
    this.name = 'AppError'
    this.http = ERRORS[code].http
    this.text = text
    this.remedy = textOf(details)
  }

  get details(): string {
    return this.remedy.english
  }
}

/** Message of an issue, with its path in front of it. */
export function placedMessage({ path, message, message_phrases: phrases }: ErrorIssue): Text {
  const text = { english: message, phrases }
  return path ? atPlace(path, text) : text
}

/** Keys that differ from those of the trained model. */
export function messageOfMismatches(issues: readonly ErrorIssue[]): Text {
  const texts = issues.map(({ path, message: english, message_phrases: phrases }) =>
    joinTexts([phrase('name', { name: path }), { english, phrases }], 'space'),
  )
  return joinTexts(texts, 'semicolon')
}

export function hintOfIssue({ hint, hint_phrases: phrases }: ErrorIssue): Text | undefined {
  return hint === undefined ? undefined : { english: hint, phrases }
}

/** All issues of an input in one error. Its code is that of the issue if there is a single one with an error code. */
export function refusal(issues: readonly ErrorIssue[], details?: Said): AppError {
  const [first] = issues
  const own = issues.length === 1 && (first?.code === 'UNKNOWN_FIELD' || first?.code === 'UNKNOWN_BACKBONE')
  const inConfig = first?.path === 'config' || first?.path.startsWith('config.')
  return new AppError(
    own
      ? (first.code as 'UNKNOWN_FIELD' | 'UNKNOWN_BACKBONE')
      : inConfig
        ? 'INVALID_CONFIG'
        : 'INVALID_REQUEST',
    joinTexts(issues.slice(0, 3).map(placedMessage), 'semicolon'),
    details ?? (first && hintOfIssue(first)),
    issues,
  )
}

/** The error as one of the issues of a response: `path` gives the location, so the message need not begin with it. */
export function issueAt(path: string, { code, text, remedy }: AppError): ErrorIssue {
  return {
    path,
    code,
    ...fieldsOf('message', withoutPlace(path, text)),
    ...fieldsOf('hint', remedy),
  }
}

function withoutPlace(path: string, text: Text): Text {
  const prefix = `${path}: `
  if (!text.english.startsWith(prefix)) return text
  const english = text.english.slice(prefix.length)
  const [place, first, ...others] = text.phrases ?? []
  if (place?.values?.name !== path || !first) return { english }
  return { english, phrases: [{ ...first, mark: undefined }, ...others] }
}

/** The service cannot start with these settings; message and remedy are printed on the terminal. */
export class StartError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message)
    this.name = 'StartError'
  }
}
