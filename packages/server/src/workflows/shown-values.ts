import {
  type InferredValue,
  MAX_NAME_CHARACTERS,
  MAX_NAMES,
  type ValueDescription,
  type WorkflowCheck,
} from '@medloom/contracts'
import type { Inferred } from '@medloom/workflow'

/** The values at the ports of each node. */
export async function shownValues(
  outputs: Inferred['outputs'],
  pause: () => Promise<void> | undefined,
): Promise<WorkflowCheck['values']> {
  const firstNames = withinCharacters(MAX_NAME_CHARACTERS)
  const values: [node: string, ports: Record<string, InferredValue>][] = []
  for (const [node, ports] of outputs) {
    const shownPorts = Object.entries(ports).map(([port, value]) => [port, shown(value, firstNames)] as const)
    values.push([node, Object.fromEntries(shownPorts)])
    await pause()
  }
  return Object.fromEntries(values)
}

function shown(
  { settings: _, columns, classes, shape, ...value }: ValueDescription,
  firstNames: (names: readonly string[]) => string[],
): InferredValue {
  return {
    ...value,
    ...(columns && { columns: firstNames(columns), num_columns: columns.length }),
    ...(classes && { classes: firstNames(classes), num_classes: classes.length }),
    ...(classes === null && { classes }),
    ...(shape && { shape: [...shape] }),
  }
}

/** The first names of each value, as long as all together have no more than this number of characters. */
function withinCharacters(most: number): (names: readonly string[]) => string[] {
  let remaining = most
  return (names) => {
    const shown = names.slice(0, MAX_NAMES)
    const end = shown.findIndex((name) => {
      remaining -= name.length
      return remaining < 0
    })
    return end === -1 ? shown : shown.slice(0, end)
  }
}
