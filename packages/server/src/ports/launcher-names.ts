import { type Phrase, phrase } from '@medloom/contracts'
import type { ExchangeName } from './exchange-names.js'

/** Launchers of trainings; create-launcher.ts creates them. spansNodes: one training may have processes on several nodes. */
export const LAUNCHERS = {
  local: { spansNodes: false },
  ray: { spansNodes: true },
  slurm: { spansNodes: false },
} as const satisfies Readonly<Record<string, { readonly spansNodes: boolean }>>
export type LauncherName = keyof typeof LAUNCHERS
export const LAUNCHER_NAMES = Object.keys(LAUNCHERS) as LauncherName[]

export interface OneNode {
  readonly because: Phrase
  readonly remedy: Phrase
}

/** Reason why all processes of a training of this service run on one node; null: it may use several nodes. */
export function oneNodeOf({
  launcher = 'local',
  exchange,
}: {
  readonly launcher?: LauncherName
  readonly exchange?: ExchangeName
}): OneNode | null {
  if (!LAUNCHERS[launcher].spansNodes)
    return {
      because: phrase('one_machine'),
      remedy: phrase('one_machine_or_ray'),
    }
  // The processes of a group communicate through its run directory.
  if (exchange !== 'http') return null
  return {
    because: phrase('nodes_without_folder'),
    remedy: phrase('one_machine_or_folder'),
  }
}
