import { ERRORS, type Job } from '@medloom/contracts'
import { AppError } from '../../errors.js'
import { systemFault } from '../../storage/system-fault.js'

/** Failure of a node, as stored on the node: the code, a message with a remedy, and a trace if there is one. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure'

  constructor(
    readonly type: string,
    message: string,
    readonly trace: string | null,
  ) {
    super(message)
  }
}

/** The error of an executor, with the remedy of its code appended to the message. */
export function asNodeFailure(thrown: unknown): unknown {
  const known = thrown instanceof AppError ? thrown : systemFault(thrown)
  if (!known) return thrown
  const { code, message, details, trace } = known
  return new NodeFailure(code, withRemedy(message, details), trace ?? (thrown as Error).stack ?? null)
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
  const { code, message, trace } = error ?? {
    code: 'TRAINER_FAILED',
    message: 'the training job failed',
    trace: null,
  }
  const remedy = Object.hasOwn(ERRORS, code)
    ? ERRORS[code as keyof typeof ERRORS].remedy
    : ERRORS.TRAINER_FAILED.remedy
  return new NodeFailure(code, withRemedy(message, remedy), trace)
}

function withRemedy(message: string, remedy: string): string {
  return `${message.replace(/\.$/, '')}. ${remedy}`
}
