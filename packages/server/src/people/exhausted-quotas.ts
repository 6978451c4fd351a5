import type { UsersRepository } from './users.repository.js'

/** Finds users whose jobs wait because their quota of running jobs is reached. */
export class ExhaustedQuotas {
  constructor(private readonly users: Pick<UsersRepository, 'runningQuotas' | 'countRunning'>) {}

  /** The users whose quota of running jobs is reached, with that quota. */
  async reached(users: readonly string[]): Promise<Map<string, number>> {
    const quotas = await this.users.runningQuotas()
    const limited = users.filter((user) => quotas.has(user))
    if (limited.length === 0) return new Map()
    const running = await this.users.countRunning(limited)
    return new Map(
      limited.flatMap((user): [string, number][] => {
        const quota = quotas.get(user) ?? 0
        return (running.get(user) ?? 0) >= quota ? [[user, quota]] : []
      }),
    )
  }
}
