import { type NodeDefinition, SOFTWARE } from '@medloom/contracts'

/** Package → version. */
export type Versions = Readonly<Record<string, string>>

/** Everything besides config and arriving values that determines the result of a node. */
export interface KeyContext {
  /** Digest of the external data that it reads; null: none. */
  readonly source: string | null
  /** Versions of the packages that its definition names; the same object for equal definitions. */
  readonly software: Versions
  /** Values by the names in its definition, as JSON. */
  readonly implicit: Readonly<Record<string, unknown>>
}

export const EMPTY_KEY_CONTEXT: KeyContext = { source: null, software: {}, implicit: {} }

const CHOSEN = new WeakMap<Versions, Map<NodeDefinition['software'], Versions>>()

/** Versions of the packages that a definition names. A package that is not installed has none. */
export function softwareOf({ software }: NodeDefinition, all: Versions): Versions {
  if (!software) return EMPTY_KEY_CONTEXT.software
  let chosen = CHOSEN.get(all)
  if (!chosen) {
    chosen = new Map()
    CHOSEN.set(all, chosen)
  }
  let versions = chosen.get(software)
  if (!versions) {
    const installed = SOFTWARE[software].flatMap((name) => {
      const version = all[name]
      return version === undefined ? [] : [[name, version] as const]
    })
    versions = Object.fromEntries(installed)
    chosen.set(software, versions)
  }
  return versions
}

/** Text for a change of versions: "torch 2.9.1 → 2.10.0". */
export function changedVersions(before: Versions, after: Versions): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name] ?? 'absent'} → ${after[name] ?? 'absent'}`)
}
