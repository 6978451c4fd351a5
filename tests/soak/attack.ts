import './end-on-signal.js'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { POSTGRES_PROGRAMS } from '../../packages/server/testing/postgres-cluster.js'
import { endUsers } from '../testing/end-users.js'
import { type Attack, type Outcome, outcomeOf, tableOf } from './attack/attack.js'
import { LOAD_ATTACKS } from './attack/load.js'
import { MACHINE_ATTACKS } from './attack/machine.js'
import { PEOPLE_ATTACKS } from './attack/people.js'
import { PROCESS_ATTACKS } from './attack/processes.js'
import { Target } from './attack/target.js'
import { TRAINING_ATTACKS } from './attack/trainings.js'

/** Time limit of one attack. */
const MOST_SECONDS = 120

/** The table of docs/guides/security.md lists them in this order. */
export const ATTACKS: readonly Attack[] = [
  ...PROCESS_ATTACKS,
  ...LOAD_ATTACKS,
  ...MACHINE_ATTACKS,
  ...TRAINING_ATTACKS,
  ...PEOPLE_ATTACKS,
]

/** The attacks on a controller and an API process need PostgreSQL. */
export const isPossible = (attack: Attack): boolean =>
  POSTGRES_PROGRAMS !== undefined || !PROCESS_ATTACKS.includes(attack)

/**
 * Attacks its own service on loopback, one attack after the other, and prints the outcome of each. Exit status 1: an attack succeeded,
 * or could not be carried out.
 *
 *     npm run attack -- [--only WORDS]
 */
export async function attackAll(
  attacks: readonly Attack[],
  log: (line: string) => void = () => undefined,
): Promise<readonly Outcome[]> {
  const target = await Target.start()
  const outcomes: Outcome[] = []
  try {
    for (const attack of attacks) {
      const outcome = await outcomeOf(attack, target, MOST_SECONDS)
      outcomes.push(outcome)
      log(`${outcome.status}: ${outcome.name}: ${outcome.result}`)
    }
    return outcomes
  } finally {
    await target.stop()
    endUsers(target.service.dataDir)
    for (const folder of [target.folder, target.service.dataDir])
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  const chosen = ATTACKS.filter(({ name }) => name.includes(values.only ?? ''))
  for (const { name } of chosen.filter((attack) => !isPossible(attack)))
    console.log(`left out, because PostgreSQL is not installed: ${name}`)
  const outcomes = await attackAll(chosen.filter(isPossible), console.log)
  console.log(`\n${tableOf(outcomes)}`)
  process.exit(outcomes.length > 0 && outcomes.every(({ status }) => status === 'defended') ? 0 : 1)
}
