import { patient } from '../../testing/deadline.js'
import type { Target } from './target.js'

/** One attempt to get more from a service than it permits. */
export interface Attack {
  readonly name: string
  readonly defense: string
  /** Takes seconds, so that every run of the tests can carry it out. */
  readonly isShort?: true
  /** @returns description of what the attacker obtained. @throws AttackSucceeded, or any error if the attack could not be carried out. */
  readonly run: (target: Target) => Promise<string>
}

export class AttackSucceeded extends Error {}

/** @throws AttackSucceeded unless the defense held. */
export function defended(holds: boolean, found: string): void {
  if (!holds) throw new AttackSucceeded(found)
}

export interface Outcome extends Pick<Attack, 'name' | 'defense'> {
  /** error: the attack could not be carried out, which does not show whether the defense works. */
  readonly status: 'defended' | 'succeeded' | 'error'
  readonly result: string
  readonly seconds: number
}

/** @param seconds maximum duration of each attack */
export async function outcomeOf(attack: Attack, target: Target, seconds: number): Promise<Outcome> {
  const { name, defense } = attack
  const began = Date.now()
  const took = () => (Date.now() - began) / 1000
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new AttackSucceeded(`no end after ${seconds} s`)), patient(seconds))
  })
  try {
    const result = await Promise.race([attack.run(target), late])
    return { name, defense, status: 'defended', result, seconds: took() }
  } catch (error) {
    const status = error instanceof AttackSucceeded ? 'succeeded' : 'error'
    return { name, defense, status, result: (error as Error).message, seconds: took() }
  } finally {
    clearTimeout(timer)
  }
}

const HEAD = ['attack', 'defense', 'result']

/** A Markdown table for use in a document. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, defense, status, result, seconds }) => [
    name,
    defense,
    `${status}: ${result.replaceAll(/\s+/g, ' ').slice(0, 200)} (${seconds.toFixed(1)} s)`,
  ])
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [HEAD, HEAD.map(() => '---'), ...rows].map(line).join('\n')
}
