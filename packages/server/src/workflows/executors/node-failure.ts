import { AppError } from '../../errors.js'

/** Why a node failed, as it is kept on the node: the code, a message that says what to do, and a trace where there is one. */
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

/** What an executor threw, with the remedy of its code behind the message. */
export function asNodeFailure(thrown: unknown): unknown {
  if (!(thrown instanceof AppError)) return thrown
  const { code, message, details, trace } = thrown
  return new NodeFailure(code, `${message.replace(/\.$/, '')}. ${details}`, trace ?? thrown.stack ?? null)
}
