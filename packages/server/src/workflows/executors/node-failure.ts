import {
  after,
  ERRORS,
  type Job,
  messageOf,
  phrase,
  type Text,
  textOf,
  type Wording,
} from '@medloom/contracts'
import { AppError } from '../../errors.js'
import { systemFault } from '../../system-fault.js'

/** Failure of a node, as stored on the node: the code, a message with a remedy, and a trace if there is one. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure'
  readonly message_phrases: Text['phrases']

  constructor(
    readonly type: string,
    { english, phrases }: Text,
    readonly trace: string | null,
  ) {
    super(english)
    this.message_phrases = phrases
  }
}

/** The error of an executor, with the remedy of its code appended to the message. */
export function asNodeFailure(thrown: unknown): unknown {
  const known = thrown instanceof AppError ? thrown : systemFault(thrown)
  if (!known) return thrown
  const { code, text, remedy, trace } = known
  return new NodeFailure(code, withRemedy(text, remedy), trace ?? (thrown as Error).stack ?? null)
}

/** The same function; its errors are failures of the node for which it is called. */
export function failingAsNode<A extends unknown[], R>(
  work: (...given: A) => R | Promise<R>,
): (...given: A) => Promise<R> {
  return async (...given) => {
    try {
      return await work(...given)
    } catch (error) {
      throw asNodeFailure(error)
    }
  }
}

/** Failure of a node because of its training job. */
export function failureOfJob({ error }: Job): NodeFailure {
  const { code, message, message_phrases, trace } = error ?? {
    code: 'TRAINER_FAILED',
    ...messageOf(phrase('training_failed')),
    trace: null,
  }
  const text = { english: message, phrases: message_phrases }
  const remedy = Object.hasOwn(ERRORS, code)
    ? ERRORS[code as keyof typeof ERRORS].remedy
    : ERRORS.TRAINER_FAILED.remedy
  return new NodeFailure(code, withRemedy(text, remedy), trace)
}

/** The page knows the remedy of each code, so only the message and the details of this case have phrases. */
function withRemedy({ english, phrases }: Text, remedy: Wording): Text {
  const details = textOf(remedy)
  return {
    english: `${english.replace(/\.$/, '')}. ${details.english}`,
    phrases: phrases && [
      ...phrases,
      ...(details.phrases ?? []).map((given, index) => (index === 0 ? after('colon', given) : given)),
    ],
  }
}
